// Compiled and never run: the types as a user of the package meets them. An error of tsc is the failure of this test.
import {Braidlog, EventStream, RunError} from '../dist/index.js';
import type {chat, conversation, ContractEvents, ContractFrame, runs, sessions, steps, tasks} from '../dist/index.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
function holds<_T extends true>(): void {}
function never(value: never): never {
  throw new Error(String(value));
}

// ---- every union is told apart by its type, and nothing is left over ----

export function ofSteps(event: steps.StepsEvent): unknown {
  switch (event.type) {
    case 'message': return event.timestamp;
    case 'step': return event.step_type === 'planning' ? event.plan : [event.model_output, event.code_action, event.observations, event.error];
    case 'final': return event.output;
    case 'error': return event.error;
    case 'done': return null;
    default: return never(event);
  }
}

export function ofRuns(event: runs.RunEvent): unknown {
  switch (event.type) {
    case 'run_started': return event.payload.status;
    case 'assistant_delta': return event.payload.text;
    case 'tool_call_proposed': return event.payload.args;
    case 'tool_call_approved': return event.payload.approval_id;
    case 'tool_call_rejected': return event.payload.reason;
    case 'tool_result': return event.payload.success;
    case 'run_interrupted': return event.payload.reason;
    case 'run_completed': return event.payload.final_text;
    case 'run_failed': return event.payload.error_code;
    default: return never(event);
  }
}

export function ofChat({event, data}: chat.ChatStreamEvent): unknown {
  switch (event) {
    case 'stream_start': return data.session_id;
    case 'message_delta': return data.delta;
    case 'tool_call_start': return data.name;
    case 'tool_call_args': return data.args_delta;
    case 'tool_call_end': return data.status;
    case 'stream_end': return data.tokens_used?.prompt_tokens;
    case 'error': return data.detail;
    default: return never(event);
  }
}

export function ofConversation(event: conversation.ConversationEvent): unknown {
  switch (event.type) {
    case 'start': return event.tool_names;
    case 'token': return event.content;
    case 'tool_start': return event.args;
    case 'tool_end': return event.result;
    case 'tool_error': return event.error.kind;
    case 'conversation': return event.conversation.conversation;
    case 'warning': return event.code;
    case 'error': return event.message;
    case 'done': return null;
    default: return never(event);
  }
}

export function ofExecution(event: tasks.ExecutionEvent): unknown {
  switch (event.type) {
    case 'task_selected': return event.taskId;
    case 'tool_call': return event.input;
    case 'tool_result': return event.output;
    case 'artifact_created': return event.artifactType;
    case 'data_modified': return event.operation;
    case 'task_completed': return event.status;
    case 'reflection': return event.text;
    case 'error': return event.taskId;
    case 'done': return event.summary.failed;
    default: return never(event);
  }
}

// ---- the types of the tasks contract have its names and its shapes ----

holds<Same<tasks.ChatEventType, tasks.ChatEvent['type']>>();
holds<Same<tasks.ExecutionEventType, tasks.ExecutionEvent['type']>>();
holds<Same<tasks.ChatContentEvent, {type: 'content'; content: string}>>();
holds<Same<tasks.ChatTasksUpdatedEvent, {type: 'tasks_updated'; tasks: tasks.Task[]}>>();
holds<Same<tasks.ChatErrorEvent, {type: 'error'; error: string}>>();
holds<Same<tasks.ChatDoneEvent, {type: 'done'}>>();
holds<Same<tasks.TaskSelectedEvent, {type: 'task_selected'; taskId: string}>>();
holds<Same<tasks.ToolCallEvent, {type: 'tool_call'; taskId: string; tool: string; input: Record<string, unknown>}>>();
holds<Same<tasks.ToolResultEvent, {type: 'tool_result'; taskId: string; tool: string; output: string}>>();
holds<Same<tasks.ArtifactCreatedEvent,
  {type: 'artifact_created'; taskId: string; artifactId: string; name: string; artifactType: tasks.ArtifactType}>>();
holds<Same<tasks.DataModifiedEvent,
  {type: 'data_modified'; taskId: string; dataItemId: string; operation: 'create' | 'update' | 'delete'; itemType: string}>>();
holds<Same<tasks.TaskCompletedEvent, {type: 'task_completed'; taskId: string; status: 'done' | 'failed'; result: string}>>();
holds<Same<tasks.ReflectionEvent, {type: 'reflection'; taskId: string; text: string}>>();
holds<Same<tasks.ExecutionErrorEvent, {type: 'error'; taskId?: string; error: string}>>();
holds<Same<tasks.ExecutionDoneEvent, {type: 'done'; summary: {total: number; completed: number; failed: number}}>>();

// ---- the client gives these types ----

const braid = new Braidlog({baseUrl: 'http://127.0.0.1:8000', apiKey: 'key'});
holds<Same<ReturnType<typeof braid.tasks.execute>, EventStream<tasks.ExecutionEvent, tasks.ExecutionDoneEvent['summary']>>>();
holds<Same<ReturnType<typeof braid.tasks.settled>, Promise<sessions.SessionDetail>>>();
holds<Same<ContractEvents['runs'], runs.RunEvent>>();
holds<Same<ContractEvents['all'], ContractFrame>>();
holds<Same<ContractEvents['tasks'], tasks.ChatEvent | tasks.ExecutionEvent>>();

export async function reads(signal: AbortSignal): Promise<string | undefined> {
  for await (const event of braid.steps.stream('id', {query: 'q'}, {signal})) ofSteps(event);
  for await (const event of braid.anyRun('id', 'conversation')) ofConversation(event);
  try {
    return await braid.runs.stream('s', 'r').result();
  } catch (error) {
    if (error instanceof RunError) return error.code ?? undefined;
    throw error;
  }
}

// @ts-expect-error: a query is a must
braid.steps.stream('id', {});
// @ts-expect-error: tasks are not replayed
braid.tasks.execute('id', {lastEventId: 'evt'});
// @ts-expect-error: no such contract
braid.anyRun('id', 'other');
