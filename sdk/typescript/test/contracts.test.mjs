// Each contract's own rules, told by a scripted server: endings, results, errors, and what is done when a stream is lost.
import assert from 'node:assert/strict';
import {File} from 'node:buffer';  // not a global in Node 18
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {Braidlog, NetworkError, ProtocolError, RunError, TruncatedError} from '../dist/index.js';
import {scripted} from './scripted_server.mjs';

const named = (event, data, id) => `event: ${event}\n${id ? `id: ${id}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
const task = (event) => named(event.type, event);
const plain = (event, id) => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
const clientOf = (server) => new Braidlog({baseUrl: server.url, retry: {baseMs: 2, maxMs: 10}});
const quick = {timeout: 20_000};

async function read(stream, seen = []) {
  for await (const event of stream) seen.push(event);
  return seen;
}

const types = (events) => events.map((event) => event.type ?? event.event);

test('steps: error does not end it, done does', quick, async (t) => {
  const server = await scripted(t,
    (peer) => peer.stream(plain({type: 'message'}, 1), plain({type: 'error', error: 'Run interrupted'}, 2), plain({type: 'done'}, 3)),
    (peer) => peer.stream(plain({type: 'final', step_number: 1, output: {n: 1}}, 1), plain({type: 'done'}, 2)));
  const failed = clientOf(server).steps.stream('s', {query: 'q'});
  assert.deepEqual(types(await read(failed)), ['message', 'error', 'done']);
  await assert.rejects(failed.result(), (error) => error instanceof RunError && error.message === 'Run interrupted');
  assert.deepEqual(await clientOf(server).steps.stream('s', {query: 'q'}).result(), {n: 1});
  assert.equal(server.requests[0].target, '/sessions/s/stream');
});

test('runs: three endings', quick, async (t) => {
  const started = named('run_started', {type: 'run_started', payload: {}}, 1);
  const end = (type, payload) => (peer) => peer.stream(started, named(type, {type, payload}, 2));
  const server = await scripted(t, end('run_completed', {final_text: 'Done.'}),
    end('run_failed', {error_code: 'MAX_STEPS', message: 'too many'}), end('run_interrupted', {status: 'interrupted'}));
  const stream = () => clientOf(server).runs.stream('s', 'r');
  assert.equal(await stream().result(), 'Done.');
  await assert.rejects(stream().result(), (error) => error instanceof RunError && error.code === 'MAX_STEPS');
  await assert.rejects(stream().result(), (error) => error instanceof RunError && error.code === 'INTERRUPTED');
  assert.equal(server.requests[0].target, '/api/v1/sessions/s/runs/r/stream');
});

test('chat: the type is in the event line, since an error has a type of its own', quick, async (t) => {
  const problem = {type: 'https://holodeck.dev/errors/interrupted', title: 'Interrupted', status: 499, detail: 'The run was interrupted'};
  const server = await scripted(t,
    (peer) => peer.cutStream(named('stream_start', {session_id: 'S', message_id: 'M'}, 1), named('message_delta', {delta: 'a'}, 2)),
    (peer) => peer.stream(named('message_delta', {delta: 'b'}, 3), named('stream_end', {message_id: 'M', tokens_used: null, execution_time_ms: 5}, 4)),
    (peer) => peer.stream(named('stream_start', {session_id: 'S', message_id: 'M'}, 1), named('error', problem, 2)));
  const stream = clientOf(server).chat.stream('support', {message: 'hi'});
  assert.deepEqual(types(await read(stream)), ['stream_start', 'message_delta', 'message_delta', 'stream_end']);
  assert.deepEqual(await stream.result(), {session_id: 'S', content: 'ab', message_id: 'M', tokens_used: null, execution_time_ms: 5});
  assert.deepEqual(server.requests.map(({method, target}) => `${method} ${target}`), Array(2).fill('POST /agent/support/chat/stream'));
  assert.deepEqual(server.ids(), [null, '2']);
  const stopped = clientOf(server).chat.stream('support', {message: 'hi'});
  assert.deepEqual((await read(stopped)).at(-1), {event: 'error', data: problem});
  await assert.rejects(stopped.result(), (error) => error instanceof RunError && error.code === 'interrupted');
});

test('chat by GET, with a key, and with a form', quick, async (t) => {
  const end = (peer) => peer.stream(named('stream_end', {message_id: 'M'}, 1));
  const server = await scripted(t, end, end, end);
  const client = clientOf(server);
  await client.chat.stream('a b', {message: 'x&y', session_id: 'S'}, {method: 'GET'}).result();
  assert.equal(server.requests[0].target, '/agent/a%20b/chat/stream?message=x%26y&session_id=S');
  assert.ok(server.keys()[0]);
  const files = [new File(['hello'], 'a.txt', {type: 'text/plain'}), {content: 'aMOk', mime_type: 'text/plain', filename: 'b.txt'}];
  await client.chat.stream('support', {message: 'hi', files}).result();
  assert.match(server.requests[1].headers['content-type'], /^multipart\/form-data; boundary=/);
  assert.match(server.requests[1].body, /name="files"; filename="a.txt"[^]*hello[^]*filename="b.txt"[^]*h\xc3\xa4/);
  await client.chat.stream('support', {message: 'hi', files: files.slice(1)}).result();
  assert.deepEqual(JSON.parse(server.requests[2].body), {message: 'hi', files: files.slice(1)});
  assert.throws(() => client.chat.stream('support', {message: 'hi', files}, {method: 'GET'}), TypeError);
});

