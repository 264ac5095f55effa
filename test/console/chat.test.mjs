// The chat panel: what people do in it first, and what happens to it when the world is unkind.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {CountingProxy, Server, launch, newContext, openConsole, openPage, picture, until} from './fixture.mjs';
import {answer, over} from './run_helpers.mjs';

const server = new Server({pace: 15});
let browser;
before(async () => { [browser] = await Promise.all([launch(), server.start()]); });
after(async () => { await browser?.close(); await server.end(); });

export const composer = (page) => page.getByRole('textbox', {name: 'Message'});
export const ask = async (page, text) => { await composer(page).fill(text); await composer(page).press('Enter'); };
const choose = (page, name, value) => page.getByRole('combobox', {name}).selectOption(value);
const said = (page, text) => answer(page).locator('.markdown', {hasText: text}).first().waitFor();
const words = (count, from = 0) => Array.from({length: count}, (_, index) => `word${from + index}`).join(' ');

describe('the chat', () => {
  test('a new user gets a streamed answer with one click, and the first paint is quick', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server);
    await page.getByRole('button', {name: /Tell me a story/}).waitFor();
    const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
    assert.ok(paint < 1000, `first paint after ${paint} ms`);
    await picture(page, 'welcome');
    await page.getByRole('button', {name: /Tell me a story/}).click();
    const text = answer(page).locator('.markdown');
    await text.waitFor();
    const early = await text.innerText();
    await page.waitForFunction((length) => document.querySelector('.run .markdown').innerText.length > length + 100, early.length);
    await picture(page, 'streaming');
    assert.match(page.url(), /#\/chat\/sess_/);
    await page.getByRole('button', {name: 'Stop'}).click();
    await answer(page).getByText('Stopped.').waitFor();
    await page.getByRole('button', {name: 'Send'}).waitFor();
    assert.equal(await page.locator('.pulse').count(), 0, 'nothing moves any more');
  });

  test('a tool asks, is allowed, and shows what it did', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server);
    await page.getByRole('button', {name: /Write a file/}).click();
    const question = page.getByRole('group', {name: 'May file_write run?'});
    await question.waitFor();
    await answer(page).getByText('haiku.md').first().waitFor();
    await page.getByRole('navigation').getByLabel(/waiting/).waitFor();
    await picture(page, 'approval');
    await question.getByRole('button', {name: 'Allow once'}).click();
    await over(page);
    const call = page.getByRole('region', {name: 'Tool file_write'});
    await call.getByRole('button').first().click();
    await call.getByText('Allowed.').waitFor();
    const session = page.url().split('/').at(-1);
    assert.deepEqual((await server.get(`/sessions/${session}/files`)).files.map((file) => file.path), ['haiku.md']);
    await picture(page, 'approved');
  });

  test('a no with its reason is a no', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server);
    await page.getByRole('button', {name: /Write a file/}).click();
    await page.getByRole('group', {name: 'May file_write run?'}).getByRole('button', {name: 'Reject'}).click();
    await page.getByRole('textbox', {name: 'Reason'}).fill('Not on a Monday');
    await page.getByRole('button', {name: 'Reject', exact: true}).click();
    await over(page);
    await page.getByRole('region', {name: 'Tool file_write'}).getByRole('button').first().click();
    await page.getByText('Rejected: Not on a Monday').waitFor();
    assert.deepEqual((await server.get(`/sessions/${page.url().split('/').at(-1)}/files`)).files, []);
  });

  test('a session in which a tool was tried goes on with the agent itself', {timeout: 60_000}, async (t) => {
    const {sessionId} = await server.begin('call file_list {}', {agent: 'try:writer'});
    const page = await openConsole(browser, t, server, `#/chat/${sessionId}`);
    await over(page);
    await until(async () => await page.getByRole('combobox', {name: 'Agent'}).inputValue() === 'writer', 'the agent');
    assert.equal(await page.getByRole('textbox', {name: 'Message'}).getAttribute('placeholder'), 'Message writer');
  });

  test('a draft stays with its session', {timeout: 60_000}, async (t) => {
    const [one, two] = [await server.begin('say exactly: one'), await server.begin('say exactly: two')];
    const page = await openConsole(browser, t, server, `#/chat/${one.sessionId}`);
    const box = page.getByRole('textbox', {name: 'Message'});
    await box.fill('for one alone');
    await page.evaluate((id) => { location.hash = `#/chat/${id}`; }, two.sessionId);
    await until(async () => await box.inputValue() === '', 'an empty box');
    await page.evaluate(() => { location.hash = '#/approvals'; });
    await page.getByRole('heading', {name: 'Approvals'}).waitFor();
    await page.evaluate((id) => { location.hash = `#/chat/${id}`; }, one.sessionId);
    await until(async () => await box.inputValue() === 'for one alone', 'the draft');
  });

  test('a plan, code that runs, and its output', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server);
    await page.getByRole('button', {name: /Compute something/}).click();
    await over(page);
    await page.getByRole('region', {name: 'Plan'}).waitFor();
    const step = page.getByRole('region', {name: 'Code step'}).first();
    assert.match(await step.innerText(), /is_prime/);
    assert.match(await step.innerText(), /5117/);
    await step.locator('.hljs-keyword').first().waitFor();  // the colours come by themselves
    await picture(page, 'code');
  });

  test('a goal becomes tasks, and the tasks are worked on', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server);
    await page.getByRole('button', {name: /Turn a goal/}).click();
    await page.getByRole('button', {name: 'Work on them'}).click();
    await page.getByText('3 of 3 tasks done').waitFor({timeout: 30_000});
    assert.equal(await page.locator('.run').last().getByRole('region', {name: /^Task /}).count(), 3);
    assert.equal(await page.getByRole('button', {name: 'Work on them'}).count(), 0);
    await picture(page, 'tasks');
  });

  test('files by button, by drop and by paste', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server);
    await choose(page, 'Agent', 'assistant');
    await page.locator('input[type=file]').setInputFiles({name: 'one.txt', mimeType: 'text/plain', buffer: Buffer.from('The first file speaks of rivers.')});
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(['The second file speaks of lakes.'], 'two.txt', {type: 'text/plain'}));
      return data;
    });
    await page.dispatchEvent('.chat-panel', 'dragenter', {dataTransfer: transfer});
    await page.getByText('Drop files to attach them').waitFor();
    await page.dispatchEvent('.chat-panel', 'drop', {dataTransfer: transfer});
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(['The third file speaks of seas.'], 'three.txt', {type: 'text/plain'}));
      document.querySelector('textarea').dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
    });
    const chips = page.getByRole('list', {name: 'Files to send'}).getByRole('listitem');
    await until(async () => await chips.count() === 3, 'three files');
    await page.getByRole('button', {name: 'Remove three.txt'}).click();
    await ask(page, 'Summarize the attached file');
    await over(page);
    assert.deepEqual(await page.getByRole('list', {name: 'Attached files'}).getByRole('listitem').locator('.cut').allInnerTexts(), ['one.txt', 'two.txt']);
    assert.match(await answer(page).innerText(), /rivers/);
    assert.equal(await chips.count(), 0);
    await picture(page, 'files');
  });

  test('a session goes on, is listed, renamed, opened again and deleted', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server);
    await choose(page, 'Agent', 'assistant');
    await ask(page, 'say exactly: the first answer');
    await over(page);
    await ask(page, 'say exactly: the second answer');
    await page.locator('.run').nth(1).getByText('the second answer', {exact: true}).waitFor();
    await over(page);
    await page.getByRole('button', {name: 'Rename'}).click();
    await page.getByRole('textbox', {name: 'Title'}).fill('Two answers');
    await page.getByRole('dialog').getByRole('button', {name: 'Rename'}).click();
    const link = page.getByRole('complementary', {name: 'Sessions'}).getByRole('link', {name: /Two answers/});
    await link.waitFor();
    await page.getByRole('link', {name: 'New chat'}).first().click();
    await page.getByRole('button', {name: /Tell me a story/}).waitFor();
    await link.click();
    await page.getByText('the first answer', {exact: true}).waitFor();
    assert.equal(await page.locator('.run').count(), 2);
    await page.getByRole('button', {name: 'Delete'}).click();
    await page.getByRole('dialog').getByRole('button', {name: 'Delete'}).click();
    await until(async () => await link.count() === 0, 'the session to be gone');
  });

  test('a long session opens with its latest runs, the earlier ones on demand', {timeout: 60_000}, async (t) => {
    const {session_id: session} = await server.post('/sessions', {agent: 'assistant'});
    for (let turn = 0; turn < 13; ++turn) {
      await server.post(`/sessions/${session}/messages`, {message: `say exactly: answer ${turn}.`});
      await until(async () => (await server.get(`/sessions/${session}`)).active_run_id === null, 'the run');
    }
    const page = await openConsole(browser, t, server, `#/chat/${session}`);
    await said(page, 'answer 12.');
    assert.equal(await page.locator('.run').count(), 10);
    await page.getByRole('button', {name: 'Show earlier runs'}).click();
    await page.locator('.run').first().getByText('answer 0.', {exact: true}).waitFor();
    assert.equal(await page.locator('.run').count(), 13);
    assert.equal(await page.getByRole('button', {name: 'Show earlier runs'}).count(), 0);
  });
});

