// The loop that a page writes around fetch: decode what a read brings, keep the last piece of a line, look at each line
// that begins with "data: ". Nothing more; if it works here, it works in what people have.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {Server, until} from './server.mjs';

const ODD = 'one\u0085two\u2028three\u2029four "five" \\ 😀\n\ndata: {"type":"done"}\n\nsix';
const server = new Server({agents: {quiet: 'fail: provider_error'}});
before(() => server.start());
after(() => server.end());

async function readLoop(url, {headers = {}, body, until: enough = () => false}) {
  const response = await fetch(url, {method: 'POST', headers: {'Content-Type': 'application/json', ...headers},
    body: JSON.stringify(body)});
  assert.equal(response.status, 200, await (response.ok ? '' : response.text()));
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const events = [];
  let rest = '';
  for (;;) {
    const {done, value} = await reader.read();
    if (done) break;
    const lines = (rest + decoder.decode(value, {stream: true})).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)));
    }
    if (enough(events)) { await reader.cancel(); break; }
  }
  assert.equal(rest, '', 'nothing is left of a line at the end');
  return events;
}

const text = (events) => events.filter((event) => event.type === 'token').map((event) => event.content).join('');

test('a conversation', {timeout: 30_000}, async () => {
  const Cookie = await server.cookie();
  const events = await readLoop(`${server.url}/agent/stream`, {headers: {Cookie}, body: {message: 'say exactly: ' + ODD}});
  assert.equal(events[0].type, 'start');
  assert.deepEqual(events.slice(-2).map((event) => event.type), ['conversation', 'done']);
  assert.equal(text(events), ODD);
  const messages = events.at(-2).conversation.conversation;
  assert.deepEqual(messages.map((message) => [message.role, message.content]), [['user', 'say exactly: ' + ODD], ['assistant', ODD]]);

  const more = await readLoop(`${server.url}/agent/stream`,
    {headers: {Cookie}, body: {message: 'what is the system status?', context: null, conversation_id: events[0].conversation_id}});
  const tools = more.filter((event) => event.type.startsWith('tool_'));
  assert.deepEqual(tools.map((event) => [event.type, event.tool_name]), [['tool_start', 'system_status'], ['tool_end', 'system_status']]);
  assert.equal(more.at(-2).conversation.conversation.length, 4);
});

test('a conversation goes on when the page is closed', {timeout: 30_000}, async () => {
  const Cookie = await server.cookie();
  const slow = await (await fetch(`${server.url}/sessions`, {method: 'POST', headers: {Cookie, 'Content-Type': 'application/json'},
    body: JSON.stringify({agent: 'slow'})})).json();
  const words = Array.from({length: 60}, (_, i) => `word${i}`).join(' ');
  const events = await readLoop(`${server.url}/agent/stream`, {headers: {Cookie}, body: {message: 'say exactly: ' + words,
    conversation_id: slow.id}, until: (seen) => text(seen).length > 20});
  assert.ok(text(events).length < words.length);
  const stored = await until(async () => {
    const reply = await fetch(`${server.url}/agent/conversations/${slow.id}`, {headers: {Cookie}});
    const {conversation} = await reply.json();
    return conversation.length === 2 && conversation;
  }, 'the answer to be stored');
  assert.equal(stored[1].content, words);
});

test('without the cookie there is nothing', {timeout: 30_000}, async () => {
  const reply = await fetch(`${server.url}/agent/stream`, {method: 'POST', headers: {'Content-Type': 'application/json'},
    body: JSON.stringify({message: 'hello'})});
  assert.equal(reply.status, 401);
  assert.deepEqual(await reply.json(), {detail: 'Authentication required'});
});

test('the same loop on chat, and a reader that is cancelled stops the run', {timeout: 30_000}, async () => {
  const url = (agent) => `${server.url}/agent/${agent}/chat/stream`;
  const events = await readLoop(url('slow'), {body: {message: 'say exactly: ' + ODD}});
  assert.equal(events.filter((event) => 'delta' in event).map((event) => event.delta).join(''), ODD);
  assert.ok('execution_time_ms' in events.at(-1));
  const failed = await readLoop(url('quiet'), {body: {message: 'hello'}});
  assert.equal(failed.at(-1).status, 500);
  const left = await readLoop(url('slow'), {body: {message: 'a long story about lighthouses'}, until: (seen) => seen.length > 5});
  await until(async () => (await server.runs(left[0].session_id))[0].status === 'interrupted', 'the run to stop', 3_000);
});
