// The run timeline: the log itself, live, folded, filtered, copied, replayed; and 50,000 events of it.
import assert from 'node:assert/strict';
import {cpus, loadavg} from 'node:os';
import {readFileSync, writeFileSync} from 'node:fs';
import {after, before, describe, test} from 'node:test';
import path from 'node:path';
import {Server, launch, openConsole, picture, seriousFaults, until} from './fixture.mjs';
import {longModel} from './long_model.mjs';
import {approve, begin, ended, haiku, haikuDone, logOf, tasksDuring} from './run_helpers.mjs';

const pieces = 50_000;
const server = new Server({pace: 5});
let model, browser;
before(async () => {
  model = await longModel(pieces);
  writeFileSync(path.join(server.folder, 'agents', 'long.yaml'),
    `name: long\ndescription: Tells long stories.\nmodel: {provider: openai, name: long, base_url: "${model.url}"}\ninstructions: Answer.\n`);
  [browser] = await Promise.all([launch(), server.start()]);
});
after(async () => { await browser?.close(); await server.end(); model?.close(); });

const open = (t, run, options) => openConsole(browser, t, server, `#/run/${run.run_id}`, options);
const rows = (page) => page.locator('.event-row');
const row = (page, type) => page.locator('.event-row', {has: page.locator('.event-type', {hasText: new RegExp(`^${type.replaceAll('.', '\\.')}`)})});

// A run that wrote its file, and the page that shows its log.
async function openDone(t, options) {
  const run = await haikuDone(server);
  const page = await open(t, run, options);
  await row(page, 'run.completed').waitFor();
  return {run, page};
}

describe('the timeline', {concurrency: 2}, () => {
  test('shows a run as it goes on, and what ends it', {timeout: 60_000}, async (t) => {
    const run = await haiku(server);
    const page = await open(t, run);
    await row(page, 'input.requested').waitFor();
    assert.equal(await page.textContent('.run-header .badge'), 'Waiting for approval');
    assert.equal(await page.locator('.run-header button:text("Stop")').count(), 1);
    await approve(server, run);
    await row(page, 'run.completed').waitFor();
    assert.equal(await page.textContent('.run-header .badge'), 'Completed');
    assert.equal(await page.locator('.run-header button:text("Stop")').count(), 0);
    assert.match(await page.textContent('.run-facts'), /Agentwriter.*Contractruns.*Tokens\d+/);
    const log = await logOf(server, run);
    assert.equal(await page.textContent('.timeline-foot .number'), `${log.length} events, ${await rows(page).count()} rows`);
  });

  test('stops a run', {timeout: 60_000}, async (t) => {
    const run = await haiku(server);
    const page = await open(t, run);
    await row(page, 'input.requested').waitFor();
    await page.click('.run-header button:text("Stop")');
    await row(page, 'run.interrupted').waitFor();
    assert.equal(await page.textContent('.run-header .badge'), 'Stopped');
  });

  test('folds deltas or shows each of them, and filters by family and by text', {timeout: 60_000}, async (t) => {
    const {run, page} = await openDone(t);
    const log = await logOf(server, run);
    assert.match(await row(page, 'text.delta').first().textContent(), /×\d+.*I will write a haiku/);
    await page.click('text=Fold deltas');
    await page.waitForFunction((count) => document.querySelector('.timeline-foot .number').textContent === `${count} events`, log.length);
    await page.click('.chip:text("text")');
    await page.click('.chip:text("tool")');
    const left = log.filter(({type}) => !type.startsWith('text.') && !type.startsWith('tool.')).map(({type}) => type);
    await page.waitForFunction((count) => document.querySelectorAll('.event-row').length === count, left.length);
    assert.deepEqual(await page.locator('.event-type').allTextContents(), left);
    await page.keyboard.press('/');
    await page.keyboard.type('verdict');
    await page.waitForFunction(() => document.querySelectorAll('.event-row').length === 1);
    assert.deepEqual(await page.locator('.event-type').allTextContents(), ['input.given']);
  });

  test('shows the JSON of the selected event, by mouse and by keys', {timeout: 60_000}, async (t) => {
    const {run, page} = await openDone(t);
    const log = await logOf(server, run);
    const shown = async () => JSON.parse(await page.textContent('.inspector-json'));
    await row(page, 'tool.finished').click();
    assert.deepEqual(await shown(), log.find(({type}) => type === 'tool.finished'));
    await page.keyboard.press('j');
    assert.deepEqual(await shown(), log.find(({type}) => type === 'step.finished'));
    await page.focus('.event-list');
    await page.keyboard.press('Home');
    assert.deepEqual(await shown(), log[0]);
    await page.keyboard.press('ArrowDown');
    assert.deepEqual(await shown(), log[1]);
    assert.equal(await page.getAttribute('.event-list', 'aria-activedescendant'), 'event-2');
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.inspector').count(), 0);
  });

  test('its curl lines give the run from that event on', {timeout: 60_000}, async (t) => {
    const {run, page} = await openDone(t, {permissions: ['clipboard-read', 'clipboard-write']});
    const log = await logOf(server, run);
    const wanted = log.find(({type}) => type === 'tool.finished');
    await row(page, 'tool.finished').click();
    const follow = async () => {
      await page.click('.inspector button:text("Copy as curl")');
      const line = await page.evaluate(() => navigator.clipboard.readText());
      const [, id, url] = line.match(/^curl -N -H 'Last-Event-ID: (evt_\w+)' '(http[^']*)'$/);
      return (await fetch(url, {headers: {'Last-Event-ID': id}})).text();
    };
    const data = (text) => text.trim().split('\n\n').map((frame) => JSON.parse(frame.split('data: ')[1]));
    assert.deepEqual(data(await follow()), log.slice(wanted.sequence - 1));
    await page.selectOption('.inspector select', 'runs');
    assert.equal(data(await follow())[0].type, 'tool_result');
  });

  test('plays the events again with their gaps', {timeout: 60_000}, async (t) => {
    const run = await haiku(server);
    const question = await server.pendingApproval(run.session_id);
    await until(() => Date.now() - Date.parse(question.created_at) > 4000, 'a gap that can be seen');
    await approve(server, run);
    await ended(server, run);
    const page = await open(t, run);
    await row(page, 'run.completed').waitFor();
    const all = await rows(page).count();
    assert.match(await row(page, 'input.given').locator('.event-gap.long').textContent(), /^\+\d/);
    await row(page, 'tool.call.started').click();
    await page.click('.inspector button:text("1×")');
    await row(page, 'run.completed').waitFor({state: 'detached'});
    await page.getByText(/^next in \d/).waitFor();
    assert.match(await rows(page).last().textContent(), /input\.requested/);
    await page.click('.replay-bar button:text("Skip")');
    await page.waitForFunction((count) => document.querySelectorAll('.event-row').length === count && !document.querySelector('.replay-bar'), all);
  });

  test('is given as JSON lines', {timeout: 60_000}, async (t) => {
    const {run, page} = await openDone(t);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('.run-header button:text("Download")')]);
    assert.equal(download.suggestedFilename(), `${run.run_id}.jsonl`);
    assert.deepEqual(readFileSync(await download.path(), 'utf8').trim().split('\n').map((line) => JSON.parse(line)), await logOf(server, run));
  });

  test('a run that is not there is said to be', {timeout: 60_000}, async (t) => {
    const page = await open(t, {run_id: 'run_01M7FFK916E6HRSPXD4VE5MAF1'});
    assert.match(await page.textContent('.error-box'), /not found/i);
  });

  for (const colorScheme of ['light', 'dark']) {
    test(`has no serious fault for people who cannot see or point: ${colorScheme}`, {timeout: 60_000}, async (t) => {
      const {page} = await openDone(t, {colorScheme});
      await row(page, 'text.delta').first().click();
      assert.deepEqual(await seriousFaults(page), []);
      await picture(page, `timeline-${colorScheme}`);
    });
  }
});

