// A server that knows its users: who comes in, who does not, and what happens when a login ends.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {after, before, describe, test} from 'node:test';
import {dark, launch, newContext, openConsole, openPage, phone, picture, seriousFaults} from './fixture.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const binary = process.env.BRAIDLOG_BIN ?? ['build/release/braidlog', 'build/dev/braidlog'].map((name) => path.join(root, name)).find(existsSync);
const folder = mkdtempSync(path.join(tmpdir(), 'braidlog-login-'));
const users = (...words) => execFileSync(binary, ['user', ...words, '--data', folder], {input: 'correct horse battery\n', encoding: 'utf8'});

class SecuredServer {
  async start() {
    this.process = spawn(binary, ['serve', '--listen', '127.0.0.1:0', '--data', folder], {stdio: ['ignore', 'pipe', 'ignore'], env: {...process.env, BRAIDLOG_OFFLINE_PACE: '30'}});
    this.url = await new Promise((resolve, reject) => {
      let said = '';
      this.process.on('exit', (code) => reject(new Error(`the server ended (${code})`)));
      this.process.stdout.on('data', (data) => {
        said += data;
        const found = said.match(/listening on (http:\/\/127\.0\.0\.1:\d+)/);
        if (found) resolve(found[1]);
      });
    });
  }

  end() {
    this.process?.kill('SIGKILL');
    rmSync(folder, {recursive: true, force: true});
  }
}

const server = new SecuredServer();
let browser;
before(async () => {
  users('add', 'ada', '--admin');
  users('add', 'bob');
  users('add', 'eve');
  [browser] = await Promise.all([launch(), server.start()]);
});
after(async () => { await browser?.close(); server.end(); });

const fill = async (page, name, password) => {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', {name: 'Log in'}).click();
};
const logIn = async (page, name) => {
  await fill(page, name, 'correct horse battery');
  await page.getByRole('navigation', {name: 'Panels'}).waitFor();
};
const panels = (page) => page.locator('.nav-list .nav-word').allInnerTexts();

describe('the login', () => {
  test('a wrong password is told, the right one opens the page that was asked for', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server, '#/approvals');
    await page.getByLabel('Name').waitFor();
    assert.equal(await page.getByRole('navigation').count(), 0, 'nothing of the console is there');
    assert.deepEqual(await seriousFaults(page), []);
    await picture(page, 'login');
    await fill(page, 'ada', 'wrong');
    await page.getByRole('alert').waitFor();
    await fill(page, 'ada', 'correct horse battery');
    await page.getByText('Nothing waits for you').waitFor();
    assert.ok((await panels(page)).includes('System'));
    await page.reload();
    await page.getByText('Nothing waits for you').waitFor();
    await page.getByRole('button', {name: 'Log out'}).click();
    await page.getByLabel('Name').waitFor();
    await page.reload();
    await page.getByLabel('Name').waitFor();
  });

  test('a user is no admin', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server);
    await logIn(page, 'bob');
    assert.ok(!(await panels(page)).includes('System'));
    await page.goto(`${server.url}/#/agents/assistant`);
    await page.getByRole('heading', {name: 'assistant'}).waitFor();
    assert.equal(await page.getByText('As loaded').count(), 0, 'the file is for admins');
    await page.goto(`${server.url}/#/approvals`);
    await page.getByText('Nothing waits for you').waitFor();
    assert.equal(await page.getByText('of all users').count(), 0);
  });

  test('an admin sees what waits for others, and says so by a switch', {timeout: 60_000}, async (t) => {
    const bob = await openConsole(browser, t, server, '#/agents/assistant');
    await logIn(bob, 'bob');
    await bob.getByRole('button', {name: 'Try file_write'}).click();
    await bob.getByRole('textbox', {name: /^path/}).fill('bob.txt');
    await bob.getByRole('textbox', {name: /^content/}).fill('of bob');
    await bob.getByRole('button', {name: 'Call file_write'}).click();
    await bob.getByRole('group', {name: 'May file_write run?'}).waitFor();
    const ada = await openConsole(browser, t, server, '#/approvals');
    await logIn(ada, 'ada');
    await ada.getByText('Nothing waits for you').waitFor();
    await ada.getByLabel('of all users').check();
    await ada.locator('.approval').getByText('bob.txt').waitFor();
    await ada.waitForTimeout(400);
    await ada.getByRole('button', {name: 'Allow once'}).click();
    await bob.getByText('It worked.').waitFor();
  });

  test('a login that ends in mid-stream leads back to the login, in every tab', {timeout: 60_000}, async (t) => {
    const context = await newContext(browser, t);
    const page = await openPage(context, t, server.url);
    await logIn(page, 'eve');
    const other = await openPage(context, t, `${server.url}/#/tasks`);
    await other.getByRole('heading', {name: 'Tasks'}).waitFor();
    await page.getByRole('textbox', {name: 'Message'}).fill('Tell me a long story about rivers');
    await page.getByRole('textbox', {name: 'Message'}).press('Enter');
    await page.locator('.run .markdown').waitFor();
    users('disable', 'eve');
    await page.getByLabel('Name').waitFor({timeout: 20_000});
    await other.getByLabel('Name').waitFor({timeout: 20_000});
    await fill(page, 'eve', 'correct horse battery');
    await page.getByRole('alert').waitFor();
    users('enable', 'eve');
    await logIn(page, 'eve');
  });

  test('dark, and on a phone', {timeout: 60_000}, async (t) => {
    for (const [name, options] of [['dark', dark], ['phone', phone]]) {
      const page = await openConsole(browser, t, server, '', options);
      await page.getByLabel('Name').waitFor();
      assert.deepEqual(await seriousFaults(page), [], name);
      await picture(page, `login-${name}`);
    }
  });
});
