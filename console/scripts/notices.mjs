// The licences of the packages that end up in the console ask to go with it: they are collected from what was bundled, and the page links
// to them. A Vite plugin.
import {createHash} from 'node:crypto';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';

function packageOf(id) {
  const found = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replace(/^\0/, '').replaceAll('\\', '/'));
  return found && existsSync(path.join(found[1], 'package.json')) ? found[1] : undefined;
}

function noticeOf(folder) {
  const {name, version, license} = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(path.join(folder, file), 'utf8').trim() : `Licence: ${license}`;
  return {name, text: `${name} ${version}\n\n${text}\n`};
}

export function notices() {
  let link = '';
  return {
    name: 'notices',
    buildEnd() {
      const folders = new Set([...this.getModuleIds()].map(packageOf).filter(Boolean));
      const texts = [...folders].map(noticeOf).sort((a, b) => a.name.localeCompare(b.name)).map(({text}) => text);
      const source = `The console contains these packages.\n\n${texts.join('\n----\n\n')}`;
      const digest = createHash('sha256').update(source).digest('hex').slice(0, 8);
      link = `/assets/notices-${digest}.txt`;
      this.emitFile({type: 'asset', fileName: link.slice(1), source});
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => (link ? [{tag: 'link', attrs: {rel: 'license', href: link}, injectTo: 'head'}] : []),
    },
  };
}
