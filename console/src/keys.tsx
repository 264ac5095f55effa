// Keys that work everywhere: `g` and a letter goes to a panel, `?` shows this list. Nothing happens while somebody types.
import {signal} from '@preact/signals';
import {go, href} from './router';
import {panels} from './panels/registry';
import {Dialog} from './ui/dialog';

const helpOpen = signal(false);
const secondKeyMs = 1500;
let waitingSince = 0;

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function listenForKeys(): () => void {
  const pressed = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    if (Date.now() - waitingSince < secondKeyMs) {
      waitingSince = 0;
      const panel = panels.find((one) => one.key === event.key);
      if (panel) {
        event.preventDefault();
        go(href(panel.name));
      }
    } else if (event.key === 'g') {
      waitingSince = Date.now();
    } else if (event.key === '?') {
      helpOpen.value = true;
    }
  };
  addEventListener('keydown', pressed);
  return () => removeEventListener('keydown', pressed);
}

export const showKeys = (): void => { helpOpen.value = true; };

export function KeyHelp() {
  if (!helpOpen.value) return null;
  return (
    <Dialog title="Keys" close={() => { helpOpen.value = false; }}>
      <table class="keys">
        <tbody>
          {panels.map((panel) => <tr key={panel.name}><td><kbd>g</kbd> <kbd>{panel.key}</kbd></td><td>{panel.title}</td></tr>)}
          <tr><td><kbd>Enter</kbd></td><td>Chat: send (<kbd>Shift</kbd> <kbd>Enter</kbd> begins a new line)</td></tr>
          <tr><td><kbd>Esc</kbd></td><td>Chat: stop the run; elsewhere: close</td></tr>
          <tr><td><kbd>A</kbd> <kbd>R</kbd></td><td>Approvals: allow once, reject</td></tr>
          <tr><td><kbd>j</kbd> <kbd>k</kbd></td><td>Timeline, Five ways: next and previous event</td></tr>
          <tr><td><kbd>/</kbd></td><td>Timeline: find in events</td></tr>
          <tr><td><kbd>?</kbd></td><td>This list</td></tr>
        </tbody>
      </table>
    </Dialog>
  );
}
