import {ChatReader} from './readers.js';
import type {ChatResult} from './readers.js';
import {EventStream} from './stream.js';
import type {StreamOptions} from './stream.js';
import {newKey, path} from './transport.js';
import type {CallOptions, Request, StartOptions, Transport} from './transport.js';
import type {AgentHealth, ChatAnswer, ChatRequest, ChatStreamEvent} from './types/chat.js';

export interface ChatStreamOptions extends StartOptions, StreamOptions {
  /**
   * POST (default): generation stops when the connection is lost, and what comes after it is the end of what was said.
   * GET: the run stays for three seconds, in which the stream comes back to it. It takes no files, and a message must fit
   * into an address.
   */
  method?: 'POST' | 'GET';
}

/** One agent, whose answer belongs to who asked: it stops when its client goes. To stop it, abort the signal or `break`. */
export class Chat {
  constructor(private readonly transport: Transport) {}

  stream(agent: string, request: ChatRequest, options: ChatStreamOptions = {}): EventStream<ChatStreamEvent, ChatResult> {
    const route = path`/agent/${agent}/chat/stream`;
    const idempotencyKey = options.idempotencyKey ?? newKey();
    return new EventStream(this.transport, {
      request: options.method === 'GET'
        ? {...linked(route, request), idempotencyKey}
        : {...posted(route, request), idempotencyKey},
      reader: new ChatReader(),
      resume: 'by id',
      options,
    });
  }

  /** The whole answer at once. */
  ask(agent: string, request: ChatRequest, options: StartOptions = {}): Promise<ChatAnswer> {
    const idempotencyKey = options.idempotencyKey ?? newKey();
    return this.transport.json({...posted(path`/agent/${agent}/chat`, request), idempotencyKey}, options);
  }

  health(agent: string, options?: CallOptions): Promise<AgentHealth> {
    return this.transport.json({method: 'GET', path: path`/health/agent/${agent}`}, options);
  }
}

function linked(route: string, {message, session_id: session, files}: ChatRequest): Request {
  if (files?.length) throw new TypeError('Files need a POST');
  return {method: 'GET', path: route, query: {message, session_id: session ?? undefined}};
}

function posted(route: string, request: ChatRequest): Request {
  const {message, session_id: session, files = []} = request;
  const hasFiles = files.length > 0;
  if (!files.some((file) => file instanceof Blob)) return {method: 'POST', path: route, body: request, hasFiles};
  const form = new FormData();
  form.set('message', message);
  if (session) form.set('session_id', session);
  for (const file of files) {
    if (file instanceof Blob) form.append('files', file);
    else form.append('files', new Blob([bytesOf(file.content)], {type: file.mime_type}), file.filename ?? '');
  }
  return {method: 'POST', path: route, body: form, hasFiles};
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
