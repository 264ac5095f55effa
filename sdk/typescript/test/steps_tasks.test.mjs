// The client on the real server: the steps and the tasks contracts, with and without a network that cuts.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {CuttingProxy} from '../../../test/clients/cutting_proxy.mjs';
import {Server} from '../../../test/clients/server.mjs';
import {Braidlog, RunError, TruncatedError} from '../dist/index.js';

const GOAL = 'Plan the launch of our new product';
const server = new Server();
const long = {timeout: 60_000};
let client;

before(async () => {
  await server.start();
  client = new Braidlog({baseUrl: server.url});
});
after(() => server.end());

async function read(stream, seen = []) {
  for await (const event of stream) seen.push(event);
  return seen;
}

async function throughCuts(t, cuts) {
  const proxy = await new CuttingProxy(server.port, cuts).listen();
  t.after(() => proxy.close());
  return {proxy, client: new Braidlog({baseUrl: proxy.url, retry: {baseMs: 20}})};
}

const posts = (proxy) => proxy.requests().filter((part) => part.startsWith('POST '));

describe('steps', {concurrency: true}, () => {
  test('message, steps, final, done; the list of steps and the tokens', long, async () => {
    const {id} = await client.sessions.create({agent: 'analyst'});
    const stream = client.steps.stream(id, {query: 'What is 6 * 7?'});
    const events = await read(stream);
    assert.match(events.map((event) => event.type).join(' '), /^message( step)+ final done$/);
    assert.equal(events[0].content, 'What is 6 * 7?');
    const steps = events.filter((event) => event.type === 'step');
    const final = events.at(-2);
    assert.deepEqual([...steps, final].map((event) => event.step_number), [...steps, final].map((_, i) => i + 1));
    assert.deepEqual(await stream.result(), final.output);
    assert.deepEqual((await client.steps.steps(id)).steps, steps);
    assert.ok((await client.steps.tokens(id)).tokens.total_tokens > 0);
    const later = client.steps.stream(id, {query: ''}, {lastEventId: stream.lastEventId});
    assert.deepEqual(await read(later), []);
    assert.equal(later.end, 'nothing left');
    assert.equal((await server.runs(id)).length, 1);
  });

  test('cut before the first event and after it, it is one run, whole', long, async (t) => {
    const {id} = await client.sessions.create({agent: 'analyst'});
    const {proxy, client: cutOff} = await throughCuts(t, [0, 500, 600]);
    const events = await read(cutOff.steps.stream(id, {query: 'What is 6 * 7?'}));
    const runs = await server.runs(id);
    assert.equal(runs.length, 1);
    assert.deepEqual(events, await read(client.anyRun(runs[0].run_id, 'steps')));
    assert.ok(posts(proxy).length >= 3);
    assert.ok(posts(proxy).some((head) => /^last-event-id: evt_/im.test(head)));
  });

  test('busy is 409, interrupted is an error of the run', long, async () => {
    const {id} = await client.sessions.create({agent: 'slow'});
    const stream = client.steps.stream(id, {query: 'a long story about lighthouses'});
    const events = stream[Symbol.asyncIterator]();
    assert.equal((await events.next()).value.type, 'message');
    await assert.rejects(read(client.steps.stream(id, {query: 'another'})),
      {name: 'ProtocolError', status: 409, message: 'Session already has an active run'});
    assert.deepEqual(await client.steps.interrupt(id), {success: true, message: 'Agent interrupted'});
    await assert.rejects(stream.result(), (error) => error instanceof RunError && error.message === 'Run interrupted');
    await assert.rejects(client.steps.interrupt(id), {status: 404, message: 'No active run found for this session'});
    await assert.rejects(read(client.steps.stream(id, {query: ' '})), {status: 400, message: 'Query parameter is required'});
    await assert.rejects(read(client.steps.stream('nope', {query: 'x'})), {status: 404, message: 'Session not found'});
  });
});