test('50,000 events: found, folded and scrolled through without a task over 50 ms', {timeout: 180_000}, async (t) => {
  const run = await begin(server, {agent: 'long', message: 'A very long story'});
  await ended(server, run);
  const page = await open(t, run);
  await page.waitForFunction((count) => Number(document.querySelector('.timeline-foot')?.textContent.replaceAll(',', '').match(/^\d+/)) >= count, pieces, {timeout: 60_000});
  await page.click('text=Fold deltas');
  await page.waitForFunction(() => /^[\d,]+ events$/.test(document.querySelector('.timeline-foot .number').textContent), undefined, {timeout: 60_000});

  const shown = new Set();
  const {byTheClock, processorMs} = await tasksDuring(browser, page, async () => {
    for (const id of await page.evaluate(scrollThrough)) shown.add(id);
  });
  assert.match(await rows(page).last().textContent(), /run\.completed/);
  assert.ok(shown.size > 5000, `${shown.size} rows were on the screen`);
  t.diagnostic(`longest task: ${processorMs.toFixed(1)} ms of the processor; long tasks by the clock: ${JSON.stringify(byTheClock)}; load ${loadavg()[0]}`);
  // By the clock a task also waits for the processor, where others want it too. What the page does is what it uses of it.
  assert.ok(processorMs <= 50, `a task took ${processorMs} ms`);
  if (loadavg()[0] < cpus().length * 0.7) assert.deepEqual(byTheClock, []);

  await page.fill('#timeline-find', 'its spring, slowly');
  // No delta has all of that, but the text that they make has, and so has the end of the run.
  const found = (count) => page.waitForFunction((text) => document.querySelector('.timeline-foot .number').textContent.endsWith(text), ` ${count} rows`, {timeout: 60_000});
  await found(1);
  await page.click('text=Fold deltas');
  await found(2);
});

// Runs in the page: from the first event to the last in 400 frames of the screen; returns the rows that were seen.
async function scrollThrough() {
  const list = document.querySelector('.event-list');
  const seen = new Set();
  for (let step = 0; step <= 400; ++step) {
    list.scrollTop = (list.scrollHeight - list.clientHeight) * (step / 400);
    await new Promise((resolve) => requestAnimationFrame(resolve));
    for (const row of list.querySelectorAll('.event-row')) seen.add(row.id);
  }
  return [...seen];
}
