// How the console behaves for everybody: hostile output, accessibility, small screens, the keyboard.
import assert from 'node:assert/strict';
import {after, before, describe, test} from 'node:test';
import {Server, dark, launch, openConsole, phone, picture, seriousFaults, until} from './fixture.mjs';
import {answer, over} from './run_helpers.mjs';

const server = new Server({pace: 0});
let browser;
before(async () => { [browser] = await Promise.all([launch(), server.start()]); });
after(async () => { await browser?.close(); await server.end(); });

const ask = async (page, text) => {
  const box = page.getByRole('textbox', {name: 'Message'});
  await box.fill(text);
  await box.press('Enter');
};

const hostile = ['<script>window.hacked = 1</script>', '<img src="https://evil.test/a.png" onerror="window.hacked = 2">',
  'A [link](javascript:window.hacked=3), [another](&#106;avascript:alert(4)), [data](data:text/html,<script>alert(5)</script>) and [good](https://example.org/x).',
  '![a picture](https://evil.test/b.png) and ![no](data:image/svg+xml;base64,AAAA)', '<iframe src="https://evil.test/c"></iframe>',
  '<svg onload="window.hacked = 6"><style>* { display: none }</style></svg>', 'Inline <b onclick="x()">bold</b> and <a href="javascript:x()">a</a>',
  '[ref]: javascript:alert(7)', 'See [ref] and <https://evil.test/auto> and <javascript:alert(8)>', 'File: annual\u202efdp.exe \u2066hidden\u2069',
  `| ${Array.from({length: 60}, (_, i) => `c${i}`).join(' | ')} |\n|${'---|'.repeat(60)}\n| ${'x | '.repeat(60)}`,
  `| a | b |\n|---|---|\n${Array.from({length: 300}, (_, i) => `| r${i} | ${i} |`).join('\n')}`,
  '```html\n<script>window.hacked = 9</script>\n```', '`<img src=x onerror=alert(1)>`'].join('\n\n');

describe('hostile output', () => {
  test('shows as text and loads nothing', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server);
    await page.getByRole('combobox', {name: 'Agent'}).selectOption('assistant');
    await ask(page, `say exactly: ${hostile}`);
    await over(page);
    const text = await answer(page).innerText();
    for (const shown of ['<script>window.hacked = 1</script>', 'onerror="window.hacked = 2"', 'javascript:window.hacked=3', '<iframe', '<svg onload',
      'annual⟨U+202E⟩fdp.exe', '⟨U+2066⟩hidden', 'Picture: a picture', '| c0 | c1 |', '| r299 | 299 |', '<script>window.hacked = 9</script>']) {
      assert.ok(text.includes(shown), `${shown} is not there as text:\n${text.slice(0, 3000)}`);
    }
    const markup = await answer(page).locator('.markdown').evaluateAll((all) => all.flatMap((one) =>
      [...one.querySelectorAll('script, img, iframe, svg, style, form, input, object, b, [style], [onclick], [onerror]')].map((bad) => bad.outerHTML)));
    assert.deepEqual(markup, []);
    const links = await answer(page).locator('.markdown a').evaluateAll((all) => all.map((link) => [link.protocol, link.rel, link.target]));
    assert.ok(links.length >= 2);
    for (const link of links) assert.deepEqual(link, ['https:', 'noopener noreferrer', '_blank']);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    await picture(page, 'hostile');
  });

  test('a name that is markup, in a tool call and a title, is text', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server);
    await page.getByRole('combobox', {name: 'Agent'}).selectOption('writer');
    await ask(page, 'Write a haiku about <img src=x onerror=alert(1)> to notes.md');
    await page.getByRole('group', {name: 'May file_write run?'}).getByRole('button', {name: 'Allow once'}).click();
    await over(page);
    assert.equal(await page.locator('main img').count(), 0);
  });
});

for (const [name, options] of [['light', {}], ['dark', dark], ['phone', phone]]) {
  describe(`looks: ${name}`, () => {
    test('axe finds nothing serious', {timeout: 90_000}, async (t) => {
      const page = await openConsole(browser, t, server, '', {...options, bypassCSP: true});
      await page.getByRole('button', {name: /Tell me a story/}).waitFor();
      await picture(page, `${name}-welcome`);
      assert.deepEqual(await seriousFaults(page), []);
      await page.getByRole('button', {name: /Write a file/}).click();
      await page.getByRole('group', {name: 'May file_write run?'}).waitFor();
      await picture(page, `${name}-approval`);
      assert.deepEqual(await seriousFaults(page), []);
      await page.getByRole('button', {name: 'Allow once'}).click();
      await over(page);
      await ask(page, 'say exactly: # One\n\nSome `code` and a [link](https://example.org).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\ndef f(x):\n    return "x"  # 1\n```');
      await page.locator('.hljs-keyword').first().waitFor();
      await over(page);
      await picture(page, `${name}-answer`);
      assert.deepEqual(await seriousFaults(page), []);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
    });
  });
}

describe('a phone', () => {
  test('reaches the sessions, every panel and the login from its bar', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server, '', phone);
    await page.getByRole('button', {name: 'Sessions'}).click();
    await page.getByRole('dialog', {name: 'Sessions'}).getByRole('link', {name: 'New chat'}).waitFor();
    await picture(page, 'phone-drawer');
    await page.keyboard.press('Escape');
    await page.getByRole('button', {name: 'More'}).click();
    await picture(page, 'phone-more');
    await page.getByRole('dialog').getByRole('link', {name: 'Agents'}).click();
    await until(() => page.url().endsWith('#/agents'), 'the panel');
    assert.equal(await page.getByRole('dialog').count(), 0);
  });
});

describe('the keyboard', () => {
  test('leads everywhere, and writes where somebody types', {timeout: 60_000}, async (t) => {
    const page = await openConsole(browser, t, server);
    await page.getByRole('button', {name: /Tell me a story/}).waitFor();
    await page.getByRole('textbox', {name: 'Message'}).press('g');
    await page.getByRole('textbox', {name: 'Message'}).press('r');
    assert.match(page.url(), /#?\/?$/);
    await page.getByRole('textbox', {name: 'Message'}).fill('');
    for (const [key, panel] of [['r', 'runs'], ['a', 'approvals'], ['k', 'tasks'], ['g', 'agents'], ['s', 'system'], ['c', 'chat']]) {
      await until(async () => {
        await page.locator('#main').focus();  // a panel that comes late takes the focus, and then somebody types
        await page.keyboard.press('g');
        await page.keyboard.press(key);
        return page.url().endsWith(`#/${panel}`);
      }, panel);
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', {name: 'Keys'}).waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('dialog').count(), 0);
    const skip = page.getByRole('link', {name: 'Skip to content'});
    await skip.focus();
    assert.ok((await skip.boundingBox()).y >= 0, 'the skip link can be seen when it has the focus');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  });
});
