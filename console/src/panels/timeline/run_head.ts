// What stands above a run: who works on it, how far it is, what it has used. A fold over the log that costs nothing for deltas.
import type {LogEvent} from '../../hub/client';
import {isOver, type RunStatus} from '../../api/types';

export interface PendingInput {inputId: string; tool: string; argsJson: string}

export interface RunHead {
  status: RunStatus;
  sessionId: string;
  agent: string;
  contract: string;
  text: string;
  beganAt: number;  // wall time of the first event, 0 before it
  lastAt: number;   // of the last event
  tokens: number | null;
  pending: PendingInput[];
}

export const emptyHead: RunHead = {
  status: 'queued', sessionId: '', agent: '', contract: '', text: '', beganAt: 0, lastAt: 0, tokens: null, pending: [],
};

const total = (usage: any): number | null => (usage ? (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0) : null);

const handlers: Record<string, (head: RunHead, event: any) => void> = {
  'run.queued': (head, e) => Object.assign(head, {beganAt: e.at, sessionId: e.session_id, agent: e.agent, contract: e.contract, text: e.text}),
  'run.started': (head) => { head.status = 'running'; },
  'run.resumed': (head) => { head.status = head.pending.length > 0 ? 'waiting_approval' : 'running'; },
  'interrupt.requested': (head) => { head.status = 'interrupting'; },
  'model.finished': (head, e) => { if (e.usage) head.tokens = (head.tokens ?? 0) + total(e.usage)!; },
  'input.requested': (head, e) => {
    if (e.decided_by_policy) return;
    head.pending = [...head.pending, {inputId: e.input_id, tool: e.tool_name, argsJson: e.args_json}];
    head.status = 'waiting_approval';
  },
  'input.given': (head, e) => {
    head.pending = head.pending.filter((input) => input.inputId !== e.input_id);
    if (head.status === 'waiting_approval' && head.pending.length === 0) head.status = 'running';
  },
  'run.completed': (head, e) => { head.status = 'completed'; head.tokens = total(e.usage) ?? head.tokens; },
  'run.failed': (head) => { head.status = 'failed'; },
  'run.interrupted': (head) => { head.status = 'interrupted'; },
};

export function foldHead(before: RunHead, batch: LogEvent[]): RunHead {
  const last = batch.at(-1);
  if (!last) return before;
  const head = {...before, lastAt: last.at};
  for (const event of batch) handlers[event.type]?.(head, event);
  if (isOver(head.status)) head.pending = [];
  return head;
}