// ---- tasks ----

const SELECTED = task({type: 'task_selected', taskId: 't1'});
const session = (activeRunId) => ({id: 's', activeRunId, tasks: []});

test('tasks: an error with a task goes on, one without ends it', quick, async (t) => {
  const failed = task({type: 'error', taskId: 't1', error: 'no such page'});
  const server = await scripted(t,
    (peer) => peer.stream(SELECTED, failed, task({type: 'done', summary: {total: 1, completed: 0, failed: 1}})),
    (peer) => peer.stream(SELECTED, task({type: 'error', error: 'Run interrupted'})),
    (peer) => peer.stream(task({type: 'content', content: 'Which '}), task({type: 'content', content: 'market?'}), task({type: 'done'})));
  const client = clientOf(server);
  assert.deepEqual(await client.tasks.execute('s').result(), {total: 1, completed: 0, failed: 1});
  await assert.rejects(client.tasks.execute('s').result(), RunError);
  assert.deepEqual(await client.tasks.chat('s', {message: 'Help'}).result(), {content: 'Which market?', tasks: null});
  assert.deepEqual(server.requests.map((request) => request.target), ['/sessions/s/execute', '/sessions/s/execute', '/sessions/s/chat']);
  assert.equal(server.requests[0].body, '{}');
});

test('tasks: a lost stream is not asked for again once something was seen', quick, async (t) => {
  const server = await scripted(t, (peer) => peer.cut(), (peer) => peer.cutStream(SELECTED));
  const stream = clientOf(server).tasks.execute('s');
  const seen = [];
  await assert.rejects(read(stream, seen), TruncatedError);
  assert.deepEqual(types(seen), ['task_selected']);
  assert.deepEqual(server.keys(), [stream.idempotencyKey, stream.idempotencyKey], 'before that it is, with its key');
  assert.deepEqual(server.ids(), [null, null]);
});

test('tasks: executeToEnd looks at the session instead, until the run is over', quick, async (t) => {
  const server = await scripted(t, (peer) => peer.cutStream(SELECTED),
    (peer) => peer.json(200, session('r')), (peer) => peer.cut(), (peer) => peer.json(200, session('r')),
    (peer) => peer.json(200, session(null)));
  const seen = [];
  const state = await clientOf(server).tasks.executeToEnd('s', (event) => seen.push(event), {everyMs: 5});
  assert.deepEqual(state, session(null));
  assert.deepEqual(types(seen), ['task_selected']);
  assert.deepEqual(server.requests.slice(1).map(({method, target}) => `${method} ${target}`), Array(4).fill('GET /sessions/s'));
});

test('tasks: executeToEnd passes on what is not a lost stream', quick, async (t) => {
  let left;
  const server = await scripted(t, (peer) => { left = peer.gone(); return peer.stream(SELECTED); },
    (peer) => peer.stream(SELECTED, task({type: 'error', error: 'Run interrupted'})),
    (peer) => peer.json(409, {error: 'No pending task', code: 'CONFLICT'}));
  const mine = new NetworkError('of my own request');
  await assert.rejects(clientOf(server).tasks.executeToEnd('s', () => { throw mine; }), (error) => error === mine);
  await left;
  await assert.rejects(clientOf(server).tasks.executeToEnd('s'), RunError);
  await assert.rejects(clientOf(server).tasks.executeToEnd('s'), (error) => error instanceof ProtocolError && error.code === 'CONFLICT');
});

test('tasks: settled can be aborted', quick, async (t) => {
  const server = await scripted(t, (peer) => peer.json(200, session('r')));
  const controller = new AbortController();
  const settled = clientOf(server).tasks.settled('s', {signal: controller.signal, everyMs: 60_000});
  setTimeout(() => controller.abort(new Error('enough')), 200);
  await assert.rejects(settled, /enough/);
});

// ---- any run ----

