// Every frame that the server's own golden files record fits the types, with no field too many: they are written as
// literals into a file that tsc checks.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {test} from 'node:test';
import {SseParser} from '../dist/index.js';

const here = path.dirname(fileURLToPath(import.meta.url));
const dialects = path.resolve(here, '../../../src/dialect');
const TYPES = {
  steps: 'steps.StepsEvent', runs: 'runs.RunEvent', chat: 'chat.ChatStreamEvent', conversation: 'conversation.ConversationEvent',
  tasks: 'tasks.ChatEvent | tasks.ExecutionEvent', all: 'ContractFrame',
};

function frames(contract) {
  const folder = path.join(dialects, contract, 'testdata');
  return readdirSync(folder).filter((name) => name.endsWith('.sse')).flatMap((name) =>
    new SseParser().push(readFileSync(path.join(folder, name))).map((frame) => ({...frame, name})));
}

test('the golden frames of every contract fit its types', {timeout: 120_000}, (t) => {
  const folder = mkdtempSync(path.join(here, 'golden-'));
  t.after(() => rmSync(folder, {recursive: true, force: true}));
  const lines = [`import type {chat, conversation, ContractFrame, runs, steps, tasks} from '${path.join(here, '../dist/index.js')}';`];
  for (const [contract, type] of Object.entries(TYPES)) {
    const found = frames(contract);
    assert.ok(found.length > 10, contract);
    for (const {event, data, name} of found) {
      const value = contract === 'chat' ? `{event: ${JSON.stringify(event)}, data: ${data}}` : data;
      lines.push(`/* ${name} */ (${value}) satisfies ${type};`);
    }
  }
  writeFileSync(path.join(folder, 'frames.ts'), lines.join('\n'));
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({extends: '../tsconfig.json', include: ['*.ts']}));
  const tsc = spawnSync(process.execPath, [path.join(here, '../node_modules/typescript/bin/tsc'), '-p', folder], {encoding: 'utf8'});
  assert.equal(tsc.stdout, '');
  assert.equal(tsc.status, 0);
});
