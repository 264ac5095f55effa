// Streams over connections that break in every way: what is handed out, what is asked again, and what is thrown.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Braidlog, InvalidResponseError, NetworkError, ProtocolError, RunError, TruncatedError} from '../dist/index.js';
import {scripted} from './scripted_server.mjs';

const frame = (id, event) => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
const token = (id, content) => frame(id, {type: 'token', content});
const DONE = frame('done', {type: 'done'});
const THREE = [token('a', 'one'), token('b', 'two'), DONE];

const clientOf = (server, options = {}) =>
  new Braidlog({baseUrl: server.url, apiKey: 'key', retry: {baseMs: 5, maxMs: 20}, ...options});

async function read(stream, seen = []) {
  for await (const event of stream) seen.push(event);
  return seen;
}

const words = (events) => events.map((event) => event.content ?? event.type);
const quick = {timeout: 20_000};

test('the last event is the end, whether the connection ends or not', quick, async (t) => {
  let left;
  const server = await scripted(t, (peer) => { left = peer.gone(); return peer.stream(...THREE); });
  const stream = clientOf(server).conversation.stream({message: 'hi'});
  assert.deepEqual(words(await read(stream)), ['one', 'two', 'done']);
  assert.equal(stream.end, 'last event');
  assert.equal(stream.lastEventId, 'done');
  await left;
  const [request] = server.requests;
  assert.equal(`${request.method} ${request.target}`, 'POST /agent/stream');
  assert.equal(request.headers.authorization, 'Bearer key');
  assert.equal(request.headers.accept, 'text/event-stream');
  assert.deepEqual(JSON.parse(request.body), {message: 'hi'});
  assert.equal(request.headers['idempotency-key'], stream.idempotencyKey);
  assert.equal(server.requests.length, 1);
});

test('cut at each byte of the stream, it goes on by id and loses and repeats nothing', {timeout: 60_000}, async (t) => {
  const whole = Buffer.from(token('a', 'Grüße 😀') + token('b', 'two') + DONE);
  const frames = whole.toString().split(/(?<=\n\n)/);
  const rest = (id) => frames.slice(1 + frames.findIndex((one) => one.startsWith(`id: ${id}\n`))).join('');
  for (let cut = 0; cut < whole.length; cut += 1) {
    const server = await scripted(t,
      async (peer) => {
        await peer.head(200, undefined, cut % 2 ? 'keep-alive' : 'close');
        if (cut > 0) await peer.chunk(whole.subarray(0, cut));
        peer.cut();
      },
      (peer, {headers}) => peer.endedStream(headers['last-event-id'] ? rest(headers['last-event-id']) : whole));
    const stream = clientOf(server).conversation.stream({message: 'hi'});
    assert.deepEqual(words(await read(stream)), ['Grüße 😀', 'two', 'done'], `cut after ${cut} bytes`);
    const [, again] = server.requests;
    const seen = whole.subarray(0, cut).toString('latin1').split('\n\n').length - 1;
    assert.equal(again.headers['last-event-id'] ?? null, [null, 'a', 'b'][seen]);
    // Before the first event the request is sent again, with its key; after it, the id is enough.
    assert.equal(again.headers['idempotency-key'], seen === 0 ? stream.idempotencyKey : undefined);
    assert.equal(again.body, seen === 0 ? '{"message":"hi"}' : '');
    server.close();
  }
});

test('a clean end before the last event is a lost connection too', quick, async (t) => {
  const server = await scripted(t,
    (peer) => peer.endedStream(THREE[0]),
    (peer) => peer.endedStream(THREE[1], THREE[2]));
  const notices = [];
  const stream = clientOf(server).conversation.stream({message: 'hi'}, {onRetry: (notice) => notices.push(notice)});
  assert.deepEqual(words(await read(stream)), ['one', 'two', 'done']);
  assert.deepEqual(server.ids(), [null, 'a']);
  assert.equal(notices.length, 1);
  assert.ok(notices[0].error instanceof TruncatedError);
});

