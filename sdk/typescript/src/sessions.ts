import {path} from './transport.js';
import type {CallOptions, Transport} from './transport.js';
import type {CreateSession, ListSessions, Session, SessionDetail, SessionList} from './types/sessions.js';

/** What holds messages, tasks, files and runs, whichever contract begins them. */
export class Sessions {
  constructor(private readonly transport: Transport) {}

  create(request: CreateSession = {}, options?: CallOptions): Promise<Session> {
    return this.transport.json({method: 'POST', path: '/sessions', body: request}, options);
  }

  list(query: ListSessions = {}, options?: CallOptions): Promise<SessionList> {
    return this.transport.json({method: 'GET', path: '/sessions', query: {...query}}, options);
  }

  get(id: string, options?: CallOptions): Promise<SessionDetail> {
    return this.transport.json({method: 'GET', path: path`/sessions/${id}`}, options);
  }

  rename(id: string, title: string, options?: CallOptions): Promise<Session> {
    return this.transport.json({method: 'PATCH', path: path`/sessions/${id}`, body: {title}}, options);
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.transport.json({method: 'DELETE', path: path`/sessions/${id}`}, options);
  }
}
