// The real server for the Node tests: started on a free port, and again on the same one after a crash.
import {spawn} from 'node:child_process';
import {existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, mkdirSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const candidates = ['build/release/braidlog', 'build/dev/braidlog', 'build/dev/src/app/braidlog'];

function binary() {
  if (process.env.BRAIDLOG_BIN) return path.resolve(process.env.BRAIDLOG_BIN);
  const found = candidates.map((name) => path.join(root, name)).find(existsSync);
  if (!found) throw new Error('no server to test: build one, or set BRAIDLOG_BIN');
  return found;
}

export class Server {
  // agents: name -> what its file says about the model
  constructor({pace = 0, limits = {}, agents = {}} = {}) {
    this.folder = mkdtempSync(path.join(tmpdir(), 'braidlog-clients-'));
    this.pace = pace;
    this.port = 0;
    mkdirSync(path.join(this.folder, 'agents'));
    for (const [name, model] of Object.entries({slow: 'pace: 20ms', ...agents})) {
      writeFileSync(path.join(this.folder, 'agents', `${name}.yaml`),
        `name: ${name}\ndescription: ${name}\nmodel: {provider: offline, ${model}}\ninstructions: Answer.\ntools:\n  - file_write\n`);
    }
    writeFileSync(path.join(this.folder, 'config.yaml'),
      'limits:\n' + Object.entries({keepalive_interval: 15000, ...limits}).map(([k, v]) => `  ${k}: ${v}\n`).join(''));
  }

  start() {
    const log = openSync(path.join(this.folder, 'server.log'), 'a');
    this.process = spawn(binary(), ['serve', '--dev', '--listen', `127.0.0.1:${this.port}`,
      '--data', path.join(this.folder, 'data'), '--agents', path.join(this.folder, 'agents'),
      '--config', path.join(this.folder, 'config.yaml')],
    {stdio: ['ignore', 'pipe', log], env: {...process.env, BRAIDLOG_OFFLINE_PACE: String(this.pace)}});
    return new Promise((resolve, reject) => {
      let said = '';
      this.process.on('exit', (code) => reject(new Error(`the server ended (${code}):\n${this.log()}`)));
      this.process.stdout.on('data', (data) => {
        said += data;
        const match = said.match(/^Braidlog is listening on http:\/\/127\.0\.0\.1:(\d+)\s*$/m);
        if (!match) return;
        this.port = Number(match[1]);
        this.url = `http://127.0.0.1:${this.port}`;
        resolve(this);
      });
    });
  }

  log() {
    return readFileSync(path.join(this.folder, 'server.log'), 'utf8').slice(-3000);
  }

  async kill() {
    if (!this.process || this.process.exitCode !== null) return;
    const gone = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGKILL');
    await gone;
  }

  async end() {
    await this.kill();
    rmSync(this.folder, {recursive: true, force: true});
  }

  // ---- the runs contract ----

  async post(route, body = {}) {
    const reply = await fetch(`${this.url}/api/v1${route}`,
      {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});
    if (!reply.ok) throw new Error(`${route}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  }

  async get(route) {
    const reply = await fetch(`${this.url}/api/v1${route}`);
    if (!reply.ok) throw new Error(`${route}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  }

  async begin(message, session = {}) {
    const {session_id: sessionId} = await this.post('/sessions', session);
    const {run_id: runId} = await this.post(`/sessions/${sessionId}/messages`, {message});
    return {sessionId, runId, route: `/sessions/${sessionId}/runs/${runId}`, stream: `/api/v1/sessions/${sessionId}/runs/${runId}/stream`};
  }

  async runs(sessionId) {
    return (await this.get(`/sessions/${sessionId}/runs`)).items;
  }

  // What the user of --dev shows where a contract demands it.
  async cookie() {
    const reply = await fetch(`${this.url}/auth/login`, {method: 'POST', headers: {'Content-Type': 'application/json'},
      body: JSON.stringify({username: 'demo', password: 'demo'})});
    if (!reply.ok) throw new Error(`login: ${reply.status} ${await reply.text()}`);
    return reply.headers.getSetCookie()[0].split(';')[0];
  }

  async pendingApproval(sessionId) {
    return until(async () => (await this.get(`/sessions/${sessionId}/approvals`)).items[0], 'an approval');
  }
}

export async function until(condition, what, timeout = 30_000) {
  const deadline = Date.now() + timeout;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`waited ${timeout} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
