// The client in Chromium, as the modules that tsc wrote: on the server's own origin with a cookie, and from another with
// a key. Skipped where there is no browser, unless BRAIDLOG_REQUIRE_BROWSER=1.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {accessSync, constants, readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';
import {CuttingProxy} from '../../../test/clients/cutting_proxy.mjs';
import {Server, until} from '../../../test/clients/server.mjs';

const executablePath = process.env.BRAIDLOG_CHROMIUM ?? '/usr/bin/chromium';
const WORDS = Array.from({length: 120}, (_, i) => `word${i}`).join(' ');
const server = new Server({limits: {client_return_grace: 6_000}});
const long = {timeout: 60_000};
let browser;

function missing() {
  if (process.env.BRAIDLOG_REQUIRE_BROWSER === '1') return false;
  if (Number(process.versions.node.split('.')[0]) < 20) return 'playwright-core needs Node 20';
  try {
    accessSync(executablePath, constants.X_OK);
    return false;
  } catch {
    return `no browser at ${executablePath}`;
  }
}

// A page of this address, with the client in `window.sdk`. The modules come from dist/, whatever the page's origin.
async function open(t, url) {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.route('**/sdk/**', (route) => route.fulfill({
    contentType: 'text/javascript',
    body: readFileSync(new URL(`../dist/${new URL(route.request().url()).pathname.replace(/^\/sdk\//, '')}`, import.meta.url)),
  }));
  await page.goto(url);
  await page.evaluate(async () => { window.sdk = await import('/sdk/index.js'); });
  return page;
}

