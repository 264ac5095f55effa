// Streams of this contract are not replayed. One that was lost throws a TruncatedError; the run goes on, and `settled`
// tells what became of it.
import {NetworkError} from './errors.js';
import {ExecutionReader, TasksChatReader} from './readers.js';
import type {ExecutionSummary, PlanResult} from './readers.js';
import {sleep} from './retry.js';
import {EventStream} from './stream.js';
import type {Reader, StreamOptions} from './stream.js';
import {newKey, path} from './transport.js';
import type {CallOptions, StartOptions, Transport} from './transport.js';
import type {SessionDetail} from './types/sessions.js';
import type {
  Artifact, ArtifactList, ArtifactType, ChatEvent, DataItem, DataItemList, ExecutionEvent, TaskDetail, TaskList, TasksChatRequest,
} from './types/tasks.js';

export type TasksStreamOptions = StartOptions & Omit<StreamOptions, 'lastEventId'>;

export interface SettledOptions extends CallOptions {
  /** Between two looks. Default 1,000. */
  everyMs?: number;
}

/** A planner that makes a list of tasks, and works it off. The run goes on when its client goes. */
export class Tasks {
  constructor(private readonly transport: Transport) {}

  chat(sessionId: string, request: TasksChatRequest, options: TasksStreamOptions = {}): EventStream<ChatEvent, PlanResult> {
    return this.#start(path`/sessions/${sessionId}/chat`, request, new TasksChatReader(), options);
  }

  execute(sessionId: string, options: TasksStreamOptions = {}): EventStream<ExecutionEvent, ExecutionSummary> {
    return this.#start(path`/sessions/${sessionId}/execute`, {}, new ExecutionReader(), options);
  }

  /**
   * Executes and gives the session as it is afterwards. When the stream is lost on the way it looks at the session until
   * the run is over; events of that time are not seen. Throws a RunError when the run, not a task, failed in sight.
   */
  async executeToEnd(
    sessionId: string, onEvent: (event: ExecutionEvent) => void = () => {}, options: TasksStreamOptions & SettledOptions = {},
  ): Promise<SessionDetail> {
    const stream = this.execute(sessionId, options);
    const events = stream[Symbol.asyncIterator]();
    const lost = (error: unknown) => {
      if (stream.began && error instanceof NetworkError) return null;
      throw error;
    };
    try {
      let next = await events.next().catch(lost);
      for (; next && !next.done; next = await events.next().catch(lost)) onEvent(next.value);
      if (next) await stream.result();
    } finally {
      await events.return();
    }
    return this.settled(sessionId, options);
  }

  /** The session with its tasks, messages, artifacts and data items, now. */
  state(sessionId: string, options?: CallOptions): Promise<SessionDetail> {
    return this.transport.json({method: 'GET', path: path`/sessions/${sessionId}`}, options);
  }

  /** The session as soon as no run is under way. */
  async settled(sessionId: string, options: SettledOptions = {}): Promise<SessionDetail> {
    for (;;) {
      const session = await this.state(sessionId, options);
      if (session.activeRunId === null) return session;
      await sleep(options.everyMs ?? 1_000, options.signal);
    }
  }

  // ---- resources ----

  list(sessionId: string, options?: CallOptions): Promise<TaskList> {
    return this.transport.json({method: 'GET', path: path`/sessions/${sessionId}/tasks`}, options);
  }

  get(sessionId: string, taskId: string, options?: CallOptions): Promise<TaskDetail> {
    return this.transport.json({method: 'GET', path: path`/sessions/${sessionId}/tasks/${taskId}`}, options);
  }

  artifacts(sessionId: string, query: {type?: ArtifactType} = {}, options?: CallOptions): Promise<ArtifactList> {
    return this.transport.json({method: 'GET', path: path`/sessions/${sessionId}/artifacts`, query: {...query}}, options);
  }

  artifact(sessionId: string, artifactId: string, options?: CallOptions): Promise<Artifact> {
    return this.transport.json({method: 'GET', path: path`/sessions/${sessionId}/artifacts/${artifactId}`}, options);
  }

  download(sessionId: string, artifactId: string, options?: CallOptions): Promise<Blob> {
    return this.transport.blob({method: 'GET', path: path`/sessions/${sessionId}/artifacts/${artifactId}/download`}, options);
  }

  deleteArtifact(sessionId: string, artifactId: string, options?: CallOptions): Promise<void> {
    return this.transport.json({method: 'DELETE', path: path`/sessions/${sessionId}/artifacts/${artifactId}`}, options);
  }

  dataItems(sessionId: string, query: {item_type?: string} = {}, options?: CallOptions): Promise<DataItemList> {
    return this.transport.json({method: 'GET', path: path`/sessions/${sessionId}/data-items`, query: {...query}}, options);
  }

  dataItem(sessionId: string, dataItemId: string, options?: CallOptions): Promise<DataItem> {
    return this.transport.json({method: 'GET', path: path`/sessions/${sessionId}/data-items/${dataItemId}`}, options);
  }

  #start<E, R>(route: string, body: object, reader: Reader<E, R>, options: TasksStreamOptions): EventStream<E, R> {
    const idempotencyKey = options.idempotencyKey ?? newKey();
    return new EventStream(this.transport, {request: {method: 'POST', path: route, body, idempotencyKey}, reader, resume: 'never', options});
  }
}
