// What can go wrong, told apart by class: the server refused (ProtocolError), nobody answered or the line broke
// (NetworkError), the answer makes no sense (InvalidResponseError), the run itself ended badly (RunError). An abort is
// none of these: what is thrown then is the reason of the caller's own signal.
import type {ContractName} from './types/common.js';

export class BraidlogError extends Error {
  override name = 'BraidlogError';
}

/** The server answered, and the answer is an error. */
export class ProtocolError extends BraidlogError {
  override name = 'ProtocolError';
  readonly status: number;
  /** runs and tasks: the code; chat: the end of the problem's `type`; null where the contract has none. */
  readonly code: string | null;
  /** runs: `details`; tasks: `detail`; else null. */
  readonly details: unknown;
  /** Seconds to wait, where the server says so. */
  readonly retryAfter: number | null;
  /** The answer as it came: JSON where it is some, else its text. */
  readonly body: unknown;

  constructor(status: number, parts: ErrorParts, retryAfter: number | null, body: unknown) {
    super(parts.message);
    this.status = status;
    this.code = parts.code;
    this.details = parts.details;
    this.retryAfter = retryAfter;
    this.body = body;
  }

  static async of(response: Response): Promise<ProtocolError> {
    const text = await response.text().catch(() => '');
    const body = parsed(text);
    const parts = partsOf(body) ?? {message: `HTTP ${response.status} ${response.statusText}`.trim(), code: null, details: null};
    return new ProtocolError(response.status, parts, secondsOf(response.headers.get('Retry-After')), body);
  }
}

/** No answer, or the connection broke. Requests that are safe to repeat were repeated before this is thrown. */
export class NetworkError extends BraidlogError {
  override name: string = 'NetworkError';
}

/** A stream ended before the contract's last event: what was read of it is not the whole. */
export class TruncatedError extends NetworkError {
  override name = 'TruncatedError';
}

/** What came is not what the contract says, for instance a proxy's page where a stream should be. */
export class InvalidResponseError extends BraidlogError {
  override name = 'InvalidResponseError';
}

/** The run failed or was interrupted. Thrown by `result()` and other helpers that wait for the good end. */
export class RunError extends BraidlogError {
  override name = 'RunError';

  constructor(
    message: string,
    readonly contract: ContractName,
    /** runs: `error_code` or INTERRUPTED; chat: the end of the problem's `type`; else null. */
    readonly code: string | null,
    /** The event that said so. */
    readonly event: unknown,
  ) {
    super(message);
  }
}

export interface ErrorParts {
  message: string;
  code: string | null;
  details: unknown;
}

// ---- the five shapes of an error ----

// They can be told apart by their fields, so one reader does for all routes, those of no contract included.
function partsOf(body: unknown): ErrorParts | null {
  if (!isObject(body)) return null;
  const {error, detail} = body;
  if (isObject(error)) return {message: text(error.message), code: text(error.code) || null, details: error.details ?? null};
  if (typeof error === 'string' && 'code' in body) {
    return {message: text(body.message) || error, code: text(body.code), details: detail ?? null};
  }
  if (typeof error === 'string') return {message: error, code: null, details: null};
  if (typeof body.type === 'string') {
    return {message: text(detail) || text(body.title), code: problemKind(body.type), details: null};
  }
  if (detail !== undefined) return {message: text(detail) || JSON.stringify(detail), code: null, details: detail};
  return null;
}

export function problemKind(type: string): string {
  return type.slice(type.lastIndexOf('/') + 1);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// Seconds, or the time at which to come again.
function secondsOf(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}
