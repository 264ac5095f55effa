// The tasks contract: a planning chat that makes a list of tasks, and its execution. The names are the contract's own.
import type {JsonValue, Timestamp} from './common.js';

// ---- resources ----

export type TaskStatus = 'pending' | 'in_progress' | 'done' | 'failed';

/** A task as `tasks_updated` has it. */
export interface Task {
  id: string;
  title: string;
  description: string;
  status: TaskStatus;
  /** Counts from 0. */
  order: number;
}

/** A task as the routes show it. */
export interface TaskDetail extends Task {
  sessionId: string;
  result: string | null;
  reflection: string | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export type ArtifactType = 'document' | 'note' | 'summary' | 'plan' | 'other';

/** An artifact without its content, as lists show it. */
export interface ArtifactInfo {
  id: string;
  sessionId: string;
  taskId: string | null;
  name: string;
  type: ArtifactType;
  createdAt: Timestamp;
}

export interface Artifact extends ArtifactInfo {
  content: string;
}

export interface DataItem {
  id: string;
  sessionId: string;
  itemType: string;
  data: JsonValue;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export interface TaskList {
  tasks: TaskDetail[];
}

export interface ArtifactList {
  artifacts: ArtifactInfo[];
}

export interface DataItemList {
  dataItems: DataItem[];
}

// ---- chat events ----

export interface TasksChatRequest {
  message: string;
}

export type ChatEventType = 'content' | 'tasks_updated' | 'error' | 'done';

export interface ChatContentEvent {
  type: 'content';
  content: string;
}

export interface ChatTasksUpdatedEvent {
  type: 'tasks_updated';
  tasks: Task[];
}

export interface ChatErrorEvent {
  type: 'error';
  error: string;
}

export interface ChatDoneEvent {
  type: 'done';
}

export type ChatEvent = ChatContentEvent | ChatTasksUpdatedEvent | ChatErrorEvent | ChatDoneEvent;

// ---- execution events ----

export type ExecutionEventType =
  | 'task_selected'
  | 'tool_call'
  | 'tool_result'
  | 'artifact_created'
  | 'data_modified'
  | 'task_completed'
  | 'reflection'
  | 'error'
  | 'done';

export interface TaskSelectedEvent {
  type: 'task_selected';
  taskId: string;
}

export interface ToolCallEvent {
  type: 'tool_call';
  taskId: string;
  tool: string;
  input: Record<string, unknown>;
}

export interface ToolResultEvent {
  type: 'tool_result';
  taskId: string;
  tool: string;
  output: string;
}

export interface ArtifactCreatedEvent {
  type: 'artifact_created';
  taskId: string;
  artifactId: string;
  name: string;
  artifactType: ArtifactType;
}

export interface DataModifiedEvent {
  type: 'data_modified';
  taskId: string;
  dataItemId: string;
  operation: 'create' | 'update' | 'delete';
  itemType: string;
}

export interface TaskCompletedEvent {
  type: 'task_completed';
  taskId: string;
  status: 'done' | 'failed';
  result: string;
}

export interface ReflectionEvent {
  type: 'reflection';
  taskId: string;
  text: string;
}

/** With `taskId` one task failed and the rest goes on; without it the run is over. */
export interface ExecutionErrorEvent {
  type: 'error';
  taskId?: string;
  error: string;
}

export interface ExecutionDoneEvent {
  type: 'done';
  summary: {
    total: number;
    completed: number;
    failed: number;
  };
}

export type ExecutionEvent =
  | TaskSelectedEvent
  | ToolCallEvent
  | ToolResultEvent
  | ArtifactCreatedEvent
  | DataModifiedEvent
  | TaskCompletedEvent
  | ReflectionEvent
  | ExecutionErrorEvent
  | ExecutionDoneEvent;

// ---- errors ----

export type TasksErrorCode =
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'VALIDATION_ERROR'
  | 'CONFLICT'
  | 'GONE'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'PAYLOAD_TOO_LARGE'
  | 'RATE_LIMITED'
  | 'UNAVAILABLE'
  | 'INTERNAL_ERROR';

export interface ErrorBody {
  error: string;
  code: TasksErrorCode;
  message: string;
  detail: JsonValue;
}
