// A standard EventSource (npm: eventsource) on chat's GET, which starts a run: one run and no more, however it is left.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {EventSource} from 'eventsource';
import {CuttingProxy} from './cutting_proxy.mjs';
import {Server, until} from './server.mjs';

const TYPES = ['stream_start', 'message_delta', 'tool_call_start', 'tool_call_args', 'tool_call_end', 'stream_end'];
// This client waits three seconds before it comes back: the run must be there that long, and a little longer.
const server = new Server({agents: {failing: 'fail: truncated'}, limits: {client_return_grace: 6_000}});
before(() => server.start());
after(() => server.end());

function watch(t, base, agent, message, session) {
  const query = new URLSearchParams({message, ...(session && {session_id: session})});
  const source = new EventSource(`${base}/agent/${agent}/chat/stream?${query}`);
  t.after(() => source.close());
  const seen = {source, events: [], problems: [], errors: []};
  for (const type of TYPES) {
    source.addEventListener(type, (event) => seen.events.push({type, id: event.lastEventId, data: JSON.parse(event.data)}));
  }
  // Both come here: the event of that name, with data, and the client's own word that the connection is gone.
  source.addEventListener('error', (event) => {
    if (event.data === undefined) seen.errors.push(event.code ?? null);
    else seen.problems.push(JSON.parse(event.data));
  });
  seen.of = (type) => seen.events.filter((event) => event.type === type);
  seen.text = () => seen.of('message_delta').map((event) => event.data.delta).join('');
  seen.session = () => seen.events[0].data.session_id;
  return seen;
}

const closed = (seen) => until(() => seen.source.readyState === EventSource.CLOSED, 'the client to give up');

// Side by side: they mostly wait for reconnects.
describe('EventSource on chat', {concurrency: true}, () => {
  test('left open after the end it starts nothing', {timeout: 60_000}, async (t) => {
    const proxy = await new CuttingProxy(server.port).listen();
    t.after(() => proxy.close());
    const seen = watch(t, proxy.url, 'support', 'Is my tent still under warranty?');
    await closed(seen);
    assert.deepEqual(proxy.statuses(), [200, 204]);
    assert.equal(proxy.lastEventIds()[1], seen.events.at(-1).id);
    assert.deepEqual(seen.events.map((event) => event.type).filter((type, i, all) => type !== all[i - 1]),
      ['stream_start', 'tool_call_start', 'tool_call_args', 'tool_call_end', 'message_delta', 'stream_end']);
    assert.match(JSON.parse(seen.of('tool_call_args').map((event) => event.data.args_delta).join('')).query, /tent/);
    assert.match(seen.text(), /warranty\.md/);
    assert.equal((await server.runs(seen.session())).length, 1);
    assert.deepEqual(seen.problems, []);
  });

  test('an error event reaches the error listener with its data, and is not retried', {timeout: 60_000}, async (t) => {
    const proxy = await new CuttingProxy(server.port).listen();
    t.after(() => proxy.close());
    const seen = watch(t, proxy.url, 'failing', 'hello');
    await closed(seen);
    assert.equal(seen.problems.length, 1);
    assert.equal(seen.problems[0].status, 500);
    assert.match(seen.problems[0].type, /\/agent-error$/);
    assert.ok(seen.problems[0].detail && seen.problems[0].title);
    assert.ok(seen.errors.length >= 1, 'the client says, too, that the connection is gone');
    assert.deepEqual(proxy.statuses(), [200, 204]);
    assert.equal((await server.runs(seen.session())).length, 1);
  });

  test('a cut in the middle is come back from, and the run is still its own', {timeout: 60_000}, async (t) => {
    const text = Array.from({length: 400}, (_, i) => `word${i}`).join(' ');
    const proxy = await new CuttingProxy(server.port, [3_000, 4_001]).listen();
    t.after(() => proxy.close());
    const seen = watch(t, proxy.url, 'slow', 'say exactly: ' + text);
    await closed(seen);
    assert.equal(seen.text(), text);
    assert.equal(seen.of('stream_start').length, 1);
    assert.equal(seen.of('stream_end').length, 1);
    const ids = seen.events.map((event) => event.id);
    assert.deepEqual(ids, [...new Set(ids)].sort());
    assert.deepEqual(proxy.statuses(), [200, 200, 200, 204]);
    assert.deepEqual((await server.runs(seen.session())).map((run) => run.status), ['completed']);
  });

  test('a client that closes it stops the run', {timeout: 60_000}, async (t) => {
    const seen = watch(t, server.url, 'slow', 'a long story about lighthouses');
    await until(() => seen.of('message_delta').length > 3, 'some words');
    seen.source.close();
    await until(async () => (await server.runs(seen.session()))[0].status === 'interrupted', 'the run to stop');
  });

  test('a message that is refused is an error, not an endless reconnect', {timeout: 30_000}, async (t) => {
    for (const [agent, message, status] of [['support', ' ', 400], ['nobody', 'hello', 404]]) {
      const seen = watch(t, server.url, agent, message);
      await closed(seen);
      assert.deepEqual(seen.errors, [status]);
    }
  });
});
