// Chromium itself: its own EventSource on chat's GET, a page's fetch loop with the cookie, and pages of other sites.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {CuttingProxy} from '../clients/cutting_proxy.mjs';
import {Server, until} from '../clients/server.mjs';
import {closed, emptySite, launch, open, seen, watch} from './chromium.mjs';

const ODD = 'one\u0085two\u2028three\u2029four "five" \\ 😀\n\ndata: {"type":"done"}\n\nsix';
// Chromium waits three seconds before it comes back: the run must be there that long, and a little longer.
const server = new Server({agents: {failing: 'fail: truncated'}, limits: {client_return_grace: 6_000}});
let browser;
before(async () => { [browser] = await Promise.all([launch(), server.start()]); });
after(async () => { await browser?.close(); await server.end(); });

const chat = (base, agent, message) => `${base}/agent/${agent}/chat/stream?${new URLSearchParams({message})}`;
const sessions = async () => (await (await fetch(`${server.url}/sessions?limit=1`)).json()).total;

describe('EventSource', {concurrency: true}, () => {
  test('reads chat, and left open after the end it starts nothing', {timeout: 60_000}, async (t) => {
    const proxy = await new CuttingProxy(server.port).listen();
    t.after(() => proxy.close());
    const page = await open(browser, t, `${proxy.url}/health`);
    await watch(page, chat('', 'support', 'Is my tent still under warranty?'));
    await closed(page);
    const {events, text, problems} = await seen(page);
    assert.deepEqual(events.map((event) => event.type).filter((type, i, all) => type !== all[i - 1]),
      ['stream_start', 'tool_call_start', 'tool_call_args', 'tool_call_end', 'message_delta', 'stream_end']);
    assert.match(text, /warranty\.md/);
    assert.deepEqual(problems, []);
    const asked = proxy.requests().filter((head) => head.includes('/chat/stream'));
    assert.equal(asked.length, 2, 'once for the run, and once to hear that there is no more');
    assert.ok(asked[1].includes(events.at(-1).id));
    assert.equal(proxy.statuses().at(-1), 204);
    assert.equal((await server.runs(events[0].data.session_id)).length, 1);
  });

  test('an error event has its data', {timeout: 60_000}, async (t) => {
    const page = await open(browser, t, `${server.url}/health`);
    await watch(page, chat('', 'failing', 'hello'));
    await closed(page);
    const {problems, errors, events} = await seen(page);
    assert.equal(problems.length, 1);
    assert.equal(problems[0].status, 500);
    assert.ok(errors >= 1, 'and the browser says, too, that the connection is gone');
    assert.equal((await server.runs(events[0].data.session_id)).length, 1);
  });

  test('odd text is exact', {timeout: 60_000}, async (t) => {
    const page = await open(browser, t, `${server.url}/health`);
    await watch(page, chat('', 'slow', 'say exactly: ' + ODD));
    await page.waitForFunction(() => window.seen.events.some((event) => event.type === 'stream_end'));
    assert.equal((await seen(page)).text, ODD);
  });

  test('after a cut it comes back to its run and misses nothing', {timeout: 60_000}, async (t) => {
    const text = Array.from({length: 200}, (_, i) => `word${i}`).join(' ');
    const proxy = await new CuttingProxy(server.port, [9_000, 9_000]).listen();
    t.after(() => proxy.close());
    const page = await open(browser, t, `${proxy.url}/health`);
    await watch(page, chat('', 'slow', 'say exactly: ' + text));
    await page.waitForFunction(() => window.seen.events.some((event) => event.type === 'stream_end'), undefined, {timeout: 50_000});
    const {events, text: heard} = await seen(page);
    assert.equal(heard, text);
    assert.equal(new Set(events.map((event) => event.id)).size, events.length);
    assert.ok(proxy.lastEventIds().some((id) => id), 'it was cut and came back');
    assert.deepEqual((await server.runs(events[0].data.session_id)).map((run) => run.status), ['completed']);
  });

  test('a closed tab stops the run, after the time in which it could come back', {timeout: 60_000}, async (t) => {
    const page = await open(browser, t, `${server.url}/health`);
    await watch(page, chat('', 'slow', 'a long story about lighthouses'));
    await page.waitForFunction(() => window.seen.events.length > 5);
    const session = (await seen(page)).events[0].data.session_id;
    await page.close();
    assert.equal((await server.runs(session))[0].status, 'running');
    await until(async () => (await server.runs(session))[0].status === 'interrupted', 'the run to stop', 8_000);
  });

  test('a page of this machine may, in --dev, from another port', {timeout: 60_000}, async (t) => {
    const site = await emptySite();
    t.after(() => site.close());
    const page = await open(browser, t, site.url('localhost'));
    await watch(page, chat(server.url, 'slow', 'say exactly: hello there'));
    await page.waitForFunction(() => window.seen.events.some((event) => event.type === 'stream_end'));
    assert.equal((await seen(page)).text, 'hello there');
  });
});

