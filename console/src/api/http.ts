// Requests to the server, and who is asking. Every contract words its errors in its own way; here they become one ApiError.
import {signal} from '@preact/signals';
import type {Me} from './types';

export class ApiError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
    this.name = 'ApiError';
  }
}

// undefined: not asked yet; null: log in.
export const me = signal<Me | null | undefined>(undefined);

export const get = <T>(path: string): Promise<T> => request<T>('GET', path);
export const post = <T>(path: string, body?: unknown, headers?: Record<string, string>): Promise<T> => request<T>('POST', path, body, headers);
export const patch = <T>(path: string, body: unknown): Promise<T> => request<T>('PATCH', path, body);
export const del = (path: string): Promise<void> => request<void>('DELETE', path);

// The body as it is, for readers that must not lose the spelling of a number.
export const getText = (path: string): Promise<string> => exchange('GET', path);

async function request<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T> {
  const text = await exchange(method, path, body, headers);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

async function exchange(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<string> {
  const init: RequestInit = {method, headers: {Accept: 'application/json', ...headers}};
  if (body instanceof FormData) {
    init.body = body;
  } else if (method !== 'GET' && method !== 'DELETE') {
    init.body = JSON.stringify(body ?? {});
    init.headers = {...init.headers, 'Content-Type': 'application/json'};
  }
  const answer = await send(path, init);
  if (answer.status === 401 && !path.startsWith('/auth/login')) me.value = null;
  const text = await answer.text();
  if (!answer.ok) throw new ApiError(answer.status, errorText(text, answer.status));
  return text;
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch {
    throw new ApiError(0, 'The server cannot be reached.');
  }
}

// The sentence in an error body, whichever contract it comes from: {error:"…"}, {error:{message}}, {detail:"…"}, problem+json.
export function errorText(body: string, status: number): string {
  try {
    const value = JSON.parse(body) as Record<string, unknown>;
    for (const candidate of [value['error'], (value['error'] as {message?: unknown} | null)?.message, value['message'], value['detail'], value['title']]) {
      if (typeof candidate === 'string' && candidate !== '') return candidate;
    }
  } catch {
    // Not JSON: a proxy's page, say.
  }
  return `The server answered with status ${status}.`;
}
