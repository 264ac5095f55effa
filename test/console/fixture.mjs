// The console in Chromium, against the real server. Every page that is opened here is watched: an error in its console, a violation of its
// policy, a request that leaves its origin or a dialog is a failed test.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import net from 'node:net';
import path from 'node:path';
import {chromium} from 'playwright-core';

export {Server, until} from '../clients/server.mjs';

const executablePath = process.env.BRAIDLOG_CHROMIUM ?? '/usr/bin/chromium';
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const phone = {viewport: {width: 390, height: 780}, isMobile: true, hasTouch: true, deviceScaleFactor: 2};
export const dark = {colorScheme: 'dark'};

export function launch() {
  return chromium.launch({executablePath, args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP *.test 127.0.0.1']});
}

// A profile of its own: its pages share a SharedWorker and nothing else.
export async function newContext(browser, t, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 800}, ...options});
  t.after(() => context.close());
  return context;
}

export async function openPage(context, t, url) {
  const page = await context.newPage();
  page.problems = [];
  const origin = new URL(url).origin;
  const problem = (text) => page.problems.push(text);
  page.on('pageerror', (error) => problem(`error: ${error.message}`));
  page.on('dialog', (dialog) => { problem(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  page.on('request', (request) => { if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) problem(`request to ${request.url()}`); });
  page.on('console', (message) => {
    // A server that was killed, or that refuses, is no fault of the page; the policy is.
    if (message.type() === 'error' && !/Failed to load resource|ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE/.test(message.text())) problem(`console: ${message.text()}`);
  });
  await page.goto(url);
  t.after(() => assert.deepEqual(page.problems, [], 'what the page complained about'));
  return page;
}

export async function openConsole(browser, t, server, hash = '', options = {}) {
  return openPage(await newContext(browser, t, options), t, `${server.url}/${hash}`);
}

// What axe-core calls serious or critical.
export async function seriousFaults(page) {
  await page.evaluate(axeSource).catch(() => page.addScriptTag({content: axeSource}));
  const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
  return violations.filter(({impact}) => impact === 'serious' || impact === 'critical')
    .map(({id, nodes}) => `${id}: ${nodes.slice(0, 4).map((node) => `${node.target.join(' ')} (${node.any[0]?.message ?? node.failureSummary})`).join(' | ')}`);
}

// Pictures to look at, when somebody wants them: BRAIDLOG_SHOTS=FOLDER.
export async function picture(page, name) {
  if (process.env.BRAIDLOG_SHOTS) await page.screenshot({path: path.join(process.env.BRAIDLOG_SHOTS, `${name}.png`)});
}

// Passes bytes on and knows which connections are open, and what each was last asked for.
export class CountingProxy {
  constructor(port) {
    this.open = new Map();
    this.server = net.createServer((client) => {
      const upstream = net.connect(port, '127.0.0.1');
      this.open.set(client, '');
      client.on('data', (data) => {
        const line = data.toString('latin1').match(/^[A-Z]+ (\S+) HTTP\/1\.1\r\n/);
        if (line) this.open.set(client, line[1]);
      });
      client.pipe(upstream).pipe(client);
      const end = () => { this.open.delete(client); client.destroy(); upstream.destroy(); };
      for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    });
  }

  async listen() {
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  openTo(prefix) {
    return [...this.open.values()].filter((asked) => asked.startsWith(prefix)).length;
  }

  close() {
    this.server.close();
    for (const socket of this.open.keys()) socket.destroy();
  }
}
