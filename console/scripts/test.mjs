// Unit tests: every src/**/*.test.ts is bundled by the esbuild that Vite brings, and run by Node's own test runner.
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../src');
const files = (folder) => readdirSync(folder, {withFileTypes: true}).flatMap((entry) => {
  const name = path.join(folder, entry.name);
  return entry.isDirectory() ? files(name) : /\.test\.tsx?$/.test(name) ? [name] : [];
});

const out = mkdtempSync(path.join(tmpdir(), 'braidlog-console-'));
try {
  await build({entryPoints: files(source), outdir: out, outbase: source, outExtension: {'.js': '.mjs'}, bundle: true, platform: 'node', format: 'esm',
    jsx: 'automatic', jsxImportSource: 'preact', loader: {'.css': 'empty'}, sourcemap: 'inline', logLevel: 'warning'});
  const list = readdirSync(out, {recursive: true}).filter((name) => name.endsWith('.test.mjs')).map((name) => path.join(out, name));
  process.exitCode = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...list], {stdio: 'inherit'}).status ?? 1;
} finally {
  rmSync(out, {recursive: true, force: true});
}