test('split characters, keepalives and slow bytes are nothing special', quick, async (t) => {
  const server = await scripted(t, async (peer) => {
    await peer.stream();
    for (const byte of Buffer.from(`: keepalive\n\n${token('a', '漢字 😀')}${DONE}`)) {
      await peer.chunk(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  assert.deepEqual(words(await read(clientOf(server).conversation.stream({message: 'hi'}))), ['漢字 😀', 'done']);
});

test('a request whose answer was lost is sent again with the same key', quick, async (t) => {
  const server = await scripted(t, (peer) => peer.cut(), (peer) => peer.socket.resetAndDestroy(),
    async (peer) => { await peer.raw('HTTP/1.1 200 OK\r\nContent-'); peer.cut(); }, (peer) => peer.stream(...THREE));
  const stream = clientOf(server).steps.stream('s', {query: 'hi'});
  await read(stream);
  assert.deepEqual(new Set(server.keys()), new Set([stream.idempotencyKey]));
  assert.equal(server.requests.length, 4);
  const other = clientOf(server).steps.stream('s', {query: 'hi'});
  assert.notEqual(other.idempotencyKey, stream.idempotencyKey);
  assert.equal(clientOf(server).steps.stream('s', {query: 'hi'}, {idempotencyKey: 'mine'}).idempotencyKey, 'mine');
});

test('a message of runs whose answer was lost, or cut, is sent again with the same key', quick, async (t) => {
  const server = await scripted(t, (peer) => peer.cut(),
    async (peer) => { await peer.head(202, {'Content-Type': 'application/json'}); await peer.chunk('{"run_'); peer.cut(); },
    async (peer) => { await peer.head(202, {'Content-Type': 'application/json'}, 'keep-alive'); await peer.chunk('{"run_'); peer.cut(); },
    (peer) => peer.json(202, {run_id: 'run_1', status: 'queued'}));
  const queued = await clientOf(server).runs.send('s', {message: 'hi'});
  assert.equal(queued.run_id, 'run_1');
  assert.equal(new Set(server.keys()).size, 1);
  assert.ok(server.keys()[0].length > 20);
});

test('what is not safe to repeat is not repeated', quick, async (t) => {
  const server = await scripted(t, (peer) => peer.cut(), (peer) => peer.json(503, {error: 'busy'}, {'Retry-After': '0'}));
  const client = clientOf(server);
  await assert.rejects(client.sessions.create(), (error) => error instanceof NetworkError && error.cause !== undefined);
  await assert.rejects(client.runs.approve('s', 'a'), (error) => error instanceof ProtocolError && error.status === 503);
  assert.equal(server.requests.length, 2);
});

test('204: nothing is left of what was read elsewhere', quick, async (t) => {
  const server = await scripted(t, (peer) => peer.cut(), (peer) => peer.nothing());
  const stream = clientOf(server).conversation.stream({message: ''}, {lastEventId: 'evt_9'});
  assert.deepEqual(await read(stream), []);
  assert.equal(stream.end, 'nothing left');
  assert.deepEqual(server.ids(), ['evt_9', 'evt_9']);
  assert.deepEqual(server.requests.map((request) => request.body), ['', '']);
  await assert.rejects(stream.result(), /was not seen/);
});

test('204 in the place of the rest is a truncated stream, not a finished one', quick, async (t) => {
  const server = await scripted(t, (peer) => peer.cutStream(THREE[0]), (peer) => peer.nothing());
  const seen = [];
  const stream = clientOf(server).conversation.stream({message: 'hi'});
  await assert.rejects(read(stream, seen), TruncatedError);
  assert.deepEqual(words(seen), ['one']);
  assert.equal(stream.end, undefined);
  assert.equal(server.requests.length, 2);
});

test('409 is the server\'s word, and not asked again', quick, async (t) => {
  const server = await scripted(t, (peer) => peer.json(409, {error: 'Session already has an active run'}));
  await assert.rejects(read(clientOf(server).steps.stream('s', {query: 'hi'})), (error) => {
    assert.ok(error instanceof ProtocolError && !(error instanceof NetworkError));
    assert.deepEqual([error.status, error.code, error.message, error.retryAfter], [409, null, 'Session already has an active run', null]);
    return true;
  });
  assert.equal(server.requests.length, 1);
});

test('503 with Retry-After is waited for', quick, async (t) => {
  const server = await scripted(t, (peer) => peer.json(503, {detail: 'draining'}, {'Retry-After': '1'}), (peer) => peer.stream(...THREE));
  const notices = [];
  const began = performance.now();
  await read(clientOf(server).conversation.stream({message: 'hi'}, {onRetry: (notice) => notices.push(notice)}));
  assert.ok(performance.now() - began >= 990);
  assert.ok(notices[0].delayMs > 1000 && notices[0].delayMs <= 1005, 'not all clients in the same moment');
  assert.ok(notices[0].error instanceof ProtocolError);
  assert.equal(new Set(server.keys()).size, 1);
});

test('one that asks for too long a wait is told to the caller', quick, async (t) => {
  const server = await scripted(t, (peer) => peer.json(429, {detail: 'enough'}, {'Retry-After': '3600'}));
  await assert.rejects(read(clientOf(server).conversation.stream({message: 'hi'})), (error) => error.retryAfter === 3600);
});

test('tries without a new event are counted, waits grow, and then it is an error', quick, async (t) => {
  const cut = (peer) => peer.cutStream(': keepalive\n\n');
  const server = await scripted(t, cut, (peer) => peer.cutStream(THREE[0]), cut, cut, cut, cut, cut);
  const notices = [];
  const stream = clientOf(server, {retry: {attempts: 3, baseMs: 8, maxMs: 16}})
    .conversation.stream({message: 'hi'}, {onRetry: (notice) => notices.push(notice)});
  await assert.rejects(read(stream), TruncatedError);
  assert.deepEqual(notices.map((notice) => notice.attempt), [1, 1, 2, 3]);
  assert.deepEqual(server.ids(), [null, null, 'a', 'a', 'a']);
  for (const [i, most] of [[1, 8], [2, 16], [3, 16]]) {
    assert.ok(notices[i].delayMs >= most / 2 && notices[i].delayMs <= most, `${notices[i].delayMs} of ${most}`);
  }
  assert.equal(stream.lastEventId, 'a', 'enough to go on later');
});

test('nobody listening is a NetworkError', quick, async (t) => {
  const server = await scripted(t);
  server.close();
  const stream = clientOf(server, {retry: {attempts: 2, baseMs: 1}}).conversation.stream({message: 'hi'});
  await assert.rejects(read(stream), (error) => error instanceof NetworkError && !(error instanceof TruncatedError));
  await assert.rejects(clientOf(server, {retry: {attempts: 1, baseMs: 1}}).sessions.list(), NetworkError);
});

test('silence is a lost connection, before the head and after it', quick, async (t) => {
  const server = await scripted(t, (peer) => peer.gone(), async (peer) => { await peer.stream(THREE[0]); await peer.gone(); },
    (peer) => peer.stream(THREE[1], THREE[2]));
  const client = clientOf(server, {idleTimeoutMs: 200});
  assert.deepEqual(words(await read(client.conversation.stream({message: 'hi'}))), ['one', 'two', 'done']);
  assert.deepEqual(server.ids(), [null, null, 'a']);
});

test('the server\'s retry line is the first wait', quick, async (t) => {
  const server = await scripted(t, (peer) => peer.cutStream(`retry: 300\n${THREE[0]}`),
    (peer) => peer.stream(THREE[2]));
  const notices = [];
  const client = clientOf(server, {retry: {baseMs: 1, maxMs: 1_000}});
  await read(client.conversation.stream({message: 'hi'}, {onRetry: (notice) => notices.push(notice)}));
  assert.ok(notices[0].delayMs >= 150 && notices[0].delayMs <= 300);
});

test('a page is no stream, and broken data no event', quick, async (t) => {
  const server = await scripted(t,
    async (peer) => { await peer.head(200, {'Content-Type': 'text/html'}); await peer.chunk('<p>Welcome'); await peer.end(); },
    (peer) => peer.stream('data: {"type":\n\n'),
    async (peer) => { await peer.head(502, {'Content-Type': 'text/html'}); await peer.chunk('<p>Bad gateway'); await peer.end(); },
    async (peer) => { await peer.head(200, {'Content-Type': 'text/html'}); await peer.chunk('<p>Welcome'); await peer.end(); });
  const client = clientOf(server, {retry: {attempts: 0}});
  await assert.rejects(read(client.conversation.stream({message: 'hi'})), InvalidResponseError);
  await assert.rejects(read(client.conversation.stream({message: 'hi'})), InvalidResponseError);
  await assert.rejects(read(client.conversation.stream({message: 'hi'})),
    (error) => error instanceof ProtocolError && error.status === 502 && error.code === null && error.body === '<p>Bad gateway');
  await assert.rejects(client.sessions.list(), InvalidResponseError);
});

test('a stream is read once; result() goes on where the reading stopped', quick, async (t) => {
  const end = frame('c', {type: 'conversation', conversation: {id: 'x', title: 't', updated_at: '', conversation: []}});
  const server = await scripted(t, (peer) => peer.stream(THREE[0], end, DONE), (peer) => peer.stream(THREE[0], end, DONE),
    (peer) => peer.stream(THREE[0], frame('e', {type: 'error', message: 'Run interrupted'})));
  const client = clientOf(server);
  const stream = client.conversation.stream({message: 'hi'});
  await read(stream);
  assert.equal((await stream.result()).title, 't');
  assert.throws(() => stream[Symbol.asyncIterator](), /once/);
  assert.equal((await client.conversation.stream({message: 'hi'}).result()).id, 'x');
  await assert.rejects(client.conversation.stream({message: 'hi'}).result(), (error) => {
    assert.ok(error instanceof RunError && !(error instanceof ProtocolError) && !(error instanceof NetworkError));
    assert.deepEqual([error.message, error.contract, error.event.type], ['Run interrupted', 'conversation', 'error']);
    return true;
  });
});

// ---- leaving ----

test('abort: before the start, before the head, in the stream, between two events, and while it waits', quick, async (t) => {
  const reason = new Error('enough');
  const early = new AbortController();
  early.abort(reason);
  const unasked = await scripted(t);
  await assert.rejects(read(clientOf(unasked).conversation.stream({message: 'hi'}, {signal: early.signal})), (error) => error === reason);
  assert.equal(unasked.requests.length, 0);

  const during = async (step, options = {}) => {
    const controller = new AbortController();
    let left;
    const server = await scripted(t, (peer) => { left = peer.gone(); return step(peer, () => controller.abort(reason)); });
    const seen = [];
    const stream = clientOf(server, options).conversation.stream({message: 'hi'},
      {signal: controller.signal, onRetry: () => setTimeout(() => controller.abort(reason), 10)});
    await assert.rejects(read(stream, seen), (error) => error === reason);
    await left;
    assert.equal(server.requests.length, 1);
    return seen;
  };
  assert.deepEqual(await during((peer, abort) => abort()), []);
  assert.deepEqual(words(await during(async (peer, abort) => { await peer.stream(THREE[0]); setTimeout(abort, 50); })), ['one']);
  assert.deepEqual(words(await during((peer) => peer.cutStream(THREE[0]), {retry: {baseMs: 60_000, maxMs: 60_000}})), ['one']);

  const controller = new AbortController();
  const server = await scripted(t, (peer) => peer.stream(THREE.join('')));
  const seen = [];
  await assert.rejects((async () => {
    for await (const event of clientOf(server).conversation.stream({message: 'hi'}, {signal: controller.signal})) {
      seen.push(event);
      controller.abort(reason);
    }
  })(), (error) => error === reason);
  assert.deepEqual(words(seen), ['one'], 'what had come with it is not handed out any more');
});

test('abort of a plain request, also while it waits', quick, async (t) => {
  const reason = new Error('enough');
  const controller = new AbortController();
  const server = await scripted(t, (peer) => peer.cut());
  const client = clientOf(server, {retry: {baseMs: 60_000, maxMs: 60_000}});
  await assert.rejects(client.sessions.list({}, {signal: controller.signal, onRetry: () => controller.abort(reason)}), (error) => error === reason);
});

test('break closes the connection', quick, async (t) => {
  let left;
  const server = await scripted(t, (peer) => { left = peer.gone(); return peer.stream(THREE[0]); });
  for await (const event of clientOf(server).conversation.stream({message: 'hi'})) {
    assert.equal(event.content, 'one');
    break;
  }
  await left;
  assert.equal(server.requests.length, 1);
});