describe('fetch', {concurrency: true}, () => {
  // What a page writes: read, decode, split into lines, keep the last piece, parse what follows "data: ".
  const readLoop = (page, path, body, enough = 1e9) => page.evaluate(async ([path, body, enough]) => {
    const response = await fetch(path, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});
    if (response.status !== 200) return [{status: response.status, ...await response.json()}];
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const events = [];
    let rest = '';
    for (;;) {
      const {done, value} = await reader.read();
      if (done) return events;
      const lines = (rest + decoder.decode(value, {stream: true})).split('\n');
      rest = lines.pop();
      for (const line of lines) if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)));
      if (events.length >= enough) return events;  // and the stream stays open
    }
  }, [path, body, enough]);

  const logIn = (page) => page.evaluate(async () => (await fetch('/auth/login', {method: 'POST',
    headers: {'Content-Type': 'application/json'}, body: JSON.stringify({username: 'demo', password: 'demo'})})).status);

  test('a conversation with the cookie of a login', {timeout: 60_000}, async (t) => {
    const page = await open(browser, t, `${server.url}/health`);
    assert.deepEqual(await readLoop(page, '/agent/stream', {message: 'hello'}), [{status: 401, detail: 'Authentication required'}]);
    assert.equal(await logIn(page), 200);
    assert.equal(await page.evaluate(() => document.cookie), '', 'no script reads the cookie');
    const events = await readLoop(page, '/agent/stream', {message: 'say exactly: ' + ODD});
    assert.equal(events[0].type, 'start');
    assert.equal(events.at(-1).type, 'done');
    assert.equal(events.filter((event) => event.type === 'token').map((event) => event.content).join(''), ODD);
    assert.equal(events.at(-2).conversation.conversation[1].content, ODD);
    assert.equal(await page.evaluate(async () => (await fetch('/auth/logout', {method: 'POST'})).status), 204);
    assert.equal((await readLoop(page, '/agent/stream', {message: 'hello'}))[0].status, 401);
  });

  test('a closed tab stops chat at once and lets a conversation go on', {timeout: 60_000}, async (t) => {
    const page = await open(browser, t, `${server.url}/health`);
    assert.equal(await logIn(page), 200);
    const made = await page.evaluate(async () => (await fetch('/sessions', {method: 'POST',
      headers: {'Content-Type': 'application/json'}, body: JSON.stringify({agent: 'slow'})})).json());
    const words = Array.from({length: 100}, (_, i) => `word${i}`).join(' ');
    const [started] = await readLoop(page, '/agent/slow/chat/stream', {message: 'a long story about lighthouses'}, 5);
    await readLoop(page, '/agent/stream', {message: 'say exactly: ' + words, conversation_id: made.id}, 5);
    await page.close();
    await until(async () => (await server.runs(started.session_id))[0].status === 'interrupted', 'chat to stop', 2_000);
    await until(async () => (await server.runs(made.id))[0].status === 'completed', 'the conversation to go on');
  });
});

// Runs in a page of another site, with the cookie of the user in the browser: all that a page can send without asking.
async function tryEverything(base) {
  const target = (way) => `${base}/agent/support/chat/stream?message=hello&way=${way}`;
  const element = (name, way, parent) => new Promise((resolve) => {
    const made = document.createElement(name);
    made.onload = made.onerror = resolve;
    made.src = target(way);
    parent.append(made);
  });
  const source = () => new Promise((resolve) => {
    const made = new EventSource(target('source'), {withCredentials: true});
    made.onerror = () => { made.close(); resolve(); };
  });
  const send = (url, options) => fetch(url, {credentials: 'include', ...options}).catch(() => {});
  const post = (url, options) => send(url, {method: 'POST', mode: 'no-cors', ...options});
  const form = new FormData();
  form.set('message', 'hello');
  const body = '{"message":"hello"}';
  navigator.sendBeacon(target('beacon'), body);
  await Promise.all([
    element('img', 'image', document.body), element('script', 'script', document.head), element('iframe', 'frame', document.body),
    source(), send(target('fetch'), {mode: 'no-cors'}), post(target('text'), {headers: {'Content-Type': 'text/plain'}, body}),
    post(target('form'), {body: form}), post(`${base}/agent/stream?way=conversation`, {body}),
    send(target('json'), {method: 'POST', headers: {'Content-Type': 'application/json'}, body}),
  ]);
}

describe('other sites', () => {
  test('start nothing', {timeout: 60_000}, async (t) => {
    const site = await emptySite();
    t.after(() => site.close());
    const context = await browser.newContext();
    t.after(() => context.close());
    const own = await context.newPage();
    await own.goto(`${server.url}/health`);
    assert.equal(await own.evaluate(async () => (await fetch('/auth/login', {method: 'POST',
      headers: {'Content-Type': 'application/json'}, body: JSON.stringify({username: 'demo', password: 'demo'})})).status), 200);
    const before = await sessions();
    const proxy = await new CuttingProxy(server.port).listen();
    t.after(() => proxy.close());
    const page = await context.newPage();
    await page.goto(site.url('evil.test'));
    await page.evaluate(tryEverything, proxy.url);
    const asked = proxy.connections.map(({request}) => request).join('');
    for (const way of ['image', 'source', 'script', 'frame', 'fetch', 'text', 'form', 'conversation', 'beacon']) {
      assert.ok(asked.includes(`way=${way}`), `${way} never came to the server`);
    }
    // All of them are refused; the one that a preflight asks for first is not even sent.
    assert.deepEqual([...new Set(proxy.statuses())].sort(), [204, 403]);
    assert.equal(proxy.statuses().filter((status) => status === 204).length, asked.match(/OPTIONS \//g).length);
    assert.ok(!asked.includes('POST /agent/support/chat/stream?message=hello&way=json'));
    assert.equal(await sessions(), before);
  });

  test('a name that points here is not ours', {timeout: 60_000}, async (t) => {
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    const reply = await page.goto(`http://evil.test:${server.port}/agent/support/chat/stream?message=hello`);
    assert.equal(reply.status(), 403);
  });
});
