// Tasks: a goal, its plan, the execution watched and reloaded, and what it leaves.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, describe, test} from 'node:test';
import {Server, dark, launch, newContext, openConsole, openPage, phone, picture, seriousFaults} from './fixture.mjs';

const server = new Server({pace: 25});
let browser;
before(async () => { [browser] = await Promise.all([launch(), server.start()]); });
after(async () => { await browser?.close(); await server.end(); });

const GOAL = 'Research three note-taking apps and write a comparison';
const tasks = (page) => page.locator('.task');
const tab = (page, name) => page.getByRole('tab', {name});
const titles = (page) => page.locator('.task h3').allInnerTexts();

async function planned(browser, t, options) {
  const page = await openConsole(browser, t, server, '#/tasks', options);
  await page.getByRole('textbox', {name: 'Goal'}).fill(GOAL);
  await page.getByRole('textbox', {name: 'Goal'}).press('Enter');
  await tasks(page).first().waitFor({timeout: 20_000});
  await page.getByRole('button', {name: 'Execute'}).and(page.locator(':enabled')).waitFor({timeout: 20_000});
  return page;
}

describe('tasks', () => {
  test('from a goal to its artifacts, reloaded on the way', {timeout: 120_000}, async (t) => {
    const page = await planned(browser, t);
    assert.equal(await tasks(page).count(), 4);
    await page.getByText('0 of 4 done').waitFor();
    const plan = await titles(page);
    await page.locator('.goal-said-assistant').getByText(/has 4 tasks/).waitFor();
    await picture(page, 'tasks-planned');

    await page.getByRole('button', {name: 'Execute'}).click();
    await page.locator('.task-in_progress').waitFor();
    await page.locator('.task-in_progress .task-call').first().waitFor();
    await page.getByText('1 of 4 done').waitFor({timeout: 30_000});
    await page.locator('.task-in_progress .task-call').first().waitFor();
    await picture(page, 'tasks-running');
    await page.reload();
    await page.locator('.task-in_progress').waitFor();
    assert.deepEqual(await titles(page), plan, 'the same view');
    await page.locator('.task-done').first().getByText('Result').waitFor();
    await page.locator('.task-done').first().getByText(/1 tool call, 1 artifact/).waitFor();
    await page.getByText('4 of 4 done').waitFor({timeout: 60_000});
    await page.locator('.task-done .task-reflection').nth(3).waitFor();
    assert.equal(await page.getByRole('button', {name: 'Execute'}).isDisabled(), true);

    await tab(page, 'Artifacts (2)').click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', {name: /^Download Summ/}).click()]);
    assert.match(readFileSync(await download.path(), 'utf8'), /^# Summarize/);
    await page.getByRole('button', {name: /^Define the questions/}).click();
    const reader = page.getByRole('dialog');
    await reader.getByRole('heading', {level: 1, name: /^Define/}).waitFor();
    await picture(page, 'tasks-artifact');
    await reader.getByLabel('As written').check();
    await reader.getByText('# Define the questions').waitFor();
    await page.reload();
    await page.getByRole('dialog').getByRole('heading', {level: 1, name: /^Define/}).waitFor();
    await page.keyboard.press('Escape');

    await tab(page, 'Data (2)').click();
    const table = page.getByRole('region', {name: 'Data items of type finding'}).getByRole('table');
    assert.deepEqual(await table.getByRole('columnheader').allInnerTexts(), ['topic', 'task', 'earlier_results', 'source', 'Changed']);
    assert.equal(await table.getByRole('row').count(), 2);
    await picture(page, 'tasks-data');
    await page.getByRole('link', {name: new RegExp(GOAL)}).and(page.locator('[aria-current]')).waitFor();
  });

  test('two pages see one execution, and either can stop it', {timeout: 90_000}, async (t) => {
    const context = await newContext(browser, t);
    const page = await openPage(context, t, `${server.url}/#/tasks`);
    await page.getByRole('textbox', {name: 'Goal'}).fill('Plan a team offsite for twelve people');
    await page.getByRole('textbox', {name: 'Goal'}).press('Enter');
    await tasks(page).first().waitFor({timeout: 20_000});
    const other = await openPage(context, t, page.url());
    await tasks(other).first().waitFor();
    await page.getByRole('button', {name: 'Execute'}).and(page.locator(':enabled')).click({timeout: 20_000});
    await other.locator('.task-in_progress').waitFor();
    await page.getByRole('button', {name: 'Stop'}).waitFor();
    await other.getByRole('button', {name: 'Stop'}).click();
    await page.getByRole('button', {name: 'Execute'}).and(page.locator(':enabled')).waitFor();
    await page.locator('.task-in_progress').waitFor({state: 'detached'});
    await page.reload();
    await tasks(page).first().waitFor();
    assert.equal(await page.locator('.task-in_progress').count(), 0, 'and not after a reload');
  });

  test('a vague goal is asked about', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server, '#/tasks');
    await page.getByRole('textbox', {name: 'Goal'}).fill('help');
    await page.getByRole('button', {name: 'Plan', exact: true}).click();
    await page.locator('.goal-said-assistant').getByText(/\?/).first().waitFor();
    await page.getByText('No tasks yet').waitFor({timeout: 20_000});
  });

  test('no serious fault of access, light, dark and on a phone', {timeout: 120_000}, async (t) => {
    const page = await planned(browser, t);
    assert.deepEqual(await seriousFaults(page), []);
    for (const [name, options] of [['dark', dark], ['phone', phone]]) {
      const other = await openConsole(browser, t, server, new URL(page.url()).hash, options);
      await tasks(other).first().waitFor();
      assert.deepEqual(await seriousFaults(other), [], name);
      assert.ok(await other.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: nothing stands out at the side`);
      await picture(other, `tasks-${name}`);
    }
  });
});
