import assert from 'node:assert/strict';
import {afterEach, beforeEach, describe, test} from 'node:test';
import {Hub} from './hub';
import type {Page, ToPage} from './protocol';

// The server's side of one request to /watch.
class Request {
  private controller!: ReadableStreamDefaultController<Uint8Array>;
  readonly body = new ReadableStream<Uint8Array>({start: (controller) => { this.controller = controller; }});
  readonly watches: string[];
  aborted = false;
  answer!: (response: Response) => void;

  constructor(url: string, signal: AbortSignal) {
    this.watches = new URL(url, 'http://x').searchParams.getAll('watch');
    signal.addEventListener('abort', () => {
      this.aborted = true;
      try { this.controller.error(new Error('aborted')); } catch { /* over already */ }
    });
  }

  accept(user = 'user_1'): void {
    this.answer(new Response(this.body));
    this.say(`event: hello\ndata: {"version":"1","user_id":"${user}","is_admin":true}\n\n`);
  }
  say(text: string): void { this.controller.enqueue(new TextEncoder().encode(text)); }
  event(run: string, sequence: number): void { this.say(`event: log ${run}\nid: evt_${run}_${sequence}\ndata: {"sequence":${sequence}}\n\n`); }
  cut(): void { this.controller.error(new Error('gone')); }
}

let requests: Request[] = [];
const realFetch = globalThis.fetch;
beforeEach(() => {
  requests = [];
  globalThis.fetch = ((url: string, init: RequestInit) => new Promise((resolve, reject) => {
    const request = new Request(url, init.signal!);
    request.answer = resolve;
    init.signal!.addEventListener('abort', () => reject(new Error('aborted')));
    requests.push(request);
  })) as typeof fetch;
});

const hubs: [Hub, Page[]][] = [];
afterEach(() => {
  for (const [hub, pages] of hubs.splice(0)) for (const page of pages) hub.leave(page);
  globalThis.fetch = realFetch;
});

function newHub(): Hub {
  const hub = new Hub();
  hubs.push([hub, []]);
  return hub;
}

function newPage(hub: Hub): Page & {heard: ToPage[]; sequences(watch: number): number[]; states(): string[]} {
  const heard: ToPage[] = [];
  const page = {
    heard,
    send: (message: ToPage) => void heard.push(message),
    sequences: (watch: number) => heard.flatMap((message) => (message.kind === 'frames' && message.watch === watch ? message.frames : []))
      .map((frame) => JSON.parse(frame.data).sequence as number),
    states: () => heard.flatMap((message) => (message.kind === 'state' ? [message.state] : [])),
  };
  hubs.find(([one]) => one === hub)![1].push(page);
  hub.join(page);
  return page;
}

