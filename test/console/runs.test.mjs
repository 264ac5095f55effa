// Sessions and runs: the list lives, is searched, filtered and paged by the server, and sessions are renamed and deleted.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {Server, launch, openConsole, picture, seriousFaults} from './fixture.mjs';
import {approve, begin, ended, newSession} from './run_helpers.mjs';

const server = new Server();
let browser;
before(async () => { [browser] = await Promise.all([launch(), server.start()]); });
after(async () => { await browser?.close(); await server.end(); });

const runRow = (page, run) => page.locator(`[data-run="${run.run_id}"]`);
const say = async (message, more = {}) => {
  const run = await begin(server, {agent: 'support', message, ...more});
  await ended(server, run);
  return run;
};

describe('runs', () => {
  test('a run appears, waits and ends in the list while one looks', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server, '#/runs');
    await page.locator('.list-table, .empty').first().waitFor();
    const run = await begin(server, {agent: 'writer', message: 'Write a haiku about lakes to lake.md'});
    const row = runRow(page, run);
    await row.locator('.badge:text("Waiting for approval")').waitFor();
    await approve(server, run);
    await row.locator('.badge:text("Completed")').waitFor();
    await page.waitForFunction((id) => /\d/.test(document.querySelector(`[data-run="${id}"] [data-name="Tokens"]`).textContent), run.run_id);
    assert.match(await row.textContent(), /Write a haiku about lakes to lake\.md.*writer.*runs/);
  });

  test('is searched and filtered', {timeout: 60_000}, async (t) => {
    const wanted = await say('Tell me about zeppelins');
    const other = await say('Tell me about trains');
    const page = await openConsole(browser, t, server, '#/runs');
    await runRow(page, other).waitFor();
    await page.fill('input[type=search]', 'ZEPPELIN');
    await runRow(page, other).waitFor({state: 'detached'});
    await runRow(page, wanted).waitFor();
    await page.selectOption('select[aria-label="Status"]', 'failed');
    await page.getByText('No run is like that').waitFor();
    await page.click('button:text("Show all")');
    await runRow(page, other).waitFor();
    await page.selectOption('select[aria-label="Agent"]', 'writer');
    await runRow(page, other).waitFor({state: 'detached'});
  });

  test('more are loaded on demand, and stay when something changes', {timeout: 120_000}, async (t) => {
    const session = await newSession(server, 'Many');
    const first = await say('Say one', {session_id: session});
    for (let i = 0; i < 52; ++i) await say(`Say ${i}`, {session_id: session});
    const page = await openConsole(browser, t, server, `#/runs?session=${session}`);
    await page.waitForFunction(() => document.querySelectorAll('[data-run]').length === 50);
    await page.click('button:text("Load more")');
    await runRow(page, first).waitFor();
    assert.equal(await page.locator('[data-run]').count(), 53);
    const next = await say('Say it again', {session_id: session});
    await runRow(page, next).waitFor();
    assert.equal(await page.locator('[data-run]').count(), 54);
    assert.equal(await page.locator('button:text("Load more")').count(), 0);
  });

  test('arrow keys and Enter open a run', {timeout: 60_000}, async (t) => {
    await say('Say hello');
    const run = await say('Say goodbye');
    const page = await openConsole(browser, t, server, '#/runs');
    await runRow(page, run).waitFor();
    await page.locator('tr[data-row]').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/#/run/${run.run_id}`);
  });

  for (const colorScheme of ['light', 'dark']) {
    test(`has no serious fault for people who cannot see or point: ${colorScheme}`, {timeout: 60_000}, async (t) => {
      const run = await say('Say something');
      const page = await openConsole(browser, t, server, '#/runs', {colorScheme});
      await runRow(page, run).waitFor();
      assert.deepEqual(await seriousFaults(page), []);
      await picture(page, `runs-${colorScheme}`);
      await page.goto(`${server.url}/#/runs?tab=sessions`);
      await page.locator('[data-session]').first().waitFor();
      assert.deepEqual(await seriousFaults(page), []);
      await picture(page, `sessions-${colorScheme}`);
    });
  }
});

describe('sessions', () => {
  test('are listed with their runs and messages, renamed, and deleted after a question', {timeout: 60_000}, async (t) => {
    const id = await newSession(server, 'Spring cleaning');
    await say('Say one', {session_id: id});
    await say('Say two', {session_id: id});
    const page = await openConsole(browser, t, server, '#/runs?tab=sessions');
    const row = page.locator(`[data-session="${id}"]`);
    await row.locator('[data-name="Runs"] a:text-is("2")').waitFor();
    await row.locator('[data-name="Messages"]:text-is("4")').waitFor();

    await row.locator('button:text("Rename")').click();
    await page.fill('dialog input', 'Autumn cleaning');
    await page.keyboard.press('Enter');
    await row.locator('a:text("Autumn cleaning")').waitFor();
    assert.equal((await (await fetch(`${server.url}/sessions/${id}`)).json()).title, 'Autumn cleaning');

    await row.locator('button:text("Delete")').click();
    await page.click('dialog button:text("Keep it")');
    assert.equal((await fetch(`${server.url}/sessions/${id}`)).status, 200);
    await row.locator('button:text("Delete")').click();
    await page.click('dialog .button.danger');
    await row.waitFor({state: 'detached'});
    assert.equal((await fetch(`${server.url}/sessions/${id}`)).status, 404);
  });

  test('a session leads to its runs', {timeout: 60_000}, async (t) => {
    const id = await newSession(server, 'Alone');
    const mine = await say('Say mine', {session_id: id});
    const other = await say('Say other');
    const page = await openConsole(browser, t, server, '#/runs?tab=sessions');
    await page.locator(`[data-session="${id}"] [data-name="Runs"] a:text("1")`).click();
    await runRow(page, mine).waitFor();
    assert.equal(await runRow(page, other).count(), 0);
  });
});
