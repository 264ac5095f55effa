import {ConversationReader} from './readers.js';
import {EventStream} from './stream.js';
import type {StreamOptions} from './stream.js';
import {newKey, path} from './transport.js';
import type {CallOptions, StartOptions, Transport} from './transport.js';
import type {
  Conversation as ConversationBody, ConversationAnswer, ConversationEvent, ConversationRequest, History, ListHistory,
} from './types/conversation.js';

/** For users who are logged in: answers are stored, whether their client waits for them or not. */
export class Conversation {
  constructor(private readonly transport: Transport) {}

  stream(request: ConversationRequest, options: StartOptions & StreamOptions = {}): EventStream<ConversationEvent, ConversationBody> {
    return new EventStream(this.transport, {
      request: {method: 'POST', path: '/agent/stream', body: request, idempotencyKey: options.idempotencyKey ?? newKey()},
      reader: new ConversationReader(),
      resume: 'by id',
      options,
    });
  }

  /** The whole answer at once. */
  ask(request: ConversationRequest, options: StartOptions = {}): Promise<ConversationAnswer> {
    const idempotencyKey = options.idempotencyKey ?? newKey();
    return this.transport.json({method: 'POST', path: '/agent', body: request, idempotencyKey}, options);
  }

  history(query: ListHistory = {}, options?: CallOptions): Promise<History> {
    return this.transport.json({method: 'GET', path: '/agent/history', query: {...query}}, options);
  }

  get(id: string, options?: CallOptions): Promise<ConversationBody> {
    return this.transport.json({method: 'GET', path: path`/agent/conversations/${id}`}, options);
  }

  rename(id: string, title: string, options?: CallOptions): Promise<ConversationBody> {
    return this.transport.json({method: 'PATCH', path: path`/agent/conversations/${id}`, body: {title}}, options);
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.transport.json({method: 'DELETE', path: path`/agent/conversations/${id}`}, options);
  }
}
