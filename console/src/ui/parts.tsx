// The small parts that every panel uses.
import {signal} from '@preact/signals';
import type {ComponentChildren} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {ago, duration, exactTime} from './format';

const words: Record<string, string> = {
  queued: 'Queued', running: 'Running', waiting_approval: 'Waiting for approval', interrupting: 'Stopping', completed: 'Completed',
  failed: 'Failed', interrupted: 'Stopped', pending: 'Pending', in_progress: 'In progress', done: 'Done',
};

// The tone is told by words too, never by colour alone.
export function StatusBadge({status}: {status: string}) {
  return <span class={`badge badge-${status}`}><span class="badge-dot" aria-hidden="true" />{words[status] ?? status}</span>;
}

const minute = signal(Date.now());
setInterval(() => { minute.value = Date.now(); }, 30_000);

// `at`: ISO text or milliseconds.
export function Time({at, exact = false}: {at: string | number | null | undefined; exact?: boolean}) {
  if (at === null || at === undefined) return <span class="faint">–</span>;
  const ms = typeof at === 'number' ? at : Date.parse(at);
  return <time dateTime={new Date(ms).toISOString()} title={exactTime(ms)}>{exact ? exactTime(ms) : ago(ms, minute.value)}</time>;
}

// A length of time; with `since` (milliseconds of the wall clock) it counts on.
export function Duration({ms, since}: {ms?: number | null; since?: number}) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (since === undefined) return;
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, [since]);
  if (since !== undefined) return <span class="number">{duration(now - since)}</span>;
  return <span class="number">{ms === null || ms === undefined ? '–' : duration(ms)}</span>;
}

export function CopyButton({text, label = 'Copy'}: {text: string | (() => string); label?: string}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await copyText(typeof text === 'string' ? text : text());
    setCopied(true);
  };
  return <button type="button" class="button small quiet" onClick={() => void copy()}>{copied ? 'Copied' : label}</button>;
}

async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Pages that came over plain http have no clipboard interface.
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

export function ErrorBox({error, retry, children}: {error: unknown; retry?: () => void; children?: ComponentChildren}) {
  if (error === null || error === undefined) return null;
  return (
    <div class="error-box" role="alert">
      <div>{error instanceof Error ? error.message : String(error)}{children}</div>
      {retry && <button type="button" class="button small" onClick={retry}>Try again</button>}
    </div>
  );
}

export function Empty({title, children}: {title: string; children?: ComponentChildren}) {
  return <div class="empty"><p class="empty-title">{title}</p>{children && <div class="empty-text">{children}</div>}</div>;
}

export function Spinner({label = 'Loading'}: {label?: string}) {
  return <span class="spinner" role="status"><span class="visually-hidden">{label}</span></span>;
}

export function Icon({path, size = 20}: {path: string; size?: number}) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} fill="none" stroke="currentColor" stroke-width="1.75"
      stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d={path} /></svg>
  );
}
