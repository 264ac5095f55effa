// Agents: as they are loaded, what is wrong with their files, and one tool tried through a form made from its schema.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {after, before, describe, test} from 'node:test';
import {Server, dark, launch, openConsole, phone, picture, seriousFaults, until} from './fixture.mjs';

const server = new Server({pace: 0});
const agentFile = (name, text) => writeFileSync(path.join(server.folder, 'agents', `${name}.yaml`), text);
const SHOP = `name: shop
description: Sells tents
model: {provider: offline}
instructions: Sell.
approval: {default: ask, tools: {refund: deny}}
tools:
  - calculator
  - file_write
  - http:
      name: search
      description: Looks for things
      url: "http://127.0.0.1:9/search"
      parameters:
        type: object
        properties:
          words: {type: string, description: What to look for, maxLength: 40}
          limit: {type: integer, minimum: 1, maximum: 20}
          exact: {type: boolean}
          state: {type: string, enum: [open, sent]}
          tags: {type: array, items: {type: string}}
          price: {type: object, properties: {from: {type: number}, to: {type: number}}, required: [from]}
          extra: {anyOf: [{type: string}, {type: object}]}
        required: [words]
      writes: false
      addresses: [127.0.0.1]
  - http: {name: refund, description: Gives money back, method: POST, url: "http://127.0.0.1:9/refund", addresses: [127.0.0.1]}
`;
agentFile('shop', SHOP);
let browser;
before(async () => { [browser] = await Promise.all([launch(), server.start()]); });
after(async () => { await browser?.close(); await server.end(); });

const tool = (page, name) => page.locator('.tool').filter({has: page.getByText(name, {exact: true})});
const open = async (page, name) => {
  await page.getByRole('button', {name: `Try ${name}`}).click();
  return page.getByRole('form', {name: `Try ${name}`});
};

