// The client on the real server, with and without a network that cuts: runs, chat, conversation, sessions.
import assert from 'node:assert/strict';
import {File} from 'node:buffer';  // not a global in Node 18
import {execFileSync} from 'node:child_process';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';
import {CuttingProxy} from '../../../test/clients/cutting_proxy.mjs';
import {Server, until} from '../../../test/clients/server.mjs';
import {Braidlog, ProtocolError, RunError} from '../dist/index.js';

const ODD = 'one\u0085two\u2028three\u2029four "five" \\ 😀\n\ndata: {"type":"done"}\n\nsix';
const WORDS = Array.from({length: 120}, (_, i) => `word${i}`).join(' ');
const server = new Server({agents: {failing: 'fail: truncated'}});
const long = {timeout: 60_000};
let client, human;

before(async () => {
  await server.start();
  client = new Braidlog({baseUrl: server.url});
  human = {headers: {Cookie: await server.cookie()}};
});
after(() => server.end());

const typesOf = (events) => events.map((event) => event.type ?? event.event).filter((type, i, all) => type !== all[i - 1]);

async function read(stream, seen = []) {
  for await (const event of stream) seen.push(event);
  return seen;
}

// A network that cuts the first connections after so many bytes, and a client behind it.
async function throughCuts(t, cuts, options = {}) {
  const proxy = await new CuttingProxy(server.port, cuts).listen();
  t.after(() => proxy.close());
  return {proxy, client: new Braidlog({baseUrl: proxy.url, retry: {baseMs: 20}, ...options})};
}

