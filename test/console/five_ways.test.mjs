// Five ways: what the page shows of a run is what every contract's own stream says, byte for byte, beside the log that it is made from.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {Server, launch, openConsole, picture, seriousFaults} from './fixture.mjs';
import {haikuDone, streamOf} from './run_helpers.mjs';

const contracts = ['steps', 'runs', 'chat', 'conversation', 'tasks'];
const server = new Server({pace: 5});
let browser;
before(async () => { [browser] = await Promise.all([launch(), server.start()]); });
after(async () => { await browser?.close(); await server.end(); });

const row = (page, type) => page.locator('.way-row', {has: page.locator(`.way-type:text-is("${type}")`)});

async function openDone(t, options, query = '') {
  const run = await haikuDone(server);
  const page = await openConsole(browser, t, server, `#/ways/${run.run_id}${query}`, options);
  await page.locator('.way-row').first().waitFor();
  return {run, page};
}

describe('five ways', {concurrency: 2}, () => {
  test('invites: one click starts a run and shows it live in five contracts', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server, '#/ways');
    await page.click('button:text("Start one now")');
    await page.locator('.ways-question').waitFor();
    assert.match(page.url(), /#\/ways\/run_\w{26}$/);
    assert.match(await row(page, 'input.requested').textContent(), /tool_call_proposed[^]*approval_required/);
    await page.click('.ways-question button:text("Allow once")');
    await row(page, 'run.completed').waitFor();
    const last = row(page, 'run.completed');
    for (const [contract, word] of [['steps', '"final"'], ['runs', 'run_completed'], ['chat', 'stream_end'], ['conversation', '"conversation"'], ['tasks', 'done']]) {
      assert.match(await last.locator(`.contract-${contract}`).textContent(), new RegExp(word), contract);
    }
    assert.equal(await page.locator('.ways-question').count(), 0);
    await page.goto(`${server.url}/#/ways`);
    assert.match(await page.locator('.run-chooser a').first().textContent(), /Completed.*haiku/);
  });

  test('shows the bytes of each contract’s own stream, frame by frame', {timeout: 60_000}, async (t) => {
    const {run, page} = await openDone(t, {viewport: {width: 1600, height: 6000}});
    await page.click('text=Fold the pieces of a text');
    await row(page, 'run.completed').waitFor();
    for (const more of await page.locator('.frame-more').all()) await more.click();
    for (const contract of contracts) {
      const wire = await streamOf(server, run, contract);
      const shown = await page.locator(`.way-row .contract-${contract} .frame`).evaluateAll((all) => all.map((frame) =>
        [...frame.querySelectorAll('.frame-line')].map((line) => line.textContent.replace(/‹$/, '')).join('\n')));
      assert.equal(shown.map((frame) => `${frame}\n\n`).join(''), wire, contract);
      assert.match(await page.textContent(`.way-head .contract-${contract}`), new RegExp(`${shown.length} frames? · `), contract);
    }
  });

  test('rows stand for events: what a contract does not say is empty, and the event itself is shown', {timeout: 60_000}, async (t) => {
    const {page} = await openDone(t, {viewport: {width: 1600, height: 2400}});
    const asked = row(page, 'input.requested');
    assert.deepEqual(await asked.locator('.way-cell.nothing').evaluateAll((all) => all.map((cell) => /contract-(\w+)/.exec(cell.className)[1])), ['steps', 'chat', 'tasks']);
    await asked.hover();
    assert.match(await page.textContent('.origin'), /input\.requested.*"tool_name":"file_write"/);
    await page.keyboard.press('j');
    assert.equal(await page.locator('.way-row[aria-selected="true"]').count(), 1);
    await page.keyboard.press('j');
    await page.mouse.move(0, 0);
    assert.match(await page.textContent('.origin strong'), /#2 run\.started/);
    assert.match(await page.textContent('.origin-becomes'), /runsrun_startedchatstream_start/);
  });

  test('pieces of a text are folded, and unfold where one wants them', {timeout: 60_000}, async (t) => {
    const {page} = await openDone(t, {viewport: {width: 1600, height: 3000}});
    const first = row(page, 'text.delta').first();
    assert.match(await first.locator('.contract-chat').textContent(), /"delta":"I".*and \d+ more frames like it/s);
    const before = await page.locator('.way-row').count();
    await first.locator('.way-unfold').click();
    await page.waitForFunction((count) => document.querySelectorAll('.way-row').length > count, before);
  });

  test('its curl lines give the streams', {timeout: 60_000}, async (t) => {
    const {run, page} = await openDone(t, {permissions: ['clipboard-read', 'clipboard-write']});
    for (const contract of contracts) {
      await page.click(`.way-head .contract-${contract} button`);
      const line = await page.evaluate(() => navigator.clipboard.readText());
      const [, url] = line.match(/^curl -N '(http[^']*)'$/);
      assert.equal(await (await fetch(url)).text(), await streamOf(server, run, contract));
    }
  });

  test('a link leads to an event', {timeout: 60_000}, async (t) => {
    const {page} = await openDone(t, {}, '?event=24');
    const selected = page.locator('.way-row[aria-selected="true"]');
    await selected.waitFor();
    await page.waitForFunction(() => {
      const at = document.querySelector('.way-row[aria-selected="true"]')?.getBoundingClientRect();
      const list = document.querySelector('.way-list').getBoundingClientRect();
      return at && at.top >= list.top - 1 && at.bottom <= list.bottom + 1;
    });
    assert.match(await page.textContent('.origin strong'), /#24 input\.given/);
  });

  test('on a phone one contract at a time', {timeout: 60_000}, async (t) => {
    const {page} = await openDone(t, {viewport: {width: 390, height: 844}});
    const visible = () => page.locator('.way-head-contract:visible strong').allTextContents();
    assert.deepEqual(await visible(), ['runs']);
    await page.click('.ways-tabs button:text("chat")');
    assert.deepEqual(await visible(), ['chat']);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  });

  for (const colorScheme of ['light', 'dark']) {
    test(`has no serious fault for people who cannot see or point: ${colorScheme}`, {timeout: 60_000}, async (t) => {
      const {page} = await openDone(t, {colorScheme}, '?event=5');
      assert.deepEqual(await seriousFaults(page), []);
      await picture(page, `five-ways-${colorScheme}`);
      await page.goto(`${server.url}/#/ways`);
      await page.locator('.run-chooser a').first().waitFor();
      assert.deepEqual(await seriousFaults(page), []);
      await picture(page, `five-ways-start-${colorScheme}`);
    });
  }
});
