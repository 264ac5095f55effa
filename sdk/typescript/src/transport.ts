// Requests: addresses, credentials, bodies, errors. A request is repeated only where that is safe: a GET, or one that
// starts a run, because that one carries an idempotency key and the server gives the same run again.
import {BraidlogError, InvalidResponseError, NetworkError, ProtocolError} from './errors.js';
import {Connection} from './connection.js';
import {Backoff, defaultRetry} from './retry.js';
import type {RetryNotice, RetryPolicy} from './retry.js';

export interface ClientOptions {
  /** Of the server, `http://127.0.0.1:8000`; in a browser '' is the page's own. */
  baseUrl?: string;
  /** Sent as `Authorization: Bearer`. A function is asked before each request. */
  apiKey?: string | (() => string | Promise<string>);
  /** `include` sends the cookie of a login to another origin, too; browsers send it to their own by default. */
  credentials?: 'include' | 'omit' | 'same-origin';
  headers?: Record<string, string>;
  fetch?: typeof globalThis.fetch;
  retry?: Partial<RetryPolicy>;
  /** A stream without a byte for so long is taken for lost. The server sends a keepalive every 15 s. Default 45,000. */
  idleTimeoutMs?: number;
}

export interface CallOptions {
  signal?: AbortSignal;
  onRetry?: (notice: RetryNotice) => void;
}

/** Of requests that start a run. */
export interface StartOptions extends CallOptions {
  /** One is made when there is none here. With the same key and request the server gives the same run again. */
  idempotencyKey?: string;
}

export type Query = Record<string, string | number | undefined>;

export interface Request {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: Query;
  /** A FormData goes as it is, anything else as JSON. */
  body?: unknown;
  idempotencyKey?: string;
  lastEventId?: string;
  /** It may take long to send, so that silence says nothing. */
  hasFiles?: boolean;
}

export class Transport {
  readonly retry: RetryPolicy;
  readonly #options: ClientOptions;
  readonly #fetch: typeof globalThis.fetch;

  constructor(options: ClientOptions) {
    this.#options = options;
    if (!options.baseUrl && !options.fetch && typeof location === 'undefined') throw new TypeError('baseUrl is needed outside a page');
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.retry = {...defaultRetry, ...options.retry};
  }

  json<T>(request: Request, options: CallOptions = {}): Promise<T> {
    return this.#send(request, options, async (response) => {
      const text = await response.text();
      try {
        return (response.status === 204 ? undefined : JSON.parse(text)) as T;
      } catch (cause) {
        // Node takes a body that was cut for a whole one when the head said `Connection: close`.
        if (isJson(response)) throw new NetworkError('The answer was cut', {cause});
        throw new InvalidResponseError(`${request.method} ${request.path}: the answer is not JSON`, {cause});
      }
    });
  }

  blob(request: Request, options: CallOptions = {}): Promise<Blob> {
    return this.#send(request, options, (response) => response.blob());
  }

  /** One try to open a stream; null when the server has nothing left to send (204). */
  async open(request: Request, signal: AbortSignal | undefined): Promise<Connection | null> {
    signal?.throwIfAborted();
    const connection = new Connection(signal, this.#options.idleTimeoutMs ?? 45_000);
    try {
      const answer = this.#fetchOnce(request, connection.signal, 'text/event-stream');
      const response = await connection.waitFor(answer, request.hasFiles ? 'for ever' : 'a while');
      if (!response.ok) throw await connection.waitFor(ProtocolError.of(response), 'a while');
      if (response.status !== 204) {
        connection.begin(response);
        return connection;
      }
      connection.close();
      return null;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  async #send<T>(request: Request, options: CallOptions, read: (response: Response) => Promise<T>): Promise<T> {
    const {signal, onRetry} = options;
    const backoff = new Backoff(this.retry, signal, onRetry);
    for (;;) {
      try {
        const response = await this.#fetchOnce(request, signal, 'application/json');
        if (!response.ok) throw await ProtocolError.of(response);
        return await read(response);
      } catch (thrown) {
        const error = thrown instanceof BraidlogError ? thrown : lost(thrown, signal);
        // What a POST is told about the run that it has begun stays true; only that nothing was heard may change.
        const mayRepeat = request.method === 'GET' ||
          (request.idempotencyKey !== undefined && error instanceof NetworkError);
        if (!mayRepeat) throw error;
        await backoff.wait(error);
      }
    }
  }

  async #fetchOnce(request: Request, signal: AbortSignal | undefined, accept: string): Promise<Response> {
    const {apiKey, credentials, baseUrl = '', headers: own} = this.#options;
    const headers = new Headers(own);
    headers.set('Accept', accept);
    if (apiKey !== undefined) headers.set('Authorization', `Bearer ${typeof apiKey === 'function' ? await apiKey() : apiKey}`);
    if (request.idempotencyKey !== undefined) headers.set('Idempotency-Key', request.idempotencyKey);
    if (request.lastEventId) headers.set('Last-Event-ID', request.lastEventId);
    const isForm = request.body instanceof FormData;
    if (request.body !== undefined && !isForm) headers.set('Content-Type', 'application/json');
    return this.#fetch(baseUrl.replace(/\/+$/, '') + request.path + search(request.query), {
      method: request.method,
      headers,
      cache: 'no-store',
      ...(request.body !== undefined && {body: isForm ? (request.body as FormData) : JSON.stringify(request.body)}),
      ...(credentials && {credentials}),
      ...(signal && {signal}),
    });
  }
}

// The caller's own abort as it is, and everything else that fetch throws as a NetworkError.
function lost(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  return new NetworkError('The server could not be reached, or the connection broke', {cause: error});
}

/** A path from its parts, each of them one segment: an id from outside never leads to another route. */
export function path(strings: TemplateStringsArray, ...segments: string[]): string {
  return strings.reduce((text, part, i) => text + segment(segments[i - 1] ?? '') + part);
}

export function segment(text: string): string {
  if (text === '' || text === '.' || text === '..') throw new TypeError(`"${text}" is no id and no name`);
  return encodeURIComponent(text);
}

function isJson(response: Response): boolean {
  return /^application\/json\s*(;|$)/i.test(response.headers.get('Content-Type') ?? '');
}

function search(query: Query = {}): string {
  const given = Object.entries(query).filter((entry) => entry[1] !== undefined).map(([name, value]) => [name, String(value)]);
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
}

/** A key for one request. It need not be secret, only unlike others. Node 18 has no global `crypto`. */
export function newKey(): string {
  const bytes = new Uint8Array(16);
  if (globalThis.crypto) globalThis.crypto.getRandomValues(bytes);
  else bytes.forEach((_, i) => { bytes[i] = Math.random() * 256; });
  return `sdk-${Date.now().toString(36)}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
