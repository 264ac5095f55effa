// Sessions as the steps and tasks contracts show them. The same sessions are conversations in the conversation
// contract, and have routes of their own in the runs contract.
import type {Timestamp} from './common.js';
import type {ArtifactInfo, DataItem, TaskDetail} from './tasks.js';

/** A session with tasks still to be done is planning, while they are worked on executing, and then completed. */
export type SessionStatus = 'planning' | 'executing' | 'completed';

export interface CreateSession {
  title?: string | null;
  agent?: string | null;
}

export interface Session {
  id: string;
  /** The same as `id`. */
  session_id: string;
  title: string;
  status: SessionStatus;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export interface SessionMessage {
  id: string;
  role: 'user' | 'assistant';
  content: string;
  createdAt: Timestamp;
}

export interface SessionDetail extends Session {
  tasks: TaskDetail[];
  messages: SessionMessage[];
  artifacts: ArtifactInfo[];
  dataItems: DataItem[];
  activeRunId: string | null;
}

export interface ListSessions {
  status?: SessionStatus;
  /** 1 to 100; 20 when absent. */
  limit?: number;
  offset?: number;
  /** `all`: for an admin, those of all users. */
  scope?: 'all';
}

export interface SessionList {
  sessions: Session[];
  total: number;
}

export interface ErrorBody {
  error: string;
}