describe('the chat in an unkind world', () => {
  test('a reload in mid-run shows the same view', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server);
    await choose(page, 'Agent', 'slow');
    await ask(page, `say exactly: ${words(150)}`);
    await said(page, 'word20 ');
    const before = await answer(page).locator('.markdown').innerText();
    await page.reload();
    await said(page, 'word20 ');
    assert.ok((await answer(page).locator('.markdown').innerText()).startsWith(before.slice(0, -8)));
    assert.equal(await page.getByRole('button', {name: 'Stop'}).count(), 1, 'it is still at work');
    await over(page);
    assert.equal(await answer(page).locator('.markdown').innerText(), words(150));
    assert.equal(await page.locator('.run').count(), 1);
  });

  test('three tabs see one run through one connection', {timeout: 60_000}, async (t) => {
    const proxy = await new CountingProxy(server.port).listen();
    t.after(() => proxy.close());
    const context = await newContext(browser, t);
    const first = await openPage(context, t, `${proxy.url}/`);
    await choose(first, 'Agent', 'slow');
    await ask(first, `say exactly: ${words(200)}`);
    await said(first, 'word5 ');
    const others = [await openPage(context, t, first.url()), await openPage(context, t, first.url())];
    for (const page of others) await said(page, 'word5 ');
    await until(() => proxy.openTo('/watch') === 1, 'one connection');
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.equal(proxy.openTo('/watch'), 1);
    for (const page of [first, ...others]) {
      await over(page);
      assert.equal(await answer(page).locator('.markdown').innerText(), words(200));
    }
    await first.close();
    await others[0].close();
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(proxy.openTo('/watch'), 1, 'the last page still listens');
    await others[1].close();
    await until(() => proxy.openTo('/watch') === 0, 'the connection to end with the last page');
  });

  test('kill -9 in mid-run: the page goes on by itself', {timeout: 90_000}, async (t) => {
    const page = await openConsole(browser, t, server);
    await choose(page, 'Agent', 'slow');
    await ask(page, `say exactly: ${words(150)}`);
    await said(page, 'word20 ');
    await server.kill();
    await page.getByText('The connection is lost.').waitFor();
    await picture(page, 'lost');
    const kept = await answer(page).locator('.markdown').first().innerText();
    await server.start();
    await page.getByText('The connection is lost.').waitFor({state: 'detached', timeout: 20_000});
    await over(page);
    const text = await answer(page).locator('.markdown').innerText();
    assert.ok(text.startsWith(kept.trim()), 'what was seen stays');
    assert.deepEqual(text.match(/word\d+/g), words(150).split(' '), 'each word once, in order');
    await page.getByText('went on after a restart').waitFor();
    await picture(page, 'resumed');
  });

  test('a finished block of a long answer is drawn once', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server);
    await choose(page, 'Agent', 'slow');
    await ask(page, `say exactly: First block.\n\n${words(30)}\n\n${words(60, 30)}`);
    await said(page, 'word1 ');
    await page.evaluate(() => { document.querySelector('.markdown .block').mark = 'the same'; });
    await over(page);
    assert.equal(await page.evaluate(() => document.querySelector('.markdown .block').mark), 'the same');
  });

  test('scrolling stays where the reader is, and at the end only for who is there', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server, '', {viewport: {width: 1280, height: 480}});
    await choose(page, 'Agent', 'slow');
    const lines = Array.from({length: 90}, (_, index) => `- line${index} of it`).join('\n');
    await ask(page, `say exactly: ${lines}`);
    await said(page, 'line30 ');
    const box = page.getByRole('region', {name: 'Conversation'});
    const rest = () => box.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    assert.ok(await rest() < 90, 'it follows the text');
    await box.evaluate((element) => { element.scrollTop = 0; });
    await said(page, 'line60 ');
    assert.equal(await box.evaluate((element) => element.scrollTop), 0, 'who reads at the top is left in peace');
    await page.getByRole('button', {name: 'To the latest'}).click();
    assert.ok(await rest() < 90);
    await over(page);
  });
});
