// A standard EventSource (npm: eventsource) on the runs stream: it reads, reconnects by itself, and stops at 204.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {EventSource} from 'eventsource';
import {CuttingProxy} from './cutting_proxy.mjs';
import {Server, until} from './server.mjs';

const TYPES = ['run_started', 'assistant_delta', 'tool_call_proposed', 'tool_call_approved', 'tool_call_rejected', 'tool_result',
  'run_interrupted', 'run_completed', 'run_failed'];
const server = new Server();
before(() => server.start());
after(() => server.end());

function watch(t, url) {
  const source = new EventSource(url);
  t.after(() => source.close());
  const seen = {source, events: [], unnamed: 0, errors: []};
  for (const type of TYPES) {
    source.addEventListener(type, (event) => {
      assert.equal(event.type, type);
      seen.events.push({type, id: event.lastEventId, data: JSON.parse(event.data)});
    });
  }
  source.addEventListener('message', () => { seen.unnamed += 1; });
  source.addEventListener('error', (event) => { seen.errors.push(event.code ?? null); });
  seen.has = (type) => seen.events.some((event) => event.type === type);
  seen.text = () => seen.events.filter((e) => e.type === 'assistant_delta').map((e) => e.data.payload.text).join('');
  return seen;
}

// The run as a plain fetch gives it, the measure for everything else.
async function wholeRun(run) {
  const body = await (await fetch(server.url + run.stream)).text();
  return body.split('\n\n').filter((raw) => raw && !raw.startsWith(':')).map((raw) => {
    const lines = Object.fromEntries(raw.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]));
    return {type: lines.event, id: lines.id, data: JSON.parse(lines.data)};
  });
}

test('reads a run to its end and stops at 204', {timeout: 60_000}, async (t) => {
  const text = 'one\u0085two\u2028three\u2029four "five"\n\nevent: run_failed\ndata: {}\n\n👩‍👩‍👧 end';
  const run = await server.begin('say exactly: ' + text);
  const proxy = await new CuttingProxy(server.port).listen();
  t.after(() => proxy.close());
  const seen = watch(t, proxy.url + run.stream);
  await until(() => seen.has('run_completed'), 'the end of the run');
  await until(() => seen.source.readyState === EventSource.CLOSED, 'the client to give up');
  assert.equal(seen.text(), text);
  assert.deepEqual(seen.events, await wholeRun(run));
  assert.equal(seen.unnamed, 0);
  assert.deepEqual(proxy.statuses(), [200, 204]);
  assert.equal(proxy.lastEventIds()[1], seen.events.at(-1).id);
  assert.equal((await server.get(`/sessions/${run.sessionId}/runs`)).items.length, 1);
});

test('comes back after a cut inside a frame and misses nothing', {timeout: 60_000}, async (t) => {
  const run = await server.begin('a long story about lighthouses', {agent: 'slow'});
  const proxy = await new CuttingProxy(server.port, [6_000, 9_001]).listen();
  t.after(() => proxy.close());
  const seen = watch(t, proxy.url + run.stream);
  await until(() => seen.has('run_completed'), 'the end of the run');
  seen.source.close();
  assert.deepEqual(seen.events, await wholeRun(run));
  const ids = seen.events.map((event) => event.id);
  assert.deepEqual(ids, [...new Set(ids)].sort());
  assert.deepEqual(proxy.statuses(), [200, 200, 200]);
  assert.equal(proxy.lastEventIds()[0], null);
  for (const id of proxy.lastEventIds().slice(1)) assert.ok(ids.includes(id), `resumed by ${id}`);
});

test('goes on after the server was killed and came back', {timeout: 60_000}, async (t) => {
  const own = await new Server().start();
  t.after(() => own.end());
  const run = await own.begin('Write a haiku about rivers to haiku.md');
  const seen = watch(t, own.url + run.stream);
  await until(() => seen.has('tool_call_proposed'), 'the question');
  await own.kill();
  await own.start();
  const approval = await own.pendingApproval(run.sessionId);
  assert.equal(approval.approval_id, seen.events.at(-1).data.payload.approval_id);
  await own.post(`/sessions/${run.sessionId}/approvals/${approval.approval_id}/approve`);
  await until(() => seen.has('run_completed'), 'the end of the run');
  seen.source.close();
  assert.deepEqual(seen.events.map((e) => e.type).filter((type) => type !== 'assistant_delta'),
    ['run_started', 'tool_call_proposed', 'tool_call_approved', 'tool_result', 'run_completed']);
});

test('an unknown run is an error, not an endless reconnect', {timeout: 30_000}, async (t) => {
  const {session_id: session} = await server.post('/sessions');
  const seen = watch(t, `${server.url}/api/v1/sessions/${session}/runs/run_01ARZ3NDEKTSV4RRFFQ69G5FAV/stream`);
  await until(() => seen.source.readyState === EventSource.CLOSED, 'the client to give up');
  assert.deepEqual(seen.errors, [404]);
});
