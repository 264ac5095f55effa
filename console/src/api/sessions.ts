import {del, get, patch} from './http';
import type {Session, SessionDetail} from './types';

export const listSessions = (limit = 50, offset = 0): Promise<{sessions: Session[]; total: number}> =>
  get(`/sessions?limit=${limit}&offset=${offset}`);
export const readSession = (id: string): Promise<SessionDetail> => get(`/sessions/${encodeURIComponent(id)}`);
export const renameSession = (id: string, title: string): Promise<Session> => patch(`/sessions/${encodeURIComponent(id)}`, {title});
export const deleteSession = (id: string): Promise<void> => del(`/sessions/${encodeURIComponent(id)}`);
