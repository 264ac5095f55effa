// One request to /watch, from its first byte to its last. It knows nothing of pages; whoever opened it hears what comes.
import {SseParser, type SseEvent} from './sse';

export interface StreamEars {
  events(stream: WatchStream, batch: SseEvent[]): void;
  // status 401: nobody is logged in. Anything else, 0 included: try again later.
  ended(stream: WatchStream, status: number): void;
}

// The server says something every 15 s. Silence for longer than this is a connection that died without a word.
const silenceMax = 45_000;

export class WatchStream {
  private readonly abort = new AbortController();
  private silence: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(private readonly ears: StreamEars) {}

  open(watches: string[]): void {
    const query = new URLSearchParams([['notices', '1'], ['scope', 'all'], ...watches.map((watch) => ['watch', watch])]);
    void this.read(`/watch?${query}`);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.silence);
    this.abort.abort();
  }

  private async read(url: string): Promise<void> {
    let status = 0;
    try {
      this.listen();
      const answer = await fetch(url, {signal: this.abort.signal, headers: {Accept: 'text/event-stream'}, cache: 'no-store'});
      status = answer.status;
      if (answer.ok && answer.body) await this.pump(answer.body.getReader());
    } catch {
      // Ended by a crash, the network or close(): in each case there is nothing more to read.
    }
    clearTimeout(this.silence);
    if (!this.closed) {
      this.close();
      this.ears.ended(this, status);
    }
  }

  private async pump(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const parser = new SseParser();
    for (let piece = await reader.read(); !piece.done && !this.closed; piece = await reader.read()) {
      this.listen();
      const batch = parser.push(piece.value);
      if (batch.length > 0) this.ears.events(this, batch);
    }
  }

  private listen(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.abort.abort(), silenceMax);
  }
}