// Side by side: they mostly wait for words.
describe('the real server', {concurrency: true}, () => {
  test('runs: from a session to a file, with an approval', long, async () => {
    const {session_id: session} = await client.runs.createSession({agent: 'writer'});
    const {run_id: run} = await client.runs.send(session, {message: 'Write a haiku about rivers to haiku.md'});
    const events = [];
    const stream = client.runs.stream(session, run);
    for await (const event of stream) {
      events.push(event);
      if (event.type !== 'tool_call_proposed') continue;
      const {items: [pending]} = await client.runs.approvals(session);
      assert.equal(pending.approval_id, event.payload.approval_id);
      assert.equal((await client.runs.approvals()).items[0].session_id, session);
      assert.equal((await client.runs.approve(session, pending.approval_id)).status, 'approved');
    }
    assert.deepEqual(typesOf(events), ['run_started', 'assistant_delta', 'tool_call_proposed', 'tool_call_approved', 'tool_result',
      'assistant_delta', 'run_completed'].filter((type) => events.some((event) => event.type === type)));
    assert.equal(await stream.result(), events.at(-1).payload.final_text);
    assert.equal((await client.runs.get(run)).status, 'completed');
    assert.deepEqual((await client.runs.files(session)).files.map((file) => file.path), ['haiku.md']);
    assert.match(await (await client.runs.download(session, 'haiku.md')).text(), /at first light/);
    assert.equal((await client.runs.upload(session, new Blob(['a,b\n']), 'table.csv')).path, 'table.csv');
    assert.equal((await client.runs.session(session)).active_run_id, null);
    assert.equal((await client.runs.list(session)).items.length, 1);
    assert.equal((await client.runs.interrupt(session, run)).status, 'completed');
    assert.deepEqual(await client.runs.setAutoApprove(session, true), {enabled: true});
    const later = client.runs.stream(session, run, {lastEventId: stream.lastEventId});
    assert.deepEqual(await read(later), []);
    assert.equal(later.end, 'nothing left');
    await client.runs.deleteSession(session);
    await assert.rejects(client.runs.session(session), (error) => error instanceof ProtocolError && error.code === 'SESSION_NOT_FOUND');
  });

  test('runs: cut again and again it misses and repeats nothing', long, async (t) => {
    const {proxy, client: cutOff} = await throughCuts(t, [3_001, 4_002, 2_503]);
    const {session_id: session} = await client.runs.createSession({agent: 'slow'});
    const {run_id: run} = await client.runs.send(session, {message: 'say exactly: ' + WORDS});
    const stream = cutOff.runs.stream(session, run);
    const events = await read(stream);
    assert.equal(events.filter((event) => event.type === 'assistant_delta').map((event) => event.payload.text).join(''), WORDS);
    assert.deepEqual(events, await read(client.runs.stream(session, run)));
    assert.deepEqual(proxy.lastEventIds().map((id) => id !== null), [false, true, true, true]);
  });

  test('runs: the server is killed and comes back', long, async (t) => {
    const own = await new Server().start();
    t.after(() => own.end());
    const lasting = new Braidlog({baseUrl: own.url, retry: {attempts: 40, baseMs: 50, maxMs: 500}});
    const {session_id: session} = await lasting.runs.createSession({agent: 'slow'});
    const {run_id: run} = await lasting.runs.send(session, {message: 'say exactly: ' + WORDS});
    const events = [];
    for await (const event of lasting.runs.stream(session, run)) {
      events.push(event);
      if (events.length !== 20) continue;
      await own.kill();
      await own.start();
    }
    assert.equal(events.filter((event) => event.type === 'run_started').length, 1);
    assert.deepEqual(events, await read(lasting.runs.stream(session, run)));
  });

  test('runs: a lost answer to a message starts no second run', long, async (t) => {
    const {session_id: session} = await client.runs.createSession({agent: 'slow'});
    const {proxy, client: cutOff} = await throughCuts(t, [0, 20]);
    await cutOff.runs.send(session, {message: 'say exactly: ' + WORDS});
    assert.equal(proxy.requests().filter((head) => head.startsWith('POST')).length, 3);
    assert.equal((await client.runs.list(session)).items.length, 1);
    await assert.rejects(client.runs.send(session, {message: 'another'}), (error) => {
      assert.ok(error instanceof ProtocolError);
      assert.deepEqual([error.status, error.code], [409, 'ACTIVE_RUN_EXISTS']);
      assert.match(error.details.run_id, /^run_/);
      return true;
    });
  });

  test('runs: an interrupted and a failed run are errors of the run', long, async () => {
    const {session_id: session} = await client.runs.createSession({agent: 'slow'});
    const {run_id: run} = await client.runs.send(session, {message: 'a long story about lighthouses'});
    await client.runs.interrupt(session, run);
    await assert.rejects(client.runs.stream(session, run).result(), (error) => error instanceof RunError && error.code === 'INTERRUPTED');
    const {session_id: bad} = await client.runs.createSession({agent: 'failing'});
    const {run_id: failed} = await client.runs.send(bad, {message: 'hello'});
    await assert.rejects(client.runs.stream(bad, failed).result(), (error) => error instanceof RunError && error.code === 'UPSTREAM_TRUNCATED');
  });

  test('chat: events, result, files and the whole answer at once', long, async () => {
    const stream = client.chat.stream('support', {message: 'Is my tent still under warranty?'});
    const events = await read(stream);
    assert.deepEqual(typesOf(events), ['stream_start', 'tool_call_start', 'tool_call_args', 'tool_call_end', 'message_delta', 'stream_end']);
    const {session_id: session, content, tokens_used: tokens} = await stream.result();
    assert.match(content, /warranty\.md/);
    assert.ok(tokens.total_tokens > 0);
    const answer = await client.chat.ask('support', {message: 'say exactly: ' + ODD, session_id: session});
    assert.deepEqual([answer.content, answer.session_id], [ODD, session]);
    const files = [new File(['# Notes'], 'notes.md', {type: 'text/markdown'}), {content: 'YSxi', mime_type: 'text/csv', filename: 'b.csv'}];
    const form = await client.chat.stream('support', {message: 'Summarize the attached file', files}).result();
    const json = await client.chat.stream('support', {message: 'Summarize the attached file', files: files.slice(1)}).result();
    assert.deepEqual((await client.runs.files(form.session_id)).files.map((file) => file.path).sort(), ['b.csv', 'notes.md']);
    assert.deepEqual((await client.runs.files(json.session_id)).files.map((file) => file.path), ['b.csv']);
    assert.equal((await client.chat.health('support')).status, 'healthy');
    await assert.rejects(client.chat.ask('nobody', {message: 'hi'}), (error) => error instanceof ProtocolError && error.code === 'not-found');
    await assert.rejects(client.chat.stream('failing', {message: 'hi'}).result(), {name: 'RunError', code: 'agent-error'});
  });

  test('chat by GET: cut, it comes back to its run', long, async (t) => {
    const {proxy, client: cutOff} = await throughCuts(t, [3_000, 2_001]);
    const stream = cutOff.chat.stream('slow', {message: 'say exactly: ' + WORDS}, {method: 'GET'});
    const result = await stream.result();
    assert.equal(result.content, WORDS);
    assert.deepEqual(proxy.statuses(), [200, 200, 200]);
    assert.deepEqual((await client.runs.list(result.session_id)).items.map((run) => run.status), ['completed']);
  });

  test('chat by POST: cut, the run stops, and its end is told', long, async (t) => {
    const {client: cutOff} = await throughCuts(t, [3_000], {retry: {baseMs: 1_500}});
    const events = [];
    await read(cutOff.chat.stream('slow', {message: 'say exactly: ' + WORDS}), events);
    assert.deepEqual(typesOf(events), ['stream_start', 'message_delta', 'error']);
    assert.deepEqual([events.at(-1).data.status, events.at(-1).data.type], [499, 'https://holodeck.dev/errors/interrupted']);
    assert.deepEqual((await client.runs.list(events[0].data.session_id)).items.map((run) => run.status), ['interrupted']);
  });

  test('chat: break and abort stop the run', long, async () => {
    const controller = new AbortController();
    let session;
    const listen = async (options, stop) => {
      for await (const event of client.chat.stream('slow', {message: 'a long story about lighthouses'}, options)) {
        if (event.event === 'stream_start') session = event.data.session_id;
        if (event.event === 'message_delta' && stop()) break;
      }
    };
    const stops = () => until(async () => (await server.runs(session))[0].status === 'interrupted', 'the run to stop');
    await listen({}, () => true);
    await stops();
    await assert.rejects(listen({signal: controller.signal}, () => controller.abort()), {name: 'AbortError'});
    await stops();
  });

  test('conversation: with a cookie and with a key, cut by the network', long, async (t) => {
    await assert.rejects(client.conversation.ask({message: 'hello'}), (error) => error instanceof ProtocolError && error.status === 401);
    const ours = new Braidlog({baseUrl: server.url, ...human});
    const {session_id: session} = await ours.sessions.create({agent: 'slow'});
    const {proxy, client: cutOff} = await throughCuts(t, [0, 3_000, 2_001], human);
    const stream = cutOff.conversation.stream({message: 'say exactly: ' + WORDS, context: 'It is late.', conversation_id: session});
    const events = await read(stream);
    assert.deepEqual(typesOf(events), ['start', 'token', 'conversation', 'done']);
    assert.equal(events.filter((event) => event.type === 'token').map((event) => event.content).join(''), WORDS);
    assert.equal((await stream.result()).conversation.at(-1).content, WORDS);
    assert.equal((await server.runs(session)).length, 1);
    const asked = proxy.requests().filter((part) => part.startsWith('POST '));
    assert.deepEqual(asked.map((head) => /^last-event-id: evt_/im.test(head)), [false, false, true, true]);

    const run = (command, input) => execFileSync(server.process.spawnfile,
      [...command, '--data', path.join(server.folder, 'data')], {input}).toString().trim();
    run(['user', 'add', 'ann'], 'a long password\n');
    const ann = new Braidlog({baseUrl: server.url, apiKey: run(['key', 'create', 'ann'])});
    assert.equal((await ann.auth.me()).username, 'ann');
    const answer = await ann.conversation.ask({message: 'say exactly: ' + ODD});
    assert.equal(answer.response, ODD);
    const {history, next_cursor: next} = await ann.conversation.history({limit: 10});
    assert.deepEqual([history.map((one) => one.id), next], [[answer.conversation_id], null]);
    assert.equal((await ann.conversation.rename(answer.conversation_id, 'Odd')).title, 'Odd');
    assert.deepEqual((await ann.conversation.get(answer.conversation_id)).conversation, answer.conversation.conversation);
    await ann.conversation.delete(answer.conversation_id);
    await assert.rejects(ann.conversation.get(answer.conversation_id), {name: 'ProtocolError', status: 404, message: 'Conversation not found'});
    const foreign = ours.conversation.stream({message: 'x', conversation_id: answer.conversation_id});
    await assert.rejects(foreign.result(), {name: 'ProtocolError', status: 404});
  });

  test('sessions, agents, health, alerts', long, async () => {
    const made = await client.sessions.create({title: 'Spring cleaning'});
    assert.equal((await client.sessions.rename(made.id, 'Autumn')).title, 'Autumn');
    const detail = await client.sessions.get(made.id);
    assert.deepEqual([detail.status, detail.tasks, detail.activeRunId], ['planning', [], null]);
    assert.ok((await client.sessions.list({limit: 100})).sessions.some((session) => session.id === made.id));
    await client.sessions.delete(made.id);
    await assert.rejects(client.sessions.get(made.id), {name: 'ProtocolError', status: 404, code: null, message: 'Session not found'});
    assert.ok((await client.agents()).agents.some((agent) => agent.name === 'slow'));
    assert.equal((await client.health()).status, 'healthy');
    assert.deepEqual((await client.alerts({limit: 5})).alerts, []);
  });

  test('any run in any contract', long, async () => {
    const {session_id: session} = await client.chat.stream('support', {message: 'Is my tent still under warranty?'}).result();
    const [{run_id: run}] = await server.runs(session);
    const shown = ['runs', 'chat', 'conversation'].map((contract) => read(client.anyRun(run, contract)));
    const [runs, chat, conversation] = await Promise.all(shown);
    assert.deepEqual([runs.at(-1).type, chat.at(-1).event, conversation.at(-1).type], ['run_completed', 'stream_end', 'done']);
    const all = client.anyRun(run, 'all');
    const frames = await read(all);
    assert.equal(all.end, 'last event');
    assert.equal(frames.filter((frame) => frame.contract === 'runs').length, runs.length);
    assert.equal(frames.filter((frame) => frame.contract === 'conversation').length, conversation.length);
  });
});
