// What each contract's streams come to: which event is the last, what `result()` gives, and what makes it a RunError.
import {InvalidResponseError, RunError, problemKind} from './errors.js';
import type {Reader} from './stream.js';
import {SseParser} from './sse.js';
import type {SseFrame} from './sse.js';
import type {ChatStreamEvent, StreamEnd} from './types/chat.js';
import type {ContractName, JsonValue} from './types/common.js';
import type {Conversation, ConversationEvent} from './types/conversation.js';
import type {RunEvent} from './types/runs.js';
import type {StepsEvent} from './types/steps.js';
import type {ChatEvent, ExecutionDoneEvent, ExecutionEvent, Task} from './types/tasks.js';

abstract class JsonReader<E, R> implements Reader<E, R> {
  protected failure: RunError | undefined;

  constructor(readonly contract: ContractName) {}

  decode(frame: SseFrame): E {
    return parse(frame) as E;
  }

  abstract take(event: E): boolean;
  protected abstract good(): R;

  result(): R {
    if (this.failure) throw this.failure;
    return this.good();
  }

  protected fail(message: string, code: string | null, event: E): void {
    this.failure = new RunError(message, this.contract, code, event);
  }
}

/** The final output. */
export class StepsReader extends JsonReader<StepsEvent, JsonValue> {
  #output: JsonValue = null;

  constructor() {
    super('steps');
  }

  take(event: StepsEvent): boolean {
    if (event.type === 'final') this.#output = event.output;
    if (event.type === 'error') this.fail(event.error, null, event);
    return event.type === 'done';
  }

  protected good(): JsonValue {
    return this.#output;
  }
}

/** The final text. */
export class RunsReader extends JsonReader<RunEvent, string> {
  #text = '';

  constructor() {
    super('runs');
  }

  take(event: RunEvent): boolean {
    if (event.type === 'run_completed') this.#text = event.payload.final_text;
    else if (event.type === 'run_failed') this.fail(event.payload.message, event.payload.error_code, event);
    else if (event.type === 'run_interrupted') this.fail(event.payload.reason ?? 'Run interrupted', 'INTERRUPTED', event);
    else return false;
    return true;
  }

  protected good(): string {
    return this.#text;
  }
}

export interface ChatResult extends StreamEnd {
  session_id: string;
  /** All text of the answer; of a stream that began in the middle, what came since. */
  content: string;
}

export class ChatReader extends JsonReader<ChatStreamEvent, ChatResult> {
  #result: ChatResult = {session_id: '', content: '', message_id: '', tokens_used: null, execution_time_ms: 0};

  constructor() {
    super('chat');
  }

  override decode(frame: SseFrame): ChatStreamEvent {
    return {event: frame.event, data: parse(frame)} as unknown as ChatStreamEvent;
  }

  take(event: ChatStreamEvent): boolean {
    if (event.event === 'stream_start') this.#result.session_id = event.data.session_id;
    if (event.event === 'message_delta') this.#result.content += event.data.delta;
    if (event.event === 'stream_end') Object.assign(this.#result, event.data);
    if (event.event === 'error') this.fail(event.data.detail, problemKind(event.data.type), event);
    return event.event === 'stream_end' || event.event === 'error';
  }

  protected good(): ChatResult {
    return this.#result;
  }
}

/** The conversation as it is after the answer. */
export class ConversationReader extends JsonReader<ConversationEvent, Conversation> {
  #conversation: Conversation | undefined;

  constructor() {
    super('conversation');
  }

  take(event: ConversationEvent): boolean {
    if (event.type === 'conversation') this.#conversation = event.conversation;
    if (event.type === 'error') this.fail(event.message, null, event);
    return event.type === 'done' || event.type === 'error';
  }

  protected good(): Conversation {
    if (!this.#conversation) throw new InvalidResponseError('A stream with `done` and without `conversation`');
    return this.#conversation;
  }
}

export interface PlanResult {
  content: string;
  /** The whole list, when it changed. */
  tasks: Task[] | null;
}

export class TasksChatReader extends JsonReader<ChatEvent, PlanResult> {
  #result: PlanResult = {content: '', tasks: null};

  constructor() {
    super('tasks');
  }

  take(event: ChatEvent): boolean {
    if (event.type === 'content') this.#result.content += event.content;
    if (event.type === 'tasks_updated') this.#result.tasks = event.tasks;
    if (event.type === 'error') this.fail(event.error, null, event);
    return event.type === 'done' || event.type === 'error';
  }

  protected good(): PlanResult {
    return this.#result;
  }
}

export type ExecutionSummary = ExecutionDoneEvent['summary'];

/** The summary. That a task failed is no failure of the run. */
export class ExecutionReader extends JsonReader<ExecutionEvent, ExecutionSummary> {
  #summary: ExecutionSummary = {total: 0, completed: 0, failed: 0};

  constructor() {
    super('tasks');
  }

  take(event: ExecutionEvent): boolean {
    if (event.type === 'done') this.#summary = event.summary;
    if (event.type !== 'error') return event.type === 'done';
    if (event.taskId !== undefined) return false;
    this.fail(event.error, null, event);
    return true;
  }

  protected good(): ExecutionSummary {
    return this.#summary;
  }
}

/** A run of either kind in the words of tasks, to look at only. */
export class TasksReader extends JsonReader<ChatEvent | ExecutionEvent, void> {
  constructor() {
    super('tasks');
  }

  take(event: ChatEvent | ExecutionEvent): boolean {
    if (event.type !== 'error') return event.type === 'done';
    if ('taskId' in event) return false;
    this.fail(event.error, null, event);
    return true;
  }

  protected good(): void {}
}

export const newReaders = {
  steps: () => new StepsReader(),
  runs: () => new RunsReader(),
  chat: () => new ChatReader(),
  conversation: () => new ConversationReader(),
  tasks: () => new TasksReader(),
};

/** One frame of `contract=all`: the whole frame of one contract, as text. */
export interface ContractFrame {
  contract: ContractName;
  frame: string;
}

/** Which of the contracts speaks last is not known here: it is over when the server ends it and all of them ended. */
export class AllReader implements Reader<ContractFrame, void> {
  readonly #readers = new Map<string, Reader<unknown, unknown>>(
    Object.entries(newReaders).map(([name, make]) => [name, make() as Reader<unknown, unknown>]));
  readonly #open = new Set<ContractName>();

  decode(frame: SseFrame): ContractFrame {
    return parse(frame) as unknown as ContractFrame;
  }

  take({contract, frame}: ContractFrame): boolean {
    const reader = this.#readers.get(contract);
    const [inner] = new SseParser().push(new TextEncoder().encode(frame));
    if (!reader || !inner) throw new InvalidResponseError(`Not a frame of a contract: ${contract}`);
    if (reader.take(reader.decode(inner))) this.#open.delete(contract);
    else this.#open.add(contract);
    return false;
  }

  isOver(): boolean {
    return this.#open.size === 0;
  }

  result(): void {}
}

function parse(frame: SseFrame): JsonValue {
  try {
    return JSON.parse(frame.data) as JsonValue;
  } catch (error) {
    throw new InvalidResponseError('An event whose data is not JSON', {cause: error});
  }
}