describe('agents', () => {
  test('each is shown as it is loaded', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server, '#/agents');
    await page.getByRole('link', {name: /^shop/}).click();
    await page.getByRole('heading', {name: 'shop'}).waitFor();
    assert.match(page.url(), /#\/agents\/shop$/);
    await page.locator('.code-block').getByText('Sells tents').waitFor();
    await page.locator('.code-block [class*=hljs]').first().waitFor();
    assert.deepEqual(await tool(page, 'calculator').locator('.tool-badge').allInnerTexts(), ['reads']);
    assert.deepEqual(await tool(page, 'file_write').locator('.tool-badge').allInnerTexts(), ['writes', 'asks first']);
    assert.deepEqual(await tool(page, 'refund').locator('.tool-badge').allInnerTexts(), ['writes', 'never runs']);
    await page.getByRole('button', {name: 'Schema of search'}).click();
    await tool(page, 'search').getByText('"What to look for"').waitFor();
    await picture(page, 'agents');
    await page.getByRole('link', {name: 'Chat', exact: true}).last().click();
    await page.waitForURL(/#\/chat$/);
    assert.equal(await page.getByRole('combobox', {name: 'Agent'}).inputValue(), 'shop');
  });

  test('a file that goes wrong is told line by line, and told off when it is right again', {timeout: 60_000}, async (t) => {
    agentFile('second', 'name: second\ninstructions: Hello.\n');
    const page = await openConsole(browser, t, server, '#/agents/second');
    await page.getByRole('heading', {name: 'second'}).waitFor({timeout: 15_000});
    agentFile('second', 'name: second\nmodle: {provider: offline}\nmax_steps: many\n');
    const fault = page.getByRole('alert', {name: /second\.yaml/});
    await fault.waitFor({timeout: 15_000});
    await fault.getByText(/modle/).waitFor();
    await fault.getByText(/max_steps/).waitFor();
    await fault.getByText(/Agent second stays as it was/).waitFor();
    await page.getByRole('link', {name: 'One file is at fault'}).waitFor();
    await picture(page, 'agents-fault');
    agentFile('second', 'name: second\ninstructions: Hello again.\n');
    await fault.waitFor({state: 'detached', timeout: 15_000});
    await page.locator('.code-block').getByText('Hello again.').waitFor();
  });

  test('a tool that reads is called with what the form says', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server, '#/agents/shop');
    const form = await open(page, 'calculator');
    await form.getByRole('button', {name: 'Call calculator'}).click();
    await form.getByText('is needed').waitFor();
    await form.getByRole('textbox', {name: /expression/}).fill('6 * 7');
    await form.getByRole('button', {name: 'Call calculator'}).click();
    await form.getByText('It worked.').waitFor();
    await form.getByText('42').waitFor();
    await picture(page, 'agents-try');
  });

  test('every kind of input, and JSON for what a form cannot', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server, '#/agents/shop');
    const form = await open(page, 'search');
    await form.getByRole('textbox', {name: /^words/}).fill('tent "two"');
    await form.getByRole('textbox', {name: /^limit/}).fill('1.5');
    await form.getByRole('combobox', {name: /^exact/}).selectOption('true');
    await form.getByRole('combobox', {name: /^state/}).selectOption('sent');
    await form.getByRole('button', {name: 'Add to tags'}).click();
    await form.getByRole('button', {name: 'Add to tags'}).click();
    await form.getByRole('textbox', {name: /^tags 1/}).fill('red');
    await form.getByRole('button', {name: 'Remove tags 2'}).click();
    await form.getByRole('textbox', {name: /^to/}).fill('12345678901234567890');
    await form.getByRole('textbox', {name: /^extra/}).fill('{"a": ');
    await form.getByRole('button', {name: 'Call search'}).click();
    await form.getByText('must be a whole number').waitFor();
    await form.getByText('is no JSON').waitFor();
    await form.getByText('is needed').waitFor();
    await form.getByRole('textbox', {name: /^limit/}).fill('3');
    await form.getByRole('textbox', {name: /^from/}).fill('1.50');
    await form.getByRole('textbox', {name: /^extra/}).fill('{"a": 1}');
    await picture(page, 'agents-form');
    await form.getByRole('button', {name: 'Write JSON'}).click();
    assert.equal(await form.getByRole('textbox', {name: 'Arguments as JSON'}).inputValue(),
      '{"words": "tent \\"two\\"", "limit": 3, "exact": true, "state": "sent", "tags": ["red"], "price": {"from": 1.50, "to": 12345678901234567890}, "extra": {"a": 1}}');
    await form.getByRole('button', {name: 'Call search'}).click();
    await form.getByText(/^It failed/).waitFor();
  });

  test('a tool that writes asks here, and does what was said', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server, '#/agents/shop');
    const form = await open(page, 'file_write');
    await form.getByRole('textbox', {name: /^path/}).fill('tried.txt');
    await form.getByRole('textbox', {name: /^content/}).fill('one\ntwo\n');
    await form.getByRole('button', {name: 'Call file_write'}).click();
    const question = form.getByRole('group', {name: 'May file_write run?'});
    await question.waitFor();
    await picture(page, 'agents-ask');
    const {items: [approval]} = await server.get('/approvals');
    assert.deepEqual(approval.args, {path: 'tried.txt', content: 'one\ntwo\n'});
    await question.getByRole('button', {name: 'Allow once'}).click();
    await form.getByText('It worked.').waitFor();
    await until(async () => (await server.get(`/sessions/${approval.session_id}/files`)).files.length === 1, 'the file');
    const denied = await open(page, 'refund');
    await denied.getByRole('button', {name: 'Call refund'}).click();
    await denied.getByText('It was not run: denied').waitFor();
  });

  test('no serious fault of access, light, dark and on a phone', {timeout: 120_000}, async (t) => {
    for (const [name, options] of [['light', {}], ['dark', dark], ['phone', phone]]) {
      const page = await openConsole(browser, t, server, '#/agents/shop', options);
      await open(page, 'search');
      await page.getByRole('button', {name: 'Schema of calculator'}).click();
      await page.getByRole('button', {name: 'Call search'}).click();
      await page.getByText('is needed').waitFor();
      assert.deepEqual(await seriousFaults(page), [], name);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: nothing stands out at the side`);
      await picture(page, `agents-${name}`);
    }
  });
});