describe('Chromium', {concurrency: true, skip: missing()}, () => {
  before(async () => {
    const {chromium} = await import('playwright-core');
    [browser] = await Promise.all([chromium.launch({executablePath, args: ['--no-sandbox', '--disable-gpu']}), server.start()]);
  });
  after(async () => {
    await browser?.close();
    await server.end();
  });

  test('a login, and a conversation that the network cuts', long, async (t) => {
    const proxy = await new CuttingProxy(server.port).listen();
    t.after(() => proxy.close());
    const page = await open(t, `${proxy.url}/health`);
    await page.exposeFunction('cut', () => { for (const socket of proxy.sockets) socket.destroy(); });
    const seen = await page.evaluate(async (words) => {
      const braid = new window.sdk.Braidlog({retry: {baseMs: 20}});
      const refused = await braid.conversation.ask({message: 'hi'}).catch((error) => [error.name, error.status, error.message]);
      await braid.auth.login({username: 'demo', password: 'demo'});
      const {id} = await braid.sessions.create({agent: 'slow'});
      const notices = [];
      const stream = braid.conversation.stream({message: 'say exactly: ' + words, conversation_id: id},
        {onRetry: (notice) => notices.push(notice.error.name)});
      const events = [];
      for await (const event of stream) {
        events.push(event);
        if (events.length === 10 || events.length === 30) await window.cut();
      }
      return {refused, id, events, notices, end: stream.end, title: (await stream.result()).title};
    }, WORDS);
    assert.deepEqual(seen.refused, ['ProtocolError', 401, 'Authentication required']);
    assert.equal(seen.events.filter((event) => event.type === 'token').map((event) => event.content).join(''), WORDS);
    assert.deepEqual([seen.events[0].type, seen.events.at(-1).type, seen.end], ['start', 'done', 'last event']);
    assert.equal(seen.title, 'New Session');
    assert.ok(seen.notices.length >= 2 && seen.notices.includes('TruncatedError'), String(seen.notices));
    assert.deepEqual((await server.runs(seen.id)).map((run) => run.status), ['completed']);
  });

  test('chat: by GET it comes back after a cut; abort stops it', long, async (t) => {
    const proxy = await new CuttingProxy(server.port).listen();
    t.after(() => proxy.close());
    const page = await open(t, `${proxy.url}/health`);
    await page.exposeFunction('cut', () => { for (const socket of proxy.sockets) socket.destroy(); });
    const seen = await page.evaluate(async (words) => {
      const braid = new window.sdk.Braidlog({retry: {baseMs: 20}});
      const stream = braid.chat.stream('slow', {message: 'say exactly: ' + words}, {method: 'GET'});
      let count = 0;
      for await (const _ of stream) if ((count += 1) === 15) await window.cut();
      const controller = new AbortController();
      let session;
      const error = await (async () => {
        for await (const event of braid.chat.stream('slow', {message: 'a long story'}, {signal: controller.signal})) {
          if (event.event === 'stream_start') session = event.data.session_id;
          if (event.event === 'message_delta') controller.abort();
        }
      })().catch((thrown) => thrown);
      return {result: await stream.result(), session, name: error.name};
    }, WORDS);
    assert.equal(seen.result.content, WORDS);
    assert.deepEqual((await server.runs(seen.result.session_id)).map((run) => run.status), ['completed']);
    assert.equal(seen.name, 'AbortError');
    await until(async () => (await server.runs(seen.session))[0].status === 'interrupted', 'the run to stop');
  });

  test('steps and tasks', long, async (t) => {
    const page = await open(t, `${server.url}/health`);
    const seen = await page.evaluate(async () => {
      const braid = new window.sdk.Braidlog();
      const {id} = await braid.sessions.create({agent: 'analyst'});
      const types = [];
      for await (const event of braid.steps.stream(id, {query: 'What is 6 * 7?'})) types.push(event.type);
      const {id: plan} = await braid.sessions.create({agent: 'planner'});
      const {tasks} = await braid.tasks.chat(plan, {message: 'Plan the launch of our new product'}).result();
      const events = [];
      const state = await braid.tasks.executeToEnd(plan, (event) => events.push(event.type));
      const artifact = await (await braid.tasks.download(plan, state.artifacts[0].id)).text();
      return {types, events, artifact, planned: tasks.length, done: state.tasks.map((task) => task.status)};
    });
    assert.match(seen.types.join(' '), /^message( step)+ final done$/);
    assert.deepEqual([seen.events[0], seen.events.at(-1)], ['task_selected', 'done']);
    assert.deepEqual(seen.done, Array(seen.planned).fill('done'));
    assert.ok(seen.artifact.length > 0);
  });

  test('from another origin, with a key', long, async (t) => {
    const site = createServer((_, reply) => reply.setHeader('Content-Type', 'text/html').end('<!doctype html><title>site</title>'));
    await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
    t.after(() => site.close());
    const command = (words, input) => execFileSync(server.process.spawnfile,
      [...words, '--data', path.join(server.folder, 'data')], {input, stdio: ['pipe', 'pipe', 'ignore']}).toString().trim();
    command(['user', 'add', 'ann'], 'a long password\n');
    const key = command(['key', 'create', 'ann']);
    const proxy = await new CuttingProxy(server.port).listen();
    t.after(() => proxy.close());
    const page = await open(t, `http://localhost:${site.address().port}/`);
    await page.exposeFunction('cut', () => { for (const socket of proxy.sockets) socket.destroy(); });
    const seen = await page.evaluate(async ([baseUrl, apiKey, words]) => {
      const braid = new window.sdk.Braidlog({baseUrl, apiKey, retry: {baseMs: 20}});
      const {session_id: session} = await braid.runs.createSession({agent: 'slow'});
      const {run_id: run} = await braid.runs.send(session, {message: 'say exactly: ' + words});
      const stream = braid.runs.stream(session, run);
      let count = 0;
      for await (const _ of stream) if ((count += 1) === 20) await window.cut();
      const refused = await braid.runs.approve(session, 'appr_x').catch((error) => [error.status, error.code]);
      const nobody = new window.sdk.Braidlog({baseUrl: 'http://127.0.0.1:1', retry: {attempts: 1, baseMs: 1}});
      const away = await nobody.sessions.list().catch((error) => error.name);
      return {text: await stream.result(), refused, away, who: (await braid.auth.me()).username};
    }, [proxy.url, key, WORDS]);
    assert.deepEqual(seen, {text: WORDS, refused: [404, 'APPROVAL_NOT_FOUND'], away: 'NetworkError', who: 'ann'});
  });
});
