import {RunsReader} from './readers.js';
import {EventStream} from './stream.js';
import type {StreamOptions} from './stream.js';
import {newKey, path, segment} from './transport.js';
import type {CallOptions, Transport} from './transport.js';
import type {
  Approval, Approve, AutoApprove, CreateRunsSession, Decision, FileList, Items, Reject, Run, RunEvent, RunInterrupting, RunQueued,
  RunsSession, RunsSessionDetail, RunsSessionItem, SendMessage, UploadedFile,
} from './types/runs.js';

const base = '/api/v1';

/** Runs that are started, watched and decided about. They go on with nobody watching. */
export class Runs {
  constructor(private readonly transport: Transport) {}

  // ---- sessions ----

  createSession(request: CreateRunsSession = {}, options?: CallOptions): Promise<RunsSession> {
    return this.transport.json({method: 'POST', path: `${base}/sessions`, body: request}, options);
  }

  sessions(query: {scope?: 'all'} = {}, options?: CallOptions): Promise<Items<RunsSessionItem>> {
    return this.transport.json({method: 'GET', path: `${base}/sessions`, query: {...query}}, options);
  }

  session(sessionId: string, options?: CallOptions): Promise<RunsSessionDetail> {
    return this.transport.json({method: 'GET', path: base + path`/sessions/${sessionId}`}, options);
  }

  deleteSession(sessionId: string, options?: CallOptions): Promise<void> {
    return this.transport.json({method: 'DELETE', path: base + path`/sessions/${sessionId}`}, options);
  }

  setAutoApprove(sessionId: string, enabled: boolean, options?: CallOptions): Promise<AutoApprove> {
    return this.transport.json(
      {method: 'POST', path: base + path`/sessions/${sessionId}/settings/auto-approve`, body: {enabled}}, options);
  }

  // ---- runs ----

  /** Starts a run. Sent again with the same key, here or by a caller that lost the answer, it is the same run. */
  send(sessionId: string, {message, idempotency_key: key}: SendMessage, options?: CallOptions): Promise<RunQueued> {
    return this.transport.json({
      method: 'POST',
      path: base + path`/sessions/${sessionId}/messages`,
      body: {message},
      idempotencyKey: key ?? newKey(),
    }, options);
  }

  /** From `run_started` on, whenever one comes, to the end. */
  stream(sessionId: string, runId: string, options: StreamOptions = {}): EventStream<RunEvent, string> {
    return new EventStream(this.transport, {
      request: {method: 'GET', path: base + path`/sessions/${sessionId}/runs/${runId}/stream`},
      reader: new RunsReader(),
      resume: 'by id',
      options,
    });
  }

  list(sessionId: string, options?: CallOptions): Promise<Items<Run>> {
    return this.transport.json({method: 'GET', path: base + path`/sessions/${sessionId}/runs`}, options);
  }

  get(runId: string, options?: CallOptions): Promise<Run> {
    return this.transport.json({method: 'GET', path: base + path`/runs/${runId}`}, options);
  }

  interrupt(sessionId: string, runId: string, options?: CallOptions): Promise<RunInterrupting> {
    return this.transport.json({method: 'POST', path: base + path`/sessions/${sessionId}/runs/${runId}/interrupt`}, options);
  }

  // ---- approvals ----

  /** What waits for a decision: in one session, or without one in all of the caller's. */
  approvals(sessionId?: string, options?: CallOptions): Promise<Items<Approval>> {
    const where = sessionId === undefined ? '/approvals' : path`/sessions/${sessionId}/approvals`;
    return this.transport.json({method: 'GET', path: base + where}, options);
  }

  approve(sessionId: string, approvalId: string, request: Approve = {}, options?: CallOptions): Promise<Decision> {
    return this.transport.json(
      {method: 'POST', path: base + path`/sessions/${sessionId}/approvals/${approvalId}/approve`, body: request}, options);
  }

  reject(sessionId: string, approvalId: string, request: Reject = {}, options?: CallOptions): Promise<Decision> {
    return this.transport.json(
      {method: 'POST', path: base + path`/sessions/${sessionId}/approvals/${approvalId}/reject`, body: request}, options);
  }

  // ---- files ----

  files(sessionId: string, options?: CallOptions): Promise<FileList> {
    return this.transport.json({method: 'GET', path: base + path`/sessions/${sessionId}/files`}, options);
  }

  upload(sessionId: string, file: Blob, name: string, options?: CallOptions): Promise<UploadedFile> {
    const body = new FormData();
    body.set('file', file, name);
    return this.transport.json({method: 'POST', path: base + path`/sessions/${sessionId}/files/upload`, body}, options);
  }

  /** `name` is a path in the workspace, as `files()` lists it. */
  download(sessionId: string, name: string, options?: CallOptions): Promise<Blob> {
    const where = name.split('/').map(segment).join('/');
    return this.transport.blob({method: 'GET', path: `${base}${path`/sessions/${sessionId}/files`}/${where}`}, options);
  }
}