describe('tasks', {concurrency: true}, () => {
  const planned = async () => {
    const {id} = await client.sessions.create({agent: 'planner'});
    const {tasks} = await client.tasks.chat(id, {message: GOAL}).result();
    return {id, tasks};
  };

  test('a goal becomes tasks, and they are done', long, async () => {
    const {id, tasks} = await planned();
    assert.ok(tasks.length >= 3 && tasks.length <= 10);
    assert.deepEqual(tasks.map((task) => [task.status, task.order]), tasks.map((_, i) => ['pending', i]));
    const stream = client.tasks.execute(id);
    const events = await read(stream);
    assert.deepEqual(events.filter((event) => event.type === 'task_selected').map((event) => event.taskId), tasks.map((task) => task.id));
    assert.equal(events.filter((event) => event.type === 'reflection').length, tasks.length);
    const summary = await stream.result();
    assert.equal(summary.total, tasks.length);
    const {tasks: list} = await client.tasks.list(id);
    assert.deepEqual(list.filter((task) => task.status === 'done').length, summary.completed);
    assert.deepEqual(await client.tasks.get(id, list[0].id), list[0]);
    const state = await client.tasks.state(id);
    assert.deepEqual([state.tasks, state.status], [list, 'completed']);
    const runs = (await server.runs(id)).map((run) => run.run_id).sort();
    assert.equal(runs.length, 2);
    assert.deepEqual(await read(client.anyRun(runs[1], 'tasks')), events, 'the ids of runs increase');
    const all = await read(client.anyRun(runs[1], 'all'));
    assert.equal(new Set(all.map((frame) => frame.contract)).size, 5);
    await assert.rejects(read(client.tasks.execute(id)), {name: 'ProtocolError', status: 409, code: 'CONFLICT'});
  });

  test('artifacts and data items', long, async () => {
    const {id} = await planned();
    const events = [];
    const state = await client.tasks.executeToEnd(id, (event) => events.push(event), {everyMs: 50});
    const created = events.filter((event) => event.type === 'artifact_created');
    assert.ok(created.length > 0, 'the planner writes something down');
    const {artifacts} = await client.tasks.artifacts(id);
    assert.deepEqual(artifacts.map((one) => one.id).sort(), created.map((event) => event.artifactId).sort());
    assert.deepEqual(state.artifacts, artifacts);
    const [first] = artifacts;
    const whole = await client.tasks.artifact(id, first.id);
    assert.equal(await (await client.tasks.download(id, first.id)).text(), whole.content);
    assert.ok((await client.tasks.artifacts(id, {type: first.type})).artifacts.some((one) => one.id === first.id));
    await client.tasks.deleteArtifact(id, first.id);
    await assert.rejects(client.tasks.artifact(id, first.id), (error) => error.status === 404 && error.code === 'NOT_FOUND');
    const {dataItems} = await client.tasks.dataItems(id);
    for (const item of dataItems) assert.deepEqual(await client.tasks.dataItem(id, item.id), item);
  });

  test('a lost stream is not replayed: the session tells the rest', long, async (t) => {
    const {id, tasks} = await planned();
    const {proxy, client: cutOff} = await throughCuts(t, [600]);
    const seen = [];
    const state = await cutOff.tasks.executeToEnd(id, (event) => seen.push(event), {everyMs: 50});
    assert.ok(seen.length > 0 && seen.every((event) => event.type !== 'done'), 'it was cut');
    assert.equal(posts(proxy).length, 1);
    assert.equal(state.activeRunId, null);
    assert.deepEqual(state.tasks.map((task) => task.id), tasks.map((task) => task.id));
    assert.ok(state.tasks.every((task) => task.status === 'done' || task.status === 'failed'));
    const other = await planned();
    const {client: cutAgain} = await throughCuts(t, [600]);
    await assert.rejects(read(cutAgain.tasks.execute(other.id)), TruncatedError);
    assert.equal((await client.tasks.settled(other.id, {everyMs: 50})).status, 'completed');
  });

  test('a lost answer starts no second run', long, async (t) => {
    const {id} = await client.sessions.create({agent: 'planner'});
    const {proxy, client: cutOff} = await throughCuts(t, [0]);
    await cutOff.tasks.chat(id, {message: GOAL}).result();
    assert.equal(posts(proxy).length, 2);
    assert.equal((await server.runs(id)).length, 1);
    await assert.rejects(client.tasks.chat(id, {message: ' '}).result(), (error) => error.status === 422 && error.code === 'VALIDATION_ERROR');
  });
});
