import {get, post} from './http';
import {randomName} from './ids';
import type {RunBegun, RunPage, Way} from './types';

export interface RunQuery {q?: string; status?: string; agent?: string; session_id?: string; limit?: number; before?: string; scope?: 'all'}

export function listRuns(query: RunQuery = {}): Promise<RunPage> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  }
  return get(`/console/runs?${parameters}`);
}

export interface Ask {message?: string; agent?: string; session_id?: string; way?: Way; files?: File[]}

// One request, one run: the key makes a repeated send (a second click, a retry after a lost answer) the same run.
export function beginRun({files = [], ...ask}: Ask, key: string = randomName()): Promise<RunBegun> {
  if (files.length === 0) return post('/console/runs', ask, {'Idempotency-Key': key});
  const form = new FormData();
  for (const [name, value] of Object.entries(ask)) if (value !== undefined) form.set(name, value);
  for (const file of files) form.append('files', file, file.name);
  return post('/console/runs', form, {'Idempotency-Key': key});
}

export const interruptRun = (sessionId: string, runId: string): Promise<unknown> =>
  post(`/api/v1/sessions/${sessionId}/runs/${runId}/interrupt`);
