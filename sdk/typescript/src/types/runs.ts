// The runs contract, below /api/v1: sessions, runs with a replayable stream, approvals, files.
import type {JsonObject, Timestamp, TokenUsage} from './common.js';

// ---- events ----

/** What every event is wrapped in. `event_id` increases within a run, as a plain string too. */
export interface Envelope<Type extends string, Payload> {
  event_id: string;
  session_id: string;
  run_id: string;
  type: Type;
  ts: Timestamp;
  payload: Payload;
}

export type RunStartedEvent = Envelope<'run_started', {status: 'running'}>;
export type AssistantDeltaEvent = Envelope<'assistant_delta', {text: string}>;
export type ToolCallProposedEvent = Envelope<'tool_call_proposed', {approval_id: string; tool_name: string; args: JsonObject}>;
export type ToolCallApprovedEvent = Envelope<'tool_call_approved', {approval_id: string}>;
/** Reasons of the server: user_rejected, denied, timeout, interrupted; people may give any other. */
export type ToolCallRejectedEvent = Envelope<'tool_call_rejected', {approval_id: string; reason: string}>;

export interface ToolResultPayload {
  tool_name: string;
  success: boolean;
  result: string;
  tool_call_id: string;
  /** Where somebody was asked. */
  approval_id?: string;
}
export type ToolResultEvent = Envelope<'tool_result', ToolResultPayload>;

export type RunInterruptedEvent = Envelope<'run_interrupted', {status: 'interrupted'; reason?: string}>;
export type RunCompletedEvent = Envelope<'run_completed', {status: 'completed'; final_text: string}>;
export type RunFailedEvent = Envelope<'run_failed', {status: 'failed'; error_code: RunFailureCode; message: string}>;

/** Exactly one of these ends a run. */
export type RunEndEvent = RunCompletedEvent | RunFailedEvent | RunInterruptedEvent;

export type RunEvent =
  | RunStartedEvent
  | AssistantDeltaEvent
  | ToolCallProposedEvent
  | ToolCallApprovedEvent
  | ToolCallRejectedEvent
  | ToolResultEvent
  | RunEndEvent;

export type RunFailureCode =
  | 'PROVIDER_ERROR'
  | 'PROVIDER_TIMEOUT'
  | 'RATE_LIMITED'
  | 'UPSTREAM_TRUNCATED'
  | 'MAX_STEPS'
  | 'LIMIT_EXCEEDED'
  | 'STORAGE_ERROR'
  | 'INTERNAL_ERROR';

// ---- sessions ----

export interface CreateRunsSession {
  agent?: string | null;
  auto_approve?: boolean | null;
}

export interface RunsSession {
  session_id: string;
  created_at: Timestamp;
  /** Null where the contract that made the session left it open. */
  agent: string | null;
  settings: {auto_approve: boolean};
}

export interface RunsSessionItem extends RunsSession {
  title: string;
  updated_at: Timestamp;
}

export interface RunsSessionDetail extends RunsSession {
  active_run_id: string | null;
  pending_approvals_count: number;
  usage: TokenUsage | null;
}

export interface Items<T> {
  items: T[];
}

export interface AutoApprove {
  enabled: boolean;
}

// ---- runs ----

export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting_approval'
  | 'interrupting'
  | 'completed'
  | 'failed'
  | 'interrupted';

export interface SendMessage {
  message: string;
  /** One is made when there is none here. */
  idempotency_key?: string;
}

export interface RunQueued {
  run_id: string;
  status: 'queued';
}

export interface Run {
  run_id: string;
  session_id: string;
  status: RunStatus;
  started_at: Timestamp | null;
  ended_at: Timestamp | null;
  error: {code: RunFailureCode; message: string} | null;
  usage: TokenUsage | null;
}

/** `interrupting`, or how a run that was over had ended. */
export interface RunInterrupting {
  run_id: string;
  status: RunStatus;
}

// ---- approvals ----

export interface Approval {
  approval_id: string;
  run_id: string;
  tool_name: string;
  args: JsonObject;
  created_at: Timestamp;
  status: 'pending';
  /** In the list over all sessions. */
  session_id?: string;
}

export interface Approve {
  apply_to_future?: boolean;
}

export interface Reject {
  reason?: string;
}

export interface Decision {
  approval_id: string;
  run_id: string;
  status: 'approved' | 'rejected';
}

// ---- files ----

export interface UploadedFile {
  path: string;
  size: number;
  mime_type: string;
}

export interface WorkspaceFile {
  path: string;
  size: number;
  updated_at: Timestamp;
}

export interface FileList {
  files: WorkspaceFile[];
}

// ---- errors ----

export type RunsErrorCode =
  | 'BAD_REQUEST'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'SESSION_NOT_FOUND'
  | 'RUN_NOT_FOUND'
  | 'APPROVAL_NOT_FOUND'
  | 'FILE_NOT_FOUND'
  | 'AGENT_NOT_FOUND'
  | 'ACTIVE_RUN_EXISTS'
  | 'IDEMPOTENCY_CONFLICT'
  | 'INVALID_STATE'
  | 'APPROVAL_ALREADY_PROCESSED'
  | 'REPLAY_UNAVAILABLE'
  | 'PAYLOAD_TOO_LARGE'
  | 'INVALID_PATH'
  | 'RATE_LIMITED'
  | 'UNAVAILABLE'
  | 'INTERNAL_ERROR';

export interface ErrorBody {
  error: {code: RunsErrorCode; message: string; details: JsonObject};
}
