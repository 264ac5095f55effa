// What a person wants to know about a waiting call beside its arguments: which agent asks, in which session, for whom, and
// when the question times out. The list of runs says the first three; the end of the run's log says the last.
import {signal} from '@preact/signals';
import {spelled} from '../../api/ids';
import {readLogTail} from '../../api/log_tail';
import {listRuns} from '../../api/runs';
import type {RunItem} from '../../api/types';
import type {LogEvent} from '../../hub/client';
import {scopeAll, type PendingApproval} from '../../pending_approvals';

export type RunFacts = Pick<RunItem, 'agent' | 'session_title' | 'text' | 'user_id' | 'events'>;

export const runFacts = signal<ReadonlyMap<string, RunFacts>>(new Map());
export const expiries = signal<ReadonlyMap<string, number>>(new Map()); // approval → wall time; 0: never

// A run that waits has asked only just now: the questions are among its last events.
const TAIL_EVENTS = 200;

let busy = false;

export async function readFacts(list: PendingApproval[]): Promise<void> {
  if (busy) return;
  busy = true;
  try {
    await readRuns(list.map((one) => one.runId).filter((id) => !runFacts.peek().has(id)));
    for (const one of list) {
      const facts = runFacts.peek().get(one.runId);
      if (facts && !expiries.peek().has(one.approvalId)) await readExpiries(one, facts.events);
    }
  } catch {
    // The cards stand without it; the next change asks again.
  } finally {
    busy = false;
  }
}

async function readRuns(missing: string[]): Promise<void> {
  if (missing.length === 0) return;
  const scope = scopeAll() ? {scope: 'all' as const} : {};
  const found = new Map(runFacts.peek());
  const page = await listRuns({status: 'waiting_approval', limit: 100, ...scope});
  for (const run of page.items) found.set(run.run_id, run);
  for (const id of missing) {
    if (found.has(id)) continue;
    const one = (await listRuns({q: id, limit: 1, ...scope})).items[0];
    if (one) found.set(id, one);
  }
  runFacts.value = found;
}

async function readExpiries({runId, approvalId}: PendingApproval, events: number): Promise<void> {
  const idOf = (event: LogEvent) => (event.type === 'input.requested' ? spelled('appr', String(event['input_id'])) : '');
  const tail = await readLogTail(runId, events - TAIL_EVENTS, (list) => list.some((event) => idOf(event) === approvalId));
  const found = new Map(expiries.peek());
  for (const event of tail) if (idOf(event) !== '') found.set(idOf(event), Number(event['expires_ms']));
  expiries.value = found;
}