async function until(condition: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + 5000; !condition();) {
    if (Date.now() > end) throw new Error(`waited for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
const settle = () => new Promise((resolve) => setTimeout(resolve, 40));
const watch = (number: number, run: string, after: string | null = null) => ({kind: 'watch', watch: number, view: 'log', run, after}) as const;

async function liveHub() {
  const hub = newHub();
  const page = newPage(hub);
  await until(() => requests.length === 1, 'a request');
  requests[0]!.accept();
  await until(() => page.states().at(-1) === 'live', 'live');
  return {hub, page};
}

describe('the hub', () => {
  test('opens one connection for several watches, and the new one takes over from the old', async () => {
    const {hub, page} = await liveHub();
    hub.receive(page, watch(1, 'run_A'));
    hub.receive(page, watch(2, 'run_B'));
    await until(() => requests.length === 2, 'the union');
    assert.deepEqual(requests[1]!.watches.sort(), ['log:run_A', 'log:run_B']);
    assert.equal(requests[0]!.aborted, false, 'the old one works until the new one does');
    requests[1]!.accept();
    await until(() => requests[0]!.aborted, 'the end of the old one');
    requests[1]!.event('run_A', 1);
    requests[1]!.event('run_B', 1);
    await until(() => page.sequences(2).length === 1, 'events');
    assert.deepEqual(page.sequences(1), [1]);
  });

  test('an event that both connections bring is delivered once, and none is left out', async () => {
    const {hub, page} = await liveHub();
    hub.receive(page, watch(1, 'run_A'));
    await until(() => requests.length === 2, 'the watch');
    requests[1]!.accept();
    requests[1]!.event('run_A', 1);
    await until(() => page.sequences(1).length === 1, 'the first');
    hub.receive(page, watch(2, 'run_B'));
    await until(() => requests.length === 3, 'the union');
    assert.ok(requests[2]!.watches.includes('log:run_A:evt_run_A_1'), 'from the last one delivered');
    requests[1]!.event('run_A', 2);
    requests[1]!.event('run_A', 3);
    await until(() => page.sequences(1).length === 3, 'what the old one still brings');
    requests[2]!.accept();
    for (const sequence of [2, 3, 4]) requests[2]!.event('run_A', sequence);
    await until(() => page.sequences(1).length === 4, 'the rest');
    await settle();
    assert.deepEqual(page.sequences(1), [1, 2, 3, 4]);
  });

  test('a lost connection is opened again, each run from its last event', async () => {
    const {hub, page} = await liveHub();
    hub.receive(page, watch(1, 'run_A'));
    await until(() => requests.length === 2, 'the watch');
    requests[1]!.accept();
    requests[1]!.event('run_A', 1);
    await until(() => page.sequences(1).length === 1, 'the first');
    requests[1]!.cut();
    await until(() => page.states().at(-1) === 'lost', 'lost');
    await until(() => requests.length === 3, 'the next try');
    requests[2]!.answer(new Response('', {status: 503}));
    await until(() => requests.length === 4, 'the try after that');
    assert.deepEqual(requests[3]!.watches, ['log:run_A:evt_run_A_1']);
    requests[3]!.accept();
    await until(() => page.states().at(-1) === 'live', 'live again');
    assert.equal(page.heard.filter((message) => message.kind === 'reconnected').length, 1);
  });

  test('a second page gets what was kept, from where it wants, without another request', async () => {
    const {hub, page} = await liveHub();
    hub.receive(page, watch(1, 'run_A'));
    await until(() => requests.length === 2, 'the watch');
    requests[1]!.accept();
    for (const sequence of [1, 2, 3]) requests[1]!.event('run_A', sequence);
    requests[1]!.say('event: caught-up run_A\ndata: {"view":"log"}\n\nevent: over run_A\ndata: {"view":"log"}\n\n');
    await until(() => page.heard.some((message) => message.kind === 'over'), 'the end');
    const second = newPage(hub);
    hub.receive(second, watch(7, 'run_A'));
    hub.receive(second, watch(8, 'run_A', 'evt_run_A_2'));
    await settle();
    assert.deepEqual(second.sequences(7), [1, 2, 3]);
    assert.deepEqual(second.sequences(8), [3]);
    assert.deepEqual(second.heard.filter((message) => message.kind === 'over').map((message) => 'watch' in message && message.watch), [7, 8]);
    assert.equal(requests.length, 2);
  });

  test('asks for no more than the server takes; what waits comes when others are over', async () => {
    const {hub, page} = await liveHub();
    for (let number = 1; number <= 35; ++number) hub.receive(page, watch(number, `run_${number}`));
    await until(() => requests.length === 2, 'the union');
    assert.equal(requests[1]!.watches.length, 30);
    requests[1]!.accept();
    requests[1]!.say('event: over run_35\ndata: {"view":"log"}\n\nevent: refused run_34\ndata: {"view":"log","status":404,"error":"Run not found"}\n\n');
    await until(() => requests.length === 3, 'the next union');
    assert.equal(requests[2]!.watches.length, 30);
    assert.ok(requests[2]!.watches.includes('log:run_5') && requests[2]!.watches.includes('log:run_4'));
    assert.deepEqual(page.heard.find((message) => message.kind === 'refused'), {kind: 'refused', watch: 34, status: 404, error: 'Run not found'});
  });

  test('401 is told and not tried again until somebody logged in', async () => {
    const hub = newHub();
    const page = newPage(hub);
    await until(() => requests.length === 1, 'a request');
    requests[0]!.answer(new Response('', {status: 401}));
    await until(() => page.heard.some((message) => message.kind === 'unauthorized'), 'the refusal');
    await new Promise((resolve) => setTimeout(resolve, 400));
    assert.equal(requests.length, 1);
    hub.receive(page, {kind: 'retry'});
    await until(() => requests.length === 2, 'the next try');
  });

  test('another user behind the same cookie is told', async () => {
    const {page} = await liveHub();
    requests[0]!.cut();
    await until(() => requests.length === 2, 'the next try');
    requests[1]!.accept('user_2');
    await until(() => page.heard.some((message) => message.kind === 'user-changed'), 'the change');
  });

  test('notices go to every page, and the last page that leaves ends the connection', async () => {
    const {hub, page} = await liveHub();
    const second = newPage(hub);
    requests[0]!.say('event: changed\ndata: {"run_id":"run_A","session_id":"sess_A","status":"running","what":"run"}\n\n');
    await until(() => second.heard.some((message) => message.kind === 'notice'), 'the notice');
    assert.ok(page.heard.some((message) => message.kind === 'notice'));
    hub.leave(page);
    assert.equal(requests[0]!.aborted, false);
    hub.leave(second);
    assert.equal(requests[0]!.aborted, true);
  });
});
