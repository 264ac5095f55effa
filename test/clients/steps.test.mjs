// A standard EventSource (npm: eventsource) on steps' GET, which starts a run: one run and no more, however it is left.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {EventSource} from 'eventsource';
import {CuttingProxy} from './cutting_proxy.mjs';
import {Server, until} from './server.mjs';

const server = new Server({agents: {failing: 'fail: truncated'}});
before(() => server.start());
after(() => server.end());

async function makeSession(agent) {
  const reply = await fetch(`${server.url}/sessions`,
    {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(agent ? {agent} : {})});
  return (await reply.json()).id;
}

function watch(t, base, session, query) {
  const source = new EventSource(`${base}/sessions/${session}/stream?${new URLSearchParams(query === undefined ? {} : {query})}`);
  t.after(() => source.close());
  const seen = {source, events: [], errors: []};
  // No event has a name: all of them are messages.
  source.addEventListener('message', (event) => seen.events.push({id: event.lastEventId, ...JSON.parse(event.data)}));
  source.addEventListener('error', (event) => seen.errors.push(event.code ?? null));
  seen.of = (type) => seen.events.filter((event) => event.type === type);
  seen.types = () => seen.events.map((event) => event.step_type ?? event.type);
  return seen;
}

const closed = (seen) => until(() => seen.source.readyState === EventSource.CLOSED, 'the client to give up');

// Side by side: they mostly wait for reconnects.
describe('EventSource on steps', {concurrency: true}, () => {
  test('left open after done it starts nothing', {timeout: 60_000}, async (t) => {
    const proxy = await new CuttingProxy(server.port).listen();
    t.after(() => proxy.close());
    const session = await makeSession();
    const seen = watch(t, proxy.url, session, 'What is 6 * 7?');
    await closed(seen);
    assert.deepEqual(proxy.statuses(), [200, 204]);
    assert.equal(proxy.lastEventIds()[1], seen.events.at(-1).id);
    assert.equal(seen.types()[0], 'message');
    assert.deepEqual(seen.types().slice(-2), ['final', 'done']);
    assert.ok(seen.types().includes('planning') && seen.types().includes('action'));
    assert.match(String(seen.of('final')[0].output), /42/);
    assert.equal((await server.runs(session)).length, 1);
  });

  test('an error is an event like any other, and is not retried', {timeout: 60_000}, async (t) => {
    const proxy = await new CuttingProxy(server.port).listen();
    t.after(() => proxy.close());
    const session = await makeSession('failing');
    const seen = watch(t, proxy.url, session, 'hello');
    await closed(seen);
    assert.equal(seen.of('error').length, 1);
    assert.ok(seen.of('error')[0].error);
    assert.equal(seen.types().at(-1), 'done');
    assert.deepEqual(proxy.statuses(), [200, 204]);
    assert.equal((await server.runs(session)).length, 1);
  });

  test('a cut before the first event starts no second run', {timeout: 60_000}, async (t) => {
    const text = Array.from({length: 300}, (_, i) => `word${i}`).join(' ');
    const proxy = await new CuttingProxy(server.port, [40]).listen();  // in the middle of the head
    t.after(() => proxy.close());
    const session = await makeSession('slow');
    const seen = watch(t, proxy.url, session, 'say exactly: ' + text);
    await closed(seen);
    assert.equal(seen.of('final')[0].output, text);
    assert.equal(seen.of('message').length, 1);
    assert.equal(proxy.lastEventIds()[1], null, 'it had no id, and asked the same again');
    assert.deepEqual((await server.runs(session)).map((run) => run.status), ['completed']);
  });

  test('a cut in the middle is come back from', {timeout: 60_000}, async (t) => {
    const text = Array.from({length: 100}, (_, i) => `word${i}`).join(' ');
    const proxy = await new CuttingProxy(server.port, [1_500]).listen();
    t.after(() => proxy.close());
    const session = await makeSession('slow');
    const seen = watch(t, proxy.url, session, 'say exactly: ' + text);
    await closed(seen);
    assert.equal(seen.of('final')[0].output, text);
    const ids = seen.events.map((event) => event.id);
    assert.deepEqual(ids, [...new Set(ids)].sort());
    assert.equal((await server.runs(session)).length, 1);
  });

  test('a client that closes it leaves the run alone', {timeout: 60_000}, async (t) => {
    const session = await makeSession('slow');
    const seen = watch(t, server.url, session, 'say exactly: one two three four five six seven eight nine ten');
    await until(() => seen.events.length > 0, 'the message');
    seen.source.close();
    await until(async () => (await server.runs(session))[0].status === 'completed', 'the run to go on');
  });

  test('a question that is refused is an error, not an endless reconnect', {timeout: 30_000}, async (t) => {
    const session = await makeSession('slow');
    for (const [where, query, status] of [[session, undefined, 400], [session, ' ', 400], ['invalid-id', 'test', 404]]) {
      const seen = watch(t, server.url, where, query);
      await closed(seen);
      assert.deepEqual(seen.errors, [status]);
    }
  });
});
