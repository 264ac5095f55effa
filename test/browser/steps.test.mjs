// Chromium itself on the steps contract: its own EventSource, left open after the end, and pages of other sites.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {CuttingProxy} from '../clients/cutting_proxy.mjs';
import {Server} from '../clients/server.mjs';
import {closed, emptySite, launch, open} from './chromium.mjs';

const server = new Server();
let browser;
before(async () => { [browser] = await Promise.all([launch(), server.start()]); });
after(async () => { await browser?.close(); await server.end(); });

const makeSession = async (agent) => (await (await fetch(`${server.url}/sessions`, {method: 'POST',
  headers: {'Content-Type': 'application/json'}, body: JSON.stringify(agent ? {agent} : {})})).json()).id;
const link = (base, session, query) => `${base}/sessions/${session}/stream?${new URLSearchParams({query})}`;

// Runs in the page: events without a name come as `message`.
const watch = (page, url) => page.evaluate((address) => {
  const source = new EventSource(address);
  window.seen = {source, events: []};
  source.addEventListener('message', (event) => window.seen.events.push({id: event.lastEventId, ...JSON.parse(event.data)}));
}, url);
const events = (page) => page.evaluate(() => window.seen.events);

describe('EventSource on steps', {concurrency: true}, () => {
  test('reads the steps, and left open after done it starts nothing', {timeout: 60_000}, async (t) => {
    const proxy = await new CuttingProxy(server.port).listen();
    t.after(() => proxy.close());
    const session = await makeSession();
    const page = await open(browser, t, `${proxy.url}/health`);
    await watch(page, link('', session, 'What is 6 * 7?'));
    await closed(page);
    const seen = await events(page);
    assert.equal(seen[0].type, 'message');
    assert.equal(seen[1].step_type, 'planning');
    assert.deepEqual(seen.slice(-2).map((event) => event.type), ['final', 'done']);
    assert.match(String(seen.at(-2).output), /42/);
    const asked = proxy.requests().filter((head) => head.includes('/stream?'));
    assert.equal(asked.length, 2, 'once for the run, and once to hear that there is no more');
    assert.ok(asked[1].includes(seen.at(-1).id));
    assert.equal(proxy.statuses().at(-1), 204);
    assert.equal((await server.runs(session)).length, 1);
  });

  test('a reload while the agent works is the same run', {timeout: 60_000}, async (t) => {
    const session = await makeSession('slow');
    const page = await open(browser, t, `${server.url}/health`);
    const query = 'say exactly: ' + Array.from({length: 60}, (_, i) => `word${i}`).join(' ');
    await watch(page, link('', session, query));
    await page.waitForFunction(() => window.seen.events.length > 0);
    await page.reload();
    await watch(page, link('', session, query));
    await page.waitForFunction(() => window.seen.events.some((event) => event.type === 'done'), undefined, {timeout: 30_000});
    assert.equal((await events(page))[0].type, 'message');
    assert.equal((await server.runs(session)).length, 1);
  });
});

describe('other sites on steps', () => {
  test('start and interrupt nothing', {timeout: 60_000}, async (t) => {
    const site = await emptySite();
    t.after(() => site.close());
    const session = await makeSession('slow');
    const context = await browser.newContext();
    t.after(() => context.close());
    const own = await context.newPage();
    await own.goto(`${server.url}/health`);
    assert.equal(await own.evaluate(async () => (await fetch('/auth/login', {method: 'POST',
      headers: {'Content-Type': 'application/json'}, body: JSON.stringify({username: 'demo', password: 'demo'})})).status), 200);
    const proxy = await new CuttingProxy(server.port).listen();
    t.after(() => proxy.close());
    const page = await context.newPage();
    await page.goto(site.url('evil.test'));
    await page.evaluate(async ([stream, interrupt]) => {
      const target = (way) => `${stream}&way=${way}`;
      const element = (name, way, parent) => new Promise((resolve) => {
        const made = document.createElement(name);
        made.onload = made.onerror = resolve;
        made.src = target(way);
        parent.append(made);
      });
      const source = new Promise((resolve) => {
        const made = new EventSource(target('source'), {withCredentials: true});
        made.onerror = () => { made.close(); resolve(); };
      });
      const send = (url, options) => fetch(url, {credentials: 'include', mode: 'no-cors', ...options}).catch(() => {});
      await Promise.all([element('img', 'image', document.body), element('script', 'script', document.head),
        element('iframe', 'frame', document.body), source, send(target('fetch')),
        send(target('post'), {method: 'POST', body: '{"query":"hello"}'}), send(`${interrupt}?way=interrupt`, {method: 'POST'})]);
    }, [link(proxy.url, session, 'hello'), `${proxy.url}/sessions/${session}/interrupt`]);
    const asked = proxy.connections.map(({request}) => request).join('');
    for (const way of ['image', 'script', 'frame', 'source', 'fetch', 'post', 'interrupt']) {
      assert.ok(asked.includes(`way=${way}`), `${way} never came to the server`);
    }
    assert.deepEqual([...new Set(proxy.statuses())], [403]);
    assert.deepEqual(await server.runs(session), []);
  });
});
