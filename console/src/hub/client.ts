// The page's side of the hub: who watches what in this tab. Events are handed over at most once per animation frame, and a long backlog in
// portions that leave the page time to paint.
import {signal, type ReadonlySignal} from '@preact/signals';
import {readMe} from '../api/auth';
import {me} from '../api/http';
import {spelled} from '../api/ids';
import {openLink, type Link} from './link';
import type {Connection, Frame, Notice, ToPage, View} from './protocol';

export type {Connection, Notice} from './protocol';

export interface LogEvent {sequence: number; at: number; elapsed_ms: number; type: string; [field: string]: unknown}
export interface LogListener {
  events(batch: LogEvent[]): void;
  caughtUp?(): void;
  over?(): void;
  refused?(status: number, error: string): void;
}
export interface WayFrame {id: string; contract: 'steps' | 'runs' | 'chat' | 'conversation' | 'tasks'; frame: string}
export interface WayListener {
  frames(batch: WayFrame[]): void;
  caughtUp?(): void;
  over?(): void;
  refused?(status: number, error: string): void;
}

const state = signal<Connection>('connecting');
export const connection: ReadonlySignal<Connection> = state;

export function watchLog(runId: string, listener: LogListener, after?: string): () => void {
  return watch('log', runId, after ?? null, {
    take: (frames) => listener.events(frames.map((frame) => JSON.parse(frame.data) as LogEvent)),
    listener,
  });
}

export function watchWays(runId: string, listener: WayListener): () => void {
  return watch('all', runId, null, {
    take: (frames) => listener.frames(frames.map((frame) => ({...(JSON.parse(frame.data) as WayFrame), id: frame.id}))),
    listener,
  });
}

export function onNotice(listener: (notice: Notice) => void): () => void {
  connect();
  noticeListeners.add(listener);
  return () => noticeListeners.delete(listener);
}

// The connection was lost and is back: what changed meanwhile was not told, so lists are to be read anew.
export function onReconnect(listener: () => void): () => void {
  connect();
  reconnectListeners.add(listener);
  return () => reconnectListeners.delete(listener);
}

type Ending = {kind: 'caught-up'} | {kind: 'over'} | {kind: 'refused'; status: number; error: string};
interface Reader {
  take(frames: Frame[]): void;
  listener: {caughtUp?(): void; over?(): void; refused?(status: number, error: string): void};
}
interface Watch {view: View; run: string; position: string | null; reader: Reader; queue: (Frame | Ending)[]}

const portionMs = 6;
const portionFrames = 256;
const noticeListeners = new Set<(notice: Notice) => void>();
const reconnectListeners = new Set<() => void>();
const watches = new Map<number, Watch>();
let lastWatch = 0;
let link: Link | null = null;
let planned = false;

function watch(view: View, runId: string, after: string | null, reader: Reader): () => void {
  const number = ++lastWatch;
  const entry: Watch = {view, run: spelled('run', runId), position: after, reader, queue: []};
  watches.set(number, entry);
  connect().send({kind: 'watch', watch: number, view, run: entry.run, after});
  return () => {
    if (watches.delete(number)) connect().send({kind: 'unwatch', watch: number});
  };
}

// The hub forgot this page, or is a new one: it is told again what is watched, each from where this page is.
function watchAgain(): void {
  for (const [number, {view, run, position}] of watches) link!.send({kind: 'watch', watch: number, view, run, after: position});
}

export function connect(): Link {
  link ??= openLink({receive, joined: watchAgain});
  return link;
}

function receive(message: ToPage): void {
  switch (message.kind) {
    case 'state': state.value = message.state; break;
    case 'notice': for (const listener of noticeListeners) listener(message.notice); break;
    case 'reconnected': for (const listener of reconnectListeners) listener(); break;
    case 'forgotten': watchAgain(); break;
    case 'unauthorized': void readMe(); break;
    case 'user-changed': location.reload(); break;
    case 'frames': put(message.watch, message.frames); break;
    default: put(message.watch, [message]);
  }
}

function put(number: number, items: (Frame | Ending)[]): void {
  const entry = watches.get(number);
  if (!entry) return;
  for (const item of items) entry.queue.push(item);
  plan();
}

function plan(): void {
  if (planned) return;
  planned = true;
  // A hidden tab paints no frames, but its state has to go on.
  if (document.hidden) setTimeout(deliver, 100);
  else requestAnimationFrame(deliver);
}

function deliver(): void {
  planned = false;
  const start = performance.now();
  for (const entry of watches.values()) {
    while (entry.queue.length > 0 && performance.now() - start < portionMs) deliverPortion(entry);
  }
  if ([...watches.values()].some((entry) => entry.queue.length > 0)) plan();
}

function deliverPortion(entry: Watch): void {
  const end = entry.queue.findIndex((item) => 'kind' in item);
  const count = Math.min(end < 0 ? entry.queue.length : end, portionFrames);
  if (count > 0) {
    const frames = entry.queue.splice(0, count) as Frame[];
    entry.position = frames.at(-1)!.id;
    entry.reader.take(frames);
    return;
  }
  const ending = entry.queue.shift() as Ending;
  if (ending.kind === 'caught-up') entry.reader.listener.caughtUp?.();
  else if (ending.kind === 'over') entry.reader.listener.over?.();
  else entry.reader.listener.refused?.(ending.status, ending.error);
}

// Somebody logged in: the hub, which was refused, may try again.
me.subscribe((who) => { if (who && link) link.send({kind: 'retry'}); });
