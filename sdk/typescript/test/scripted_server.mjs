// A server that answers the n-th request as the n-th step of a script says, byte by byte, and keeps what it was asked.
import net from 'node:net';

class Peer {
  constructor(socket) {
    this.socket = socket;
  }

  // The head of an answer whose body comes in chunks. With `close`, some clients take a cut body for a whole one.
  head(status, headers = {'Content-Type': 'text/event-stream'}, connection = 'close') {
    const all = {...headers, 'Transfer-Encoding': 'chunked', 'Connection': connection};
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return this.raw(`HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n`);
  }

  chunk(content) {
    const bytes = Buffer.from(content);
    return this.raw(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]));
  }

  raw(bytes) {
    return new Promise((resolve) => this.socket.write(bytes, resolve));
  }

  // Cleanly, with the last chunk.
  async end() {
    await this.raw('0\r\n\r\n');
    this.socket.end();
  }

  // In the middle: what was written arrives, the last chunk never does.
  cut() {
    this.socket.end();
  }

  async json(status, body, headers = {}) {
    await this.head(status, {'Content-Type': 'application/json', ...headers});
    await this.chunk(JSON.stringify(body));
    await this.end();
  }

  async stream(...frames) {
    await this.head(200);
    for (const frame of frames) await this.chunk(frame);
  }

  // A stream that is cut behind these frames.
  async cutStream(...frames) {
    await this.stream(...frames);
    this.cut();
  }

  // A stream that ends cleanly behind them.
  async endedStream(...frames) {
    await this.stream(...frames);
    await this.end();
  }

  nothing() {
    return this.raw('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n').then(() => this.socket.end());
  }

  // Until the client goes.
  gone() {
    return new Promise((resolve) => this.socket.once('close', resolve));
  }
}

export class ScriptedServer {
  // script[n]: (peer, request) => promise
  constructor(script) {
    this.requests = [];
    this.sockets = new Set();
    this.server = net.createServer((socket) => this.#serve(socket, script));
  }

  async listen(t) {
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    t.after(() => this.close());
    return this;
  }

  close() {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  ids() {
    return this.requests.map((request) => request.headers['last-event-id'] ?? null);
  }

  keys() {
    return this.requests.map((request) => request.headers['idempotency-key'] ?? null);
  }

  #serve(socket, script) {
    let text = '';
    let isAnswered = false;
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('data', (data) => {
      text += data.toString('latin1');
      const request = requestOf(text);
      if (!request || isAnswered) return;
      isAnswered = true;
      const step = script[this.requests.length] ?? ((peer) => peer.json(500, {error: 'the script is over'}));
      this.requests.push(request);
      Promise.resolve(step(new Peer(socket), request)).catch(() => socket.destroy());
    });
  }
}

function requestOf(text) {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [line, ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]));
  const body = text.slice(end + 4);
  if (body.length < Number(headers['content-length'] ?? 0)) return null;
  const [method, target] = line.split(' ');
  return {method, target, headers, body};
}

export const scripted = (t, ...script) => new ScriptedServer(script).listen(t);
