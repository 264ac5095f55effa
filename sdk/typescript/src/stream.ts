// A stream of a contract's events that outlives its connections. It ends when the contract's last event came, and with
// an error when that cannot be had any more; a connection that ends earlier, cleanly or not, is one that was lost.
import {BraidlogError, TruncatedError} from './errors.js';
import type {Connection} from './connection.js';
import type {SseFrame} from './sse.js';
import {Backoff} from './retry.js';
import type {RetryPolicy} from './retry.js';
import type {CallOptions, Request, Transport} from './transport.js';

/** What is known of a contract while one of its streams is read. */
export interface Reader<E, R> {
  decode(frame: SseFrame): E;
  /** Notes what the result needs; true for the contract's last event. */
  take(event: E): boolean;
  /** Where no event is known to be the last: whether the server may end the stream now. */
  isOver?(): boolean;
  /** After the last event: the result, or a RunError thrown. */
  result(): R;
}

/**
 * How a lost stream is gone on with: by the id of the last event; from the first frame, past those that were seen; or
 * not at all, once something was seen.
 */
export type Resume = 'by id' | 'by count' | 'never';

export interface StreamOptions extends CallOptions {
  /** Goes on after this event, which an earlier stream gave; nothing is started then. */
  lastEventId?: string;
  retry?: Partial<RetryPolicy>;
}

export interface StreamPlan<E, R> {
  request: Request;
  reader: Reader<E, R>;
  resume: Resume;
  options: StreamOptions;
}

// A connection that lasted so long was a good one, also when it brought nothing: an approval may take its time.
const goodConnectionMs = 15_000;

export type StreamEnd = 'last event' | 'nothing left';

/** Read it once: with `for await`, or with `result()`, or with one and then the other. */
export class EventStream<E, R> implements AsyncIterable<E> {
  /** Of the last event that was handed out: keep it to go on later, in another process too. '' in tasks. */
  lastEventId: string;
  /** How it ended; undefined as long as it did not, and after an error. `nothing left`: all was seen before (204). */
  end: StreamEnd | undefined;
  /** Whether any event came. */
  began = false;
  readonly #transport: Transport;
  readonly #plan: StreamPlan<E, R>;
  #events: AsyncGenerator<E, void> | undefined;
  #seen = 0;

  constructor(transport: Transport, plan: StreamPlan<E, R>) {
    this.#transport = transport;
    this.#plan = plan;
    this.lastEventId = plan.options.lastEventId ?? '';
  }

  /** The key of the request that starts the run; undefined for streams that start none. */
  get idempotencyKey(): string | undefined {
    return this.#plan.request.idempotencyKey;
  }

  [Symbol.asyncIterator](): AsyncGenerator<E, void> {
    if (this.#events) throw new BraidlogError('A stream can be read once');
    this.#events = this.#read();
    return this.#events;
  }

  /** Reads what is left and gives what the run came to. Throws a RunError when it failed or was interrupted. */
  async result(): Promise<R> {
    const events = this.#events ?? this[Symbol.asyncIterator]();
    while (!(await events.next()).done);
    if (this.end !== 'last event') throw new BraidlogError('The end of this run was not seen by this stream');
    return this.#plan.reader.result();
  }

  async *#read(): AsyncGenerator<E, void> {
    const {options, resume} = this.#plan;
    const backoff = new Backoff({...this.#transport.retry, ...options.retry}, options.signal, options.onRetry);
    for (;;) {
      const seenBefore = this.#seen;
      let connection: Connection | null = null;
      try {
        connection = await this.#transport.open(this.#request(), options.signal);
        if (connection) {
          yield* this.#eventsOf(connection);
          if (this.#isWhole()) return;
          throw new TruncatedError('The stream ended before its last event');
        }
      } catch (error) {
        if (this.began && resume === 'never') throw error;
        if (connection) {
          this.lastEventId = connection.lastEventId ?? this.lastEventId;
          backoff.baseMs = connection.retryMs ?? backoff.baseMs;
          if (this.#seen > seenBefore || Date.now() - connection.startedAt >= goodConnectionMs) backoff.reset();
        }
        connection?.close();
        await backoff.wait(error);
        continue;
      } finally {
        connection?.close();
      }
      if (this.#isWhole()) return;
      if (this.began) throw new TruncatedError('The server has no more of this run, and its last event never came');
      this.end = 'nothing left';
      return;
    }
  }

  async *#eventsOf(connection: Connection): AsyncGenerator<E, void> {
    const {reader, resume} = this.#plan;
    let toSkip = resume === 'by count' ? this.#seen : 0;
    for await (const frame of connection.frames(this.lastEventId)) {
      if (toSkip > 0) {
        toSkip -= 1;
        continue;
      }
      const event = reader.decode(frame);
      this.lastEventId = frame.id;
      this.began = true;
      this.#seen += 1;
      if (reader.take(event)) this.end = 'last event';
      yield event;
      if (this.end) return;
    }
  }

  // Who comes back sends no body: the id says it all, and files need not travel twice.
  #request(): Request {
    const {request, resume} = this.#plan;
    if (this.lastEventId === '' || resume !== 'by id') return request;
    const {body: _body, hasFiles: _files, idempotencyKey: _key, ...rest} = request;
    return {...rest, lastEventId: this.lastEventId};
  }

  #isWhole(): boolean {
    if (this.began && this.#plan.reader.isOver?.()) this.end = 'last event';
    return this.end !== undefined;
  }
}