test('anyRun: tasks begins anew and passes over what was seen; all ends with the last of the contracts', quick, async (t) => {
  const all = (contract, frame, id) => plain({contract, frame}, id);
  const reflection = task({type: 'reflection', taskId: 't1', text: 'x'});
  const completed = named('run_completed', {type: 'run_completed', payload: {}}, 2);
  const server = await scripted(t,
    (peer) => peer.cutStream(SELECTED, reflection),
    (peer) => peer.stream(SELECTED, reflection, task({type: 'done'})),
    (peer) => peer.cutStream(all('runs', named('run_started', {type: 'run_started'}, 1), '1.a0'), all('chat', named('stream_start', {}, 1), '1.a1')),
    (peer) => peer.endedStream(all('runs', completed, '2.a0')),
    (peer) => peer.endedStream(': keepalive\n\n'),
    (peer) => peer.endedStream(all('chat', named('stream_end', {}, 2), '2.a1'), all('tasks', task({type: 'done'}), '2.a2')));
  const client = clientOf(server);
  assert.deepEqual(types(await read(client.anyRun('r', 'tasks'))), ['task_selected', 'reflection', 'done']);
  assert.deepEqual(server.ids(), [null, null]);
  assert.equal(server.requests[0].target, '/runs/r/stream?contract=tasks');
  const stream = client.anyRun('r', 'all');
  assert.deepEqual((await read(stream)).map(({contract}) => contract), ['runs', 'chat', 'runs', 'chat', 'tasks']);
  assert.equal(stream.end, 'last event');
  assert.deepEqual(server.ids().slice(2), [null, '1.a1', '2.a0', '2.a0']);
});

// ---- errors ----

test('the errors of all contracts become one class', quick, async (t) => {
  const cases = [
    [400, {error: 'Query parameter is required'}, {code: null, message: 'Query parameter is required', details: null}],
    [409, {error: {code: 'ACTIVE_RUN_EXISTS', message: 'Busy', details: {run_id: 'run_1'}}},
      {code: 'ACTIVE_RUN_EXISTS', message: 'Busy', details: {run_id: 'run_1'}}],
    [404, {type: 'https://holodeck.dev/errors/not-found', title: 'Not Found', status: 404, detail: 'There is no agent named x', instance: 'req_1'},
      {code: 'not-found', message: 'There is no agent named x', details: null}],
    [422, {detail: 'message is required'}, {code: null, message: 'message is required', details: 'message is required'}],
    [422, {error: 'Bad', code: 'VALIDATION_ERROR', message: '`message` is required', detail: {field: 'message'}},
      {code: 'VALIDATION_ERROR', message: '`message` is required', details: {field: 'message'}}],
    [404, [], {code: null, message: 'HTTP 404 Whatever', details: null}],
    [410, {error: {code: 'REPLAY_UNAVAILABLE', message: 'Gone', details: {}}}, {code: 'REPLAY_UNAVAILABLE', message: 'Gone', details: {}}],
  ];
  const server = await scripted(t, ...cases.map(([status, body]) => (peer) => peer.json(status, body, {'Retry-After': '7'})));
  for (const [status, body, expected] of cases) {
    await assert.rejects(read(clientOf(server).runs.stream('s', 'r')), (error) => {
      assert.ok(error instanceof ProtocolError && !(error instanceof NetworkError));
      const {code, message, details} = error;
      assert.deepEqual({code, message, details}, expected);
      assert.deepEqual([error.status, error.retryAfter, error.body], [status, 7, body]);
      return true;
    });
  }
});

test('an id from outside is one segment of the path', quick, async (t) => {
  const server = await scripted(t, (peer) => peer.json(404, {error: 'Session not found'}), (peer) => peer.json(200, 'x'));
  const client = clientOf(server);
  await assert.rejects(client.sessions.get('a/../b?c#d'), ProtocolError);
  assert.equal(server.requests[0].target, '/sessions/a%2F..%2Fb%3Fc%23d');
  for (const id of ['', '.', '..']) assert.throws(() => client.sessions.get(id), TypeError);
  assert.equal(await (await client.runs.download('s', 'notes/ü 1.md')).text(), '"x"');
  assert.equal(server.requests[1].target, '/api/v1/sessions/s/files/notes/%C3%BC%201.md');
  assert.throws(() => client.runs.download('s', '../x'), TypeError);
});

test('credentials, own headers, own fetch, a key that changes', quick, async () => {
  const calls = [];
  const fetch = async (url, init) => { calls.push({url, init}); return Response.json({sessions: [], total: 0}); };
  let key = 0;
  const apiKey = async () => `k${++key}`;
  const client = new Braidlog({baseUrl: 'http://example.test/', apiKey, credentials: 'include', headers: {'X-Own': '1'}, fetch});
  await client.sessions.list({status: 'planning', limit: 5});
  await client.sessions.list();
  assert.deepEqual(calls.map((call) => call.url), ['http://example.test/sessions?status=planning&limit=5', 'http://example.test/sessions']);
  assert.deepEqual(calls.map((call) => call.init.headers.get('Authorization')), ['Bearer k1', 'Bearer k2']);
  assert.equal(calls[0].init.credentials, 'include');
  assert.equal(calls[0].init.headers.get('X-Own'), '1');
  await new Braidlog({baseUrl: 'http://example.test', fetch}).sessions.list();
  assert.equal(calls[2].init.headers.has('Authorization'), false);
  assert.throws(() => new Braidlog(), TypeError, 'outside a page there is no origin to begin with');
});

test('the package has the version of the tree', () => {
  const {version} = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  assert.match(readFileSync(new URL('../../../CMakeLists.txt', import.meta.url), 'utf8'), new RegExp(`project\\(braidlog VERSION ${version} `));
});
