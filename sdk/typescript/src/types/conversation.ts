// The conversation contract, below /agent: `start`, then tokens and tools, then `conversation` and `done`; or `error`.
import type {JsonValue, Timestamp} from './common.js';

export interface ConversationRequest {
  message: string;
  /** For this turn only; not a message of the conversation. */
  context?: string | null;
  /** Without one a new conversation begins. */
  conversation_id?: string | null;
}

export interface ConversationMessage {
  role: 'user' | 'assistant';
  content: string;
  created_at: Timestamp;
}

export interface Conversation {
  id: string;
  title: string;
  updated_at: Timestamp;
  conversation: ConversationMessage[];
}

export interface StartEvent {
  type: 'start';
  user_id: string;
  conversation_id: string;
  conversation_title: string;
  tools_enabled: boolean;
  tool_names: string[];
}

export interface TokenEvent {
  type: 'token';
  content: string;
}

export interface ToolStartEvent {
  type: 'tool_start';
  tool_call_id: string;
  tool_name: string;
  args: JsonValue;
  ts: Timestamp;
  display?: string;
}

export interface ToolEndEvent {
  type: 'tool_end';
  tool_call_id: string;
  tool_name: string;
  status: 'success';
  duration_ms: number;
  result: JsonValue;
  ts: Timestamp;
  display?: string;
}

export type ToolErrorKind = 'TimeoutError' | 'ValidationError' | 'PermissionDenied' | 'ToolError' | 'OutcomeUnknown';

export interface ToolErrorEvent {
  type: 'tool_error';
  tool_call_id: string;
  tool_name: string;
  status: 'error';
  duration_ms: number;
  error: {message: string; kind: ToolErrorKind};
  ts: Timestamp;
  display?: string;
}

export interface ConversationUpdatedEvent {
  type: 'conversation';
  conversation: Conversation;
}

export interface WarningEvent {
  type: 'warning';
  code: 'tool_fallback' | 'approval_required' | (string & {});
  message: string;
}

/** The last event of a run that failed or was interrupted. */
export interface ConversationErrorEvent {
  type: 'error';
  message: string;
}

export interface ConversationDoneEvent {
  type: 'done';
}

export type ConversationEvent =
  | StartEvent
  | TokenEvent
  | ToolStartEvent
  | ToolEndEvent
  | ToolErrorEvent
  | ConversationUpdatedEvent
  | WarningEvent
  | ConversationErrorEvent
  | ConversationDoneEvent;

export interface ConversationAnswer {
  response: string;
  user_id: string;
  conversation_id: string;
  conversation: Conversation;
}

export interface ListHistory {
  /** 1 to 100; 20 when absent. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
  scope?: 'all';
}

export interface History {
  history: Conversation[];
  next_cursor: string | null;
}

export interface ErrorBody {
  detail: string;
}
