// System: the plots live, the alerts below them.
import assert from 'node:assert/strict';
import net from 'node:net';
import {after, before, describe, test} from 'node:test';
import {Server, dark, launch, openConsole, phone, picture, seriousFaults} from './fixture.mjs';

const server = new Server({pace: 5});
let browser;
before(async () => { [browser] = await Promise.all([launch(), server.start()]); });
after(async () => { await browser?.close(); await server.end(); });

const plot = (page, title) => page.getByRole('figure').filter({has: page.getByRole('heading', {name: title, exact: true})});
const value = async (page, title) => (await plot(page, title).locator('.plot-values b').first().innerText()).trim();
const reaches = (page, title, pattern) => plot(page, title).locator('.plot-values').getByText(pattern).first().waitFor({timeout: 20_000});
// How many points of the canvas are not empty.
const drawn = (page, title) => plot(page, title).locator('canvas').evaluate((canvas) =>
  canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.filter((byte, i) => i % 4 === 3 && byte > 0).length);

// What no client of ours would send: the server refuses it as broken.
const brokenRequest = () => new Promise((resolve) => {
  const socket = net.connect(server.port, '127.0.0.1', () => socket.write('BROKEN\r\n\r\n'));
  socket.on('error', resolve).on('close', resolve).resume();
});

describe('system', () => {
  test('the figures move with what happens', {timeout: 90_000}, async (t) => {
    const page = await openConsole(browser, t, server, '#/system');
    await page.getByText('healthy').waitFor();
    await page.getByText('serving').waitFor();
    assert.match(await value(page, 'Memory'), /MB$/);
    const run = await server.begin('Tell me a long story about rivers');
    await reaches(page, 'Events', /^[1-9][\d.k]*\/s$/);
    await reaches(page, 'Commits', /^[\d.]+ ms$/);
    assert.ok(Number(await value(page, 'Streams')) >= 1, 'this page itself has a stream');
    for (let i = 0; i < 3; ++i) await brokenRequest();
    await reaches(page, 'Errors', /^(0\.|[1-9])/);
    assert.ok(await drawn(page, 'Events') > 500, 'there is a line');
    await picture(page, 'system');
    await server.post(`${run.route}/interrupt`);
  });

  test('an alert is here soon after it was raised', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server, '#/system');
    await page.getByText('No alerts').waitFor();
    await server.begin('alert the administrators: <b>the disk</b> is almost full', {agent: 'operator'});
    const alerts = page.getByRole('region', {name: 'Alerts'});
    await alerts.getByText('<b>the disk</b> is almost full').waitFor({timeout: 20_000});
    await alerts.getByRole('link', {name: 'log'}).click();
    await page.waitForURL(/#\/run\/run_/);
  });

  test('a look elsewhere and a restart of the server are survived', {timeout: 90_000}, async (t) => {
    const page = await openConsole(browser, t, server, '#/system');
    await page.getByText('healthy').waitFor();
    await page.goto(`${server.url}/#/agents`);
    await page.getByRole('heading', {name: 'Agents'}).waitFor();
    await page.goto(`${server.url}/#/system`);
    await plot(page, 'Memory').waitFor();
    await server.kill();
    await page.getByText(/cannot be reached/).waitFor();
    await server.start();
    await page.getByText(/cannot be reached/).waitFor({state: 'detached', timeout: 20_000});
    await page.getByText('healthy').waitFor();
  });

  test('no serious fault of access, light, dark and on a phone', {timeout: 120_000}, async (t) => {
    for (const [name, options] of [['light', {}], ['dark', dark], ['phone', phone]]) {
      const page = await openConsole(browser, t, server, '#/system', options);
      await plot(page, 'Memory').waitFor();
      await page.waitForTimeout(3000);
      assert.deepEqual(await seriousFaults(page), [], name);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: nothing stands out at the side`);
      await picture(page, `system-${name}`);
    }
  });
});
