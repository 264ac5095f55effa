// One Chromium for all tests of a file, and pages of other sites: names that only this browser knows.
import {createServer} from 'node:http';
import {chromium} from 'playwright-core';

const executablePath = process.env.BRAIDLOG_CHROMIUM ?? '/usr/bin/chromium';

export function launch() {
  return chromium.launch({executablePath, args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP *.test 127.0.0.1']});
}

// An empty page on a port of its own; `url('evil.test')` is its address under that name.
export async function emptySite() {
  const server = createServer((_, reply) => reply.setHeader('Content-Type', 'text/html').end('<!doctype html><title>site</title>'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {url: (host) => `http://${host}:${server.address().port}/`, close: () => server.close()};
}

// A page of the server's own origin, in a profile of its own.
export async function open(browser, t, url) {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

// Runs in the page: an EventSource whose events are kept in `window.seen`.
export function watch(page, url) {
  return page.evaluate((address) => {
    const source = new EventSource(address);
    window.seen = {source, events: [], problems: [], errors: 0};
    for (const type of ['stream_start', 'message_delta', 'tool_call_start', 'tool_call_args', 'tool_call_end', 'stream_end']) {
      source.addEventListener(type, (event) => window.seen.events.push({type, id: event.lastEventId, data: JSON.parse(event.data)}));
    }
    source.addEventListener('error', (event) => {
      if (event.data) window.seen.problems.push(JSON.parse(event.data));
      else window.seen.errors += 1;
    });
  }, url);
}

export const closed = (page) => page.waitForFunction(() => window.seen.source.readyState === EventSource.CLOSED, undefined, {timeout: 30_000});

export const seen = (page) => page.evaluate(() => {
  const {events, problems, errors, source} = window.seen;
  return {events, problems, errors, readyState: source.readyState,
    text: events.filter((event) => event.type === 'message_delta').map((event) => event.data.delta).join('')};
});
