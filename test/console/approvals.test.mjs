// The approvals inbox: what is asked, how it is decided, and that nothing is decided by accident.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';
import {Server, dark, launch, newContext, openConsole, openPage, phone, picture, seriousFaults, until} from './fixture.mjs';

const server = new Server({pace: 0});
writeFileSync(path.join(server.folder, 'agents', 'payer.yaml'), `name: payer
description: Pays
model: {provider: offline, pace: 0ms}
instructions: Pay.
approval: {default: ask, timeout: 45s}
tools:
  - http:
      name: pay
      description: Pays an amount
      method: POST
      url: "http://127.0.0.1:9/pay"
      parameters: {type: object, properties: {account: {type: integer}, amount: {type: number}, note: {type: string}}}
      addresses: [127.0.0.1]
`);
let browser;
before(async () => { [browser] = await Promise.all([launch(), server.start()]); });
after(async () => { await browser?.close(); await server.end(); });

// A run that waits at once, with exactly these arguments.
async function pendingCall(agent, tool, args) {
  const reply = await fetch(`${server.url}/console/runs`, {method: 'POST', headers: {'Content-Type': 'application/json'},
    body: JSON.stringify({agent: `try:${agent}`, message: `call ${tool} ${typeof args === 'string' ? args : JSON.stringify(args)}`})});
  assert.equal(reply.status, 202, await reply.clone().text());
  const {session_id: sessionId, run_id: runId} = await reply.json();
  const approval = await server.pendingApproval(sessionId);
  return {sessionId, runId, approvalId: approval.approval_id};
}
const pendingFile = (name, content = 'text\n') => pendingCall('slow', 'file_write', {path: name, content});
const pendingIds = async () => (await server.get('/approvals')).items.map((item) => item.approval_id);
const clear = async () => {
  for (const item of (await server.get('/approvals')).items) await server.post(`/sessions/${item.session_id}/approvals/${item.approval_id}/reject`);
};
const files = async (sessionId) => (await server.get(`/sessions/${sessionId}/files`)).files.map((file) => file.path);
const card = (page, {approvalId}) => page.locator(`#${approvalId}`);
const armed = (page, one) => page.locator(`#${one.approvalId}.armed`).waitFor();
const toast = (page, text) => page.locator('.toast').getByText(text).first().waitFor();

