// Where messages are written: text, files, who is asked and in which way; and the stop button while a run is at work.
import {useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';
import type {Way} from '../../api/types';
import {Icon} from '../../ui/parts';
import {agentName, agents, chooseAgentAndWay, chooseWay, way, ways} from './agents';
import {FileFacts} from './file_facts';

const heightMax = 240;

// What was written and not sent, by session: it waits there.
const drafts = new Map<string, string>();

export interface ComposerProps {
  session: string;             // empty: a new one
  busy: boolean;               // a run is at work in this session
  sending: boolean;
  files: File[];
  setFiles(files: File[]): void;
  // True when the message was taken.
  send(text: string): Promise<boolean>;
  stop(): void;
}

export function Composer(props: ComposerProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const {session} = props;
  const [text, show] = useState('');
  const setText = (now: string) => {
    drafts.set(session, now);
    show(now);
  };
  useLayoutEffect(() => show(drafts.get(session) ?? ''), [session]);
  useEffect(() => {
    if (!props.busy) return undefined;
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]')) props.stop();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [props.busy, props.stop]);
  useLayoutEffect(() => {
    const element = area.current!;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, heightMax)}px`;
  }, [text]);
  const ready = !props.busy && !props.sending && text.trim() !== '';
  const submit = async () => {
    if (!ready) return;
    if (await props.send(text)) setText('');
    area.current?.focus();
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      void submit();
    }
  };
  const pasted = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    props.setFiles([...props.files, ...files]);
  };
  return (
    <form class="composer" onSubmit={(event) => { event.preventDefault(); void submit(); }}>
      <Files files={props.files} setFiles={props.setFiles} />
      <textarea ref={area} class="composer-text" rows={1} value={text} placeholder={`Message ${agentName.value}`} aria-label="Message"
        onInput={(event) => setText(event.currentTarget.value)} onKeyDown={pressed} onPaste={pasted} autofocus />
      <div class="composer-row">
        <FileButton add={(files) => props.setFiles([...props.files, ...files])} />
        <AgentChoice />
        <WayChoice />
        <span class="grow" />
        {props.busy
          ? <button type="button" class="button stop" onClick={props.stop}><span class="stop-mark" aria-hidden="true" />Stop</button>
          : <button type="submit" class="button primary send" disabled={!ready} aria-label="Send"><Icon path="M12 19V5 M6 11l6-6 6 6" size={18} /></button>}
      </div>
    </form>
  );
}

function Files({files, setFiles}: {files: File[]; setFiles(files: File[]): void}) {
  if (files.length === 0) return null;
  return (
    <ul class="file-chips" aria-label="Files to send">
      {files.map((file, index) => (
        <li key={index} class="file-chip">
          <FileFacts name={file.name} size={file.size} />
          <button type="button" class="file-chip-remove" aria-label={`Remove ${file.name}`}
            onClick={() => setFiles(files.filter((_, other) => other !== index))}>✕</button>
        </li>
      ))}
    </ul>
  );
}

function FileButton({add}: {add(files: File[]): void}) {
  const input = useRef<HTMLInputElement>(null);
  const picked = () => {
    add([...(input.current!.files ?? [])]);
    input.current!.value = '';
  };
  return (
    <>
      <input ref={input} type="file" multiple hidden onChange={picked} aria-label="Files" />
      <button type="button" class="button small quiet icon-only" aria-label="Attach files" title="Attach files" onClick={() => input.current!.click()}>
        <Icon path="M8 12.5l6-6a3 3 0 0 1 4.3 4.3l-8 8a5 5 0 0 1-7-7L11 4" size={18} />
      </button>
    </>
  );
}

function AgentChoice() {
  return (
    <select class="pick" aria-label="Agent" value={agentName.value} onChange={(event) => chooseAgentAndWay(event.currentTarget.value)}
      title={agents.value.find((one) => one.name === agentName.value)?.description ?? ''}>
      {agents.value.length === 0 && <option value={agentName.value}>{agentName.value}</option>}
      {agents.value.map((one) => <option key={one.name} value={one.name} title={one.description}>{one.name}</option>)}
    </select>
  );
}

function WayChoice() {
  return (
    <select class="pick" aria-label="Way of working" value={way.value} title={ways.find((one) => one.way === way.value)?.meaning ?? ''}
      onChange={(event) => chooseWay(event.currentTarget.value as Way)}>
      {ways.map((one) => <option key={one.way} value={one.way} title={one.meaning}>{one.word}</option>)}
    </select>
  );
}
