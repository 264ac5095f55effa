// One connection of a stream: its frames, and the watch over it. It ends when the server ends it, when the caller
// aborts, and when nothing came for too long.
import {InvalidResponseError, NetworkError, TruncatedError} from './errors.js';
import {SseParser} from './sse.js';
import type {SseFrame} from './sse.js';

export class Connection {
  readonly startedAt = Date.now();
  /** What the stream has said until now: its `retry:` line, and the id to go on after. */
  retryMs: number | undefined;
  lastEventId: string | undefined;
  readonly #controller = new AbortController();
  readonly #onAbort = () => this.#controller.abort(this.caller?.reason);
  #response: Response | undefined;

  constructor(readonly caller: AbortSignal | undefined, readonly idleTimeoutMs: number) {
    caller?.addEventListener('abort', this.#onAbort, {once: true});
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A page where a stream should be is no stream, also with 200. */
  begin(response: Response): void {
    const type = response.headers.get('Content-Type') ?? '';
    if (!/^text\/event-stream\s*(;|$)/i.test(type)) throw new InvalidResponseError(`Not an event stream: ${type || 'no type'}`);
    if (!response.body) throw new InvalidResponseError('A stream without a body');
    this.#response = response;
  }

  /** Ends cleanly or not: what counts is whether the contract's last event came, and that is for the caller to see. */
  async *frames(lastEventId: string): AsyncGenerator<SseFrame, void> {
    const parser = new SseParser(lastEventId);
    const reader = this.#response!.body!.getReader();
    try {
      for (;;) {
        const {done, value} = await this.waitFor(reader.read(), 'a while');
        if (done) return;
        const frames = parser.push(value);
        this.retryMs = parser.retryMs;
        for (const frame of frames) {
          this.caller?.throwIfAborted();
          yield frame;
        }
        this.lastEventId = parser.lastEventId;
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  /** Waits for one thing from the server, and no longer than the caller wants. */
  async waitFor<T>(step: Promise<T>, patience: 'a while' | 'for ever'): Promise<T> {
    const giveUp = () => this.#controller.abort(new Error(`Nothing came for ${this.idleTimeoutMs} ms`));
    const timer = patience === 'a while' ? setTimeout(giveUp, this.idleTimeoutMs) : undefined;
    try {
      return await step;
    } catch (error) {
      if (this.caller?.aborted) throw this.caller.reason;
      if (this.#response) throw new TruncatedError('The stream was cut', {cause: error});
      throw new NetworkError('The server could not be reached, or the connection broke', {cause: error});
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.caller?.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
  }
}
