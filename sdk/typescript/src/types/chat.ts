// The chat contract, below /agent/{name}. The type of an event is in the frame's `event:` line and not in its data
// (an error's data has a `type` of its own), so an event is `{event, data}` here.
import type {JsonObject} from './common.js';

export interface ChatFile {
  /** In base64. */
  content: string;
  mime_type: string;
  filename?: string;
}

export interface ChatRequest {
  message: string;
  /** An id that is unknown means a new session; `stream_start` tells its id. */
  session_id?: string | null;
  /** In base64, or as they are: with a Blob or File among them the request is sent as a form. */
  files?: (ChatFile | Blob)[];
}

export interface StreamStart {
  session_id: string;
  message_id: string;
}

export interface MessageDelta {
  delta: string;
  message_id: string;
}

export interface ToolCallStart {
  tool_call_id: string;
  name: string;
  message_id: string;
}

/** The fragments of a call, put together, are its arguments as JSON. */
export interface ToolCallArgs {
  tool_call_id: string;
  args_delta: string;
}

export type ToolCallStatus = 'success' | 'error';

export interface ToolCallEnd {
  tool_call_id: string;
  status: ToolCallStatus;
}

export interface TokensUsed {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

export interface StreamEnd {
  message_id: string;
  /** Null when the model reported none. */
  tokens_used: TokensUsed | null;
  execution_time_ms: number;
}

export interface Problem {
  type: `https://holodeck.dev/errors/${ProblemKind}`;
  title: string;
  status: number;
  detail: string;
}

/** Exactly one of `stream_end` and `error` ends a stream. */
export type ChatStreamEvent =
  | {event: 'stream_start'; data: StreamStart}
  | {event: 'message_delta'; data: MessageDelta}
  | {event: 'tool_call_start'; data: ToolCallStart}
  | {event: 'tool_call_args'; data: ToolCallArgs}
  | {event: 'tool_call_end'; data: ToolCallEnd}
  | {event: 'stream_end'; data: StreamEnd}
  | {event: 'error'; data: Problem};

export interface ChatAnswer {
  message_id: string;
  content: string;
  session_id: string;
  tool_calls: {name: string; arguments: JsonObject; status: ToolCallStatus}[];
  tokens_used: TokensUsed | null;
  execution_time_ms: number;
}

export interface AgentHealth {
  status: string;
  agent_name: string;
  agent_version: string;
  description: string;
}

export type ProblemKind =
  | 'invalid-request'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'gone'
  | 'agent-error'
  | 'payload-too-large'
  | 'unsupported-media'
  | 'capacity-exceeded'
  | 'interrupted'
  | 'unavailable'
  | 'internal-error';

/** An answer instead of a stream: application/problem+json. */
export interface ErrorBody extends Problem {
  /** The id of the request. */
  instance?: string;
}
