// The page at /docs, in Chromium with no network but the server's own port: it shows every operation of openapi.json.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {Server} from '../clients/server.mjs';
import {launch} from './chromium.mjs';

const server = new Server();
let browser, api;
before(async () => {
  [browser] = await Promise.all([launch(), server.start()]);
  api = await (await fetch(`${server.url}/openapi.json`)).json();
});
after(async () => { await browser?.close(); await server.end(); });

// A page that notes what it asked for and what it complained about.
async function open(t, hash = '', options = {}) {
  const context = await browser.newContext(options);
  t.after(() => context.close());
  const page = await context.newPage();
  const asked = [], complaints = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(`${server.url}/docs${hash}`);
  await page.waitForSelector('#schemas');
  return {page, asked, complaints};
}

describe('the documentation page', {concurrency: true}, () => {
  test('shows every operation, and asks for nothing but the document', {timeout: 60_000}, async (t) => {
    const {page, asked, complaints} = await open(t);
    const described = Object.entries(api.paths).flatMap(([path, item]) => ['get', 'post', 'patch', 'delete', 'put']
      .filter((method) => item[method]).map((method) => `${method.toUpperCase()} ${path}`));
    const shown = await page.$$eval('.operation > summary', (all) => all.map((summary) =>
      `${summary.querySelector('.method').textContent} ${summary.querySelector('.path').textContent}`));
    assert.deepEqual(shown.sort(), described.sort());
    const schemas = await page.$$eval('#schemas > details', (all) => all.map((details) => details.id));
    assert.deepEqual(schemas.sort(), Object.keys(api.components.schemas).map((name) => `schema-${name}`).sort());
    assert.deepEqual(asked, [`${server.url}/docs`, `${server.url}/openapi.json`]);
    assert.deepEqual(complaints, []);
  });

  test('every link leads to a place on the page', {timeout: 60_000}, async (t) => {
    const {page} = await open(t);
    const lost = await page.$$eval('a[href^="#"]', (all) => all.map((a) => a.getAttribute('href'))
      .filter((href) => !document.getElementById(href.slice(1))));
    assert.deepEqual(lost, []);
  });

  test('a link to an operation unfolds it, with a curl line that works', {timeout: 60_000}, async (t) => {
    const {page} = await open(t, '#getAgentHealth');
    const line = await page.textContent('#getAgentHealth[open] pre[aria-label]');
    assert.equal(line, `curl -H "Authorization: Bearer $BRAIDLOG_KEY" '${server.url}/health/agent/support'`);
    assert.equal((await fetch(line.match(/'(.*)'$/)[1])).status, 200);
    assert.match(await page.textContent('#getAgentHealth'), /404[^]*problem\+json/);
  });

  test('can be used with the keyboard alone', {timeout: 60_000}, async (t) => {
    const {page} = await open(t);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the operations');
    await page.focus('#logIn > summary');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.getElementById('logIn').open), true);
    await page.focus('#find');
    await page.keyboard.type('post login');
    const visible = await page.$$eval('.operation', (all) => all.filter((details) => !details.hidden).map((d) => d.id));
    assert.deepEqual(visible, ['logIn']);
  });

  test('is light or dark as the reader has it', {timeout: 60_000}, async (t) => {
    const paper = async (colorScheme) => {
      const {page} = await open(t, '', {colorScheme});
      return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    };
    assert.equal(await paper('light'), 'rgb(255, 255, 255)');
    assert.equal(await paper('dark'), 'rgb(20, 24, 31)');
  });

  test('shows the text of a document and never its markup', {timeout: 60_000}, async (t) => {
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    const evil = structuredClone(api);
    const markup = '<img src=x onerror="window.caught = true"><script>window.caught = true</script>';
    evil.info.description = markup;
    evil.paths['/health'].get.summary = markup;
    evil.components.schemas.Health.description = markup;
    await page.route('**/openapi.json', (route) => route.fulfill({json: evil}));
    await page.goto(`${server.url}/docs`);
    await page.waitForSelector('#schemas');
    assert.equal(await page.evaluate(() => window.caught), undefined);
    assert.equal(await page.$$eval('main img, main script', (all) => all.length), 0);
    assert.ok((await page.textContent('main')).includes(markup));
  });

  test('says so when the document cannot be read', {timeout: 60_000}, async (t) => {
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    await page.route('**/openapi.json', (route) => route.fulfill({status: 503, body: '{}'}));
    await page.goto(`${server.url}/docs`);
    await page.waitForFunction(() => document.getElementById('status').textContent.includes('503'));
  });
});
