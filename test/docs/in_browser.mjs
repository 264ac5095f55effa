// Runs programs in Chromium, each in a page of its own on another port of this machine, until it has printed what is asked for.
// stdin: [{"name","code","lines"}], lines being how many it prints; stdout: {name: [what it printed]}
import {text} from 'node:stream/consumers';
import {emptySite, launch} from '../browser/chromium.mjs';

const programs = JSON.parse(await text(process.stdin));
const site = await emptySite();
const browser = await launch();
const printed = {};
for (const {name, code, lines} of programs) {
  const said = printed[name] = [];
  const page = await browser.newPage();
  page.on('pageerror', (error) => said.push(String(error)));
  const enough = new Promise((resolve) => page.on('console', (message) => {
    said.push(message.text());
    if (said.length >= lines) resolve();
  }));
  await page.goto(site.url('127.0.0.1'));
  await page.addScriptTag({content: code, type: 'module'});
  await Promise.race([enough, new Promise((resolve) => setTimeout(resolve, 20_000).unref())]);
  await page.close();
}
await browser.close();
site.close();
console.log(JSON.stringify(printed));
