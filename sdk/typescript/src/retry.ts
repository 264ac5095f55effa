// When to try again, and how long to wait before: twice as long each time, up to a limit, with jitter, so that the
// clients of a server that was away do not all come back in the same moment.
import {NetworkError, ProtocolError} from './errors.js';

export interface RetryPolicy {
  /** Tries in a row that may bring nothing new before the error is thrown; 0: none. Default 8. */
  attempts: number;
  /** The first wait. Default 250; a stream's `retry:` line replaces it. */
  baseMs: number;
  /** The longest wait. Default 15,000. A `Retry-After` of the server may ask for more, up to a minute. */
  maxMs: number;
}

export interface RetryNotice {
  attempt: number;
  delayMs: number;
  error: Error;
}

export const defaultRetry: RetryPolicy = {attempts: 8, baseMs: 250, maxMs: 15_000};
const retryAfterMax = 60;

export class Backoff {
  baseMs: number;
  #failures = 0;

  constructor(
    readonly policy: RetryPolicy,
    readonly signal: AbortSignal | undefined,
    readonly onRetry: ((notice: RetryNotice) => void) | undefined,
  ) {
    this.baseMs = policy.baseMs;
  }

  /** Something new came: the next failure is the first again. */
  reset(): void {
    this.#failures = 0;
  }

  /** Waits before the next try, or throws the error: when it is none that passes, or was met too often. */
  async wait(error: unknown): Promise<void> {
    if (!passes(error) || this.#failures >= this.policy.attempts) throw error;
    const grown = Math.min(this.baseMs * 2 ** this.#failures, this.policy.maxMs);
    const asked = error instanceof ProtocolError ? (error.retryAfter ?? 0) * 1000 : 0;
    const delayMs = asked + Math.round(grown * (0.5 + Math.random() / 2));
    this.#failures += 1;
    this.onRetry?.({attempt: this.#failures, delayMs, error});
    await sleep(delayMs, this.signal);
  }
}

// Lost connections, servers that are busy or stopping, proxies whose server is away. Anything else stays as it is.
function passes(error: unknown): error is Error {
  if (error instanceof NetworkError) return true;
  if (!(error instanceof ProtocolError) || (error.retryAfter ?? 0) > retryAfterMax) return false;
  return [429, 502, 503, 504].includes(error.status);
}

/** Rejects with the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const wake = () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, {once: true});
  });
}
