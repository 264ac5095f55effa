// What the tests of the timeline, of five ways and of the lists do to runs, and how the work of a page is measured.
import {until} from './fixture.mjs';

async function asked(url, init) {
  const reply = await fetch(url, init);
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${await reply.text()}`);
  return reply.json();
}
const post = (url, body) => asked(url, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});

export const begin = (server, ask) => post(`${server.url}/console/runs`, ask);
export const haiku = (server) => begin(server, {agent: 'writer', message: 'Write a haiku about rivers to haiku.md'});
export const newSession = async (server, title) => (await post(`${server.url}/sessions`, {title})).id;

export async function approve(server, run) {
  const {approval_id: approval} = await server.pendingApproval(run.session_id);
  await server.post(`/sessions/${run.session_id}/approvals/${approval}/approve`);
}

export const ended = (server, run) => until(async () => ['completed', 'failed', 'interrupted'].includes((await server.get(`/runs/${run.run_id}`)).status),
  'the end of the run', 60_000);

// The last run in the chat; and until it is over, when its foot offers what it said. Code has buttons to copy it much earlier.
export const answer = (page) => page.locator('.run').last().locator('.run-work');
export const over = (page) => answer(page).locator('.run-links').getByRole('button', {name: 'Copy', exact: true}).waitFor({timeout: 30_000});

// A run that wrote its file.
export async function haikuDone(server) {
  const run = await haiku(server);
  await approve(server, run);
  await ended(server, run);
  return run;
}

export async function logOf(server, run) {
  const text = await (await fetch(`${server.url}/runs/${run.run_id}/log`)).text();
  return text.trim().split('\n\n').map((frame) => JSON.parse(frame.split('\n').find((line) => line.startsWith('data: ')).slice(6)));
}

export const streamOf = async (server, run, contract) => (await fetch(`${server.url}/runs/${run.run_id}/stream?contract=${contract}`)).text();

// What the page did meanwhile: its long tasks by the clock, as it sees them itself, and the processor time of its longest task.
export async function tasksDuring(browser, page, work) {
  await browser.startTracing(page, {categories: ['toplevel']});
  // The tracing itself begins and ends with a long task.
  await page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    window.longTasks = [];
    window.longTaskObserver = new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((entry) => Math.round(entry.duration))));
    window.longTaskObserver.observe({type: 'longtask'});
  });
  const from = await page.evaluate(() => performance.timeOrigin + performance.now());
  await work();
  const to = await page.evaluate(() => performance.timeOrigin + performance.now());
  const byTheClock = await page.evaluate(() => window.longTasks);
  const {traceEvents} = JSON.parse((await browser.stopTracing()).toString());
  return {byTheClock, processorMs: longestTask(traceEvents, to - from)};
}

// The trace has its own clock; the work is the part of that length before the end, where nothing but the measurement follows.
function longestTask(events, lengthMs) {
  const main = events.filter((event) => event.name === 'thread_name' && event.args.name === 'CrRendererMain');
  const tasks = events.filter((event) => event.ph === 'X' && /RunTask$/.test(event.name) && main.some(({pid, tid}) => pid === event.pid && tid === event.tid));
  const end = Math.max(...tasks.map((task) => task.ts + task.dur));
  const during = tasks.filter((task) => task.ts > end - lengthMs * 1000);
  return Math.max(...during.map((task) => task.tdur ?? task.dur)) / 1000;
}
