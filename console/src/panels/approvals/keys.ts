// The keys of the inbox: j, k and the arrows move; A allows once, Shift+A always; R rejects, Shift+R with a reason.
import {useEffect, useRef} from 'preact/hooks';
import type {Decision} from './decide';

export interface KeyActions {
  move(by: 1 | -1): void;
  decide(decision: Decision): void;
  askReason(): void;
}

// `g` begins a jump to another panel: the letter after it is not meant for a card.
const JUMP_MS = 2000;

export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    let jumpUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      const jumping = performance.now() < jumpUntil;
      jumpUntil = event.key === 'g' && !jumping ? performance.now() + JUMP_MS : 0;
      if (jumping || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusyElsewhere(event)) return;
      const act = actionOf(event, latest.current);
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function actionOf(event: KeyboardEvent, {move, decide, askReason}: KeyActions): (() => void) | undefined {
  switch (event.key) {
    case 'j': case 'ArrowDown': return () => move(1);
    case 'k': case 'ArrowUp': return () => move(-1);
  }
  if (event.repeat) return undefined; // A key that is held down decides once.
  switch (event.key.toLowerCase()) { // The Shift key counts, not the case: Caps Lock must not mean "always".
    case 'a': return () => decide(event.shiftKey ? 'always' : 'once');
    case 'r': return event.shiftKey ? askReason : () => decide('reject');
  }
  return undefined;
}

// Typing, choosing, reading a long text with the arrows, or an open dialog.
function isBusyElsewhere(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (target.closest?.('input:not([type=checkbox]), textarea, select, [contenteditable], dialog')) return true;
  return document.querySelector('dialog[open]') !== null || (event.key.startsWith('Arrow') && !!target.closest?.('pre'));
}
