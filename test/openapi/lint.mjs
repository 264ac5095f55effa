// Redocly's linter over one file, without its command line: no telemetry, no update check, no network.
//
//   node lint.mjs openapi.json      prints one line per problem; exit 1 when there is one
import { lint, loadConfig } from '@redocly/openapi-core';
import { fileURLToPath } from 'node:url';

const [file] = process.argv.slice(2);
if (!file) {
  console.error('usage: node lint.mjs FILE');
  process.exit(2);
}
const config = await loadConfig({ configPath: fileURLToPath(new URL('redocly.yaml', import.meta.url)) });
const problems = await lint({ ref: file, config });
for (const problem of problems) {
  const [at] = problem.location;
  console.log(`${problem.severity} ${problem.ruleId} at ${at.pointer ?? at.source.absoluteRef}: ${problem.message}`);
}
console.log(`${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);