describe('the inbox', () => {
  test('shows what will run, with nothing hidden and no number changed', {timeout: 60_000}, async (t) => {
    t.after(clear);
    const file = await pendingFile('photo\u202Egpj.sh', 'line one\n\tline\u200B two\n');
    const pay = await pendingCall('payer', 'pay', '{"account": 9007199254740993, "amount": 1.5, "note": "<img src=x onerror=alert(1)>"}');
    const page = await openConsole(browser, t, server, '#/approvals');
    await card(page, file).getByText('tried with').waitFor();
    const shown = await card(page, file).innerText();
    assert.ok(!/[\u202E\u200B]/.test(shown), 'neither mark reaches the page');
    assert.match(shown, /photo\s*U\+202E\s*gpj\.sh/);
    assert.match(shown, /line one\n→\s+line\s*U\+200B\s*two/);
    assert.match(shown, /2 lines, 22 bytes/);
    const paid = await card(page, pay).innerText();
    assert.match(paid, /9007199254740993/, 'which JSON.parse would make even');
    assert.match(paid, /1\.5/);
    assert.match(paid, /<img src=x onerror=alert\(1\)>/);
    assert.match(paid, /tried with payer in its session/);
    await card(page, pay).getByText(/times out in \d+ s/).waitFor();
    await card(page, file).getByText(/times out in (29|30) min/).waitFor();
    assert.deepEqual(await page.locator('.approval').evaluateAll((all) => all.map((one) => one.id)), [file.approvalId, pay.approvalId], 'oldest first');
    assert.equal(await page.getByRole('navigation').getByLabel('2 waiting').innerText(), '2');
    await picture(page, 'approvals');
  });

  test('A allows, R rejects, j and k choose', {timeout: 60_000}, async (t) => {
    t.after(clear);
    const [one, two, three] = [await pendingFile('one.txt'), await pendingFile('two.txt'), await pendingFile('three.txt')];
    const page = await openConsole(browser, t, server, '#/approvals');
    await armed(page, one);
    await page.keyboard.press('j');
    await armed(page, two);
    await page.keyboard.press('ArrowDown');
    await armed(page, three);
    await page.keyboard.press('k');
    await armed(page, two);
    await page.keyboard.press('a');
    await toast(page, 'Allowed once: file_write');
    await until(async () => (await files(two.sessionId)).includes('two.txt'), 'the file');
    await armed(page, three);
    await page.keyboard.press('r');
    await toast(page, 'Rejected: file_write');
    await until(async () => (await server.get(`/runs/${three.runId}`)).status === 'completed', 'the end of the run');
    assert.deepEqual(await files(three.sessionId), []);
    assert.deepEqual(await pendingIds(), [one.approvalId]);
    await armed(page, one);
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.waitForTimeout(500);
    assert.deepEqual(await pendingIds(), [one.approvalId], 'g a goes to this panel, it allows nothing');
  });

  test('a reason is told to the agent, always is for the session', {timeout: 60_000}, async (t) => {
    t.after(clear);
    const [one, two] = [await pendingFile('one.txt'), await pendingFile('two.txt')];
    const page = await openConsole(browser, t, server, '#/approvals');
    await armed(page, one);
    await page.keyboard.press('Shift+R');
    await page.getByLabel(/Why not/).fill('Use another name');
    await page.keyboard.press('Enter');
    await toast(page, 'Rejected: file_write');
    const log = await (await fetch(`${server.url}/runs/${one.runId}/stream`)).text();
    assert.match(log, /Use another name/);
    await armed(page, two);
    await page.keyboard.press('Shift+A');
    await toast(page, 'Allowed in this session from now on: file_write');
    await until(async () => (await files(two.sessionId)).length === 1, 'the file');
    await until(async () => (await server.get(`/sessions/${two.sessionId}`)).active_run_id === null, 'the end of the run');
    await server.post(`/sessions/${two.sessionId}/messages`, {message: 'call file_write {"path": "next.txt", "content": "x"}'});
    await until(async () => (await files(two.sessionId)).includes('next.txt'), 'a file that nobody was asked about');
  });

  test('what is decided elsewhere leaves, and deciding it again is told kindly', {timeout: 60_000}, async (t) => {
    t.after(clear);
    const [one, two] = [await pendingFile('one.txt'), await pendingFile('two.txt')];
    const context = await newContext(browser, t);
    const [left, right] = [await openPage(context, t, `${server.url}/#/approvals`), await openPage(context, t, `${server.url}/#/approvals`)];
    await armed(left, one);
    await card(right, two).getByRole('button', {name: 'Allow once'}).click();
    await card(left, two).waitFor({state: 'detached'});
    // This page is not told any more: it still shows what another one decides.
    await left.route('**/api/v1/approvals', () => {});
    await left.bringToFront();
    await server.post(`/sessions/${one.sessionId}/approvals/${one.approvalId}/approve`);
    await armed(left, one);
    await left.keyboard.press('a');
    await toast(left, /decided already/);
    await card(left, one).waitFor({state: 'detached'});
  });

  test('a key never falls on a card that has just come under it', {timeout: 60_000}, async (t) => {
    t.after(clear);
    const [one, two] = [await pendingFile('one.txt'), await pendingFile('two.txt')];
    const page = await openConsole(browser, t, server, '#/approvals');
    await armed(page, one);
    // A moment after the selection moves a key goes down that was meant for the card before.
    await page.evaluate(() => {
      let last = document.querySelector('.approval[aria-current]').id;
      new MutationObserver(() => {
        const selected = document.querySelector('.approval[aria-current]')?.id;
        if (selected && selected !== last) setTimeout(() => dispatchEvent(new KeyboardEvent('keydown', {key: 'a', bubbles: true})), 240);
        last = selected;
      }).observe(document.querySelector('.approval-list'), {subtree: true, childList: true, attributes: true});
    });
    await server.post(`/sessions/${one.sessionId}/approvals/${one.approvalId}/reject`);
    await card(page, one).waitFor({state: 'detached'});
    await armed(page, two);
    await page.waitForTimeout(300);
    assert.deepEqual(await pendingIds(), [two.approvalId]);
  });

  test('a click never falls on a card that has just come under it', {timeout: 60_000}, async (t) => {
    t.after(clear);
    const [one, two] = [await pendingFile('one.txt'), await pendingFile('two.txt')];
    const page = await openConsole(browser, t, server, '#/approvals');
    await armed(page, one);
    const button = card(page, one).getByRole('button', {name: 'Allow once'});
    const {x, y} = await button.boundingBox();
    // As soon as the card is gone the second click of an impatient hand comes, in the same place.
    await page.evaluate(([left, top]) => new MutationObserver((_, observer) => {
      observer.disconnect();
      requestAnimationFrame(() => document.elementFromPoint(left, top).click());
    }).observe(document.querySelector('.approval-list'), {childList: true}), [x + 10, y + 10]);
    await button.click();
    await toast(page, 'Allowed once');
    await toast(page, 'The list has just moved');
    assert.deepEqual(await pendingIds(), [two.approvalId]);
    await page.waitForTimeout(400);
    await card(page, two).getByRole('button', {name: 'Allow once'}).click();
    await card(page, two).waitFor({state: 'detached'});
  });

  test('is empty when it is, and has no serious fault of access', {timeout: 120_000}, async (t) => {
    t.after(clear);
    const page = await openConsole(browser, t, server, '#/approvals');
    await page.getByText('Nothing waits for you').waitFor();
    assert.deepEqual(await seriousFaults(page), []);
    const one = await pendingFile('notes/plan.md', '# Plan\n\n- one\n- two\n');
    await pendingCall('payer', 'pay', {account: 7, amount: 5, note: 'A longer note that does not fit on one line of the card, because it goes on and on and on'});
    await card(page, one).getByText(/times out/).waitFor();
    assert.deepEqual(await seriousFaults(page), []);
    for (const [name, options] of [['dark', dark], ['phone', phone]]) {
      const other = await openConsole(browser, t, server, '#/approvals', options);
      await card(other, one).getByText(/times out/).waitFor();
      assert.deepEqual(await seriousFaults(other), [], name);
      assert.ok(await other.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: nothing stands out at the side`);
      await picture(other, `approvals-${name}`);
    }
  });
});
