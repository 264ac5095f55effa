// A bad network: passes bytes on, keeps what it saw, and cuts the n-th connection after so many bytes of the answer.
import net from 'node:net';

export class CuttingProxy {
  // cuts[n]: bytes of the answer after which connection n is cut; none: never.
  constructor(port, cuts = []) {
    this.connections = [];
    this.sockets = new Set();
    this.server = net.createServer((client) => this.serve(client, port, cuts));
  }

  serve(client, port, cuts) {
    const seen = {request: '', answer: ''};
    const cut = cuts[this.connections.length] ?? Infinity;
    this.connections.push(seen);
    const upstream = net.connect(port, '127.0.0.1');
    this.sockets.add(client).add(upstream);
    client.on('data', (data) => { seen.request += data.toString('latin1'); upstream.write(data); });
    upstream.on('data', (data) => {
      const room = cut - seen.answer.length;
      const part = data.subarray(0, Math.min(room, data.length));
      seen.answer += part.toString('latin1');
      client.write(part);
      if (part.length < data.length) { client.destroy(); upstream.destroy(); }
    });
    const end = () => { client.end(); upstream.end(); };
    for (const socket of [client, upstream]) { socket.on('error', end); socket.on('close', end); socket.on('end', end); }
  }

  listen() {
    return new Promise((resolve) => this.server.listen(0, '127.0.0.1', () => {
      this.url = `http://127.0.0.1:${this.server.address().port}`;
      resolve(this);
    }));
  }

  close() {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  // Of every request on every connection: a client may use one of them again.
  requests() {
    return this.connections.flatMap(({request}) => request.split('\r\n\r\n').filter((head) => head));
  }

  lastEventIds() {
    return this.requests().map((head) => head.match(/^last-event-id: (\S+)/im)?.[1] ?? null);
  }

  statuses() {
    return this.connections.flatMap(({answer}) => [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map((match) => Number(match[1])));
  }
}
