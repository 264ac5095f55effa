// What waits for a person, in one list for the whole page: the inbox shows it, the navigation counts it. It is read anew
// whenever the server hints that something changed, so a decision made elsewhere leaves this list by itself.
import {computed, effect, signal} from '@preact/signals';
import {getText, me} from './api/http';
import {onNotice, onReconnect} from './hub/client';
import {recall, remember} from './memory';
import {member, parseExact, textOf, type ExactJson} from './ui/exact_json';

export interface PendingApproval {
  approvalId: string;
  runId: string;
  sessionId: string;
  tool: string;
  args: ExactJson;
  createdAt: number;
}

const gatherMs = 120;  // Hints come in bursts: one reading answers all of them.

// null: not read yet.
export const pendingApprovals = signal<PendingApproval[] | null>(null);
export const pendingError = signal<unknown>(null);
export const pendingCount = computed(() => pendingApprovals.value?.length ?? 0);
// Admins may look at the approvals of everybody.
export const everybody = signal(recall('approvals.everybody', false));
export const scopeAll = (): boolean => everybody.value && me.value?.role === 'admin';

export function showEverybody(on: boolean): void {
  remember('approvals.everybody', on);
  everybody.value = on;
}

function parsePending(text: string): PendingApproval[] {
  const items = member(parseExact(text), 'items');
  if (items?.kind !== 'array') return [];
  return items.items.map((item) => ({
    approvalId: textOf(member(item, 'approval_id')) ?? '',
    runId: textOf(member(item, 'run_id')) ?? '',
    sessionId: textOf(member(item, 'session_id')) ?? '',
    tool: textOf(member(item, 'tool_name')) ?? '',
    args: member(item, 'args') ?? {kind: 'object', entries: []},
    createdAt: Date.parse(textOf(member(item, 'created_at')) ?? ''),
  }));
}

// Each is consumed once: what was decided here never comes back, even when an answer is read that was written before.
const decided = new Set<string>();

export function forgetPending(approvalId: string): void {
  decided.add(approvalId);
  pendingApprovals.value = pendingApprovals.value?.filter((one) => one.approvalId !== approvalId) ?? null;
}

let reading = false;
let again = false;
let timer: ReturnType<typeof setTimeout> | undefined;

export function readPendingSoon(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    void readPending();
  }, gatherMs);
}

export async function readPending(): Promise<void> {
  if (!me.peek()) return;
  if (reading) {
    again = true;
    return;
  }
  reading = true;
  try {
    const text = await getText(`/api/v1/approvals${scopeAll() ? '?scope=all' : ''}`);
    pendingApprovals.value = keepSame(pendingApprovals.peek() ?? [], parsePending(text));
    pendingError.value = null;
  } catch (error) {
    pendingError.value = error;
  }
  reading = false;
  if (again) {
    again = false;
    void readPending();
  }
}

// An approval never changes: the object that is shown stays, and so do its card and the reader's place in it.
function keepSame(before: PendingApproval[], now: PendingApproval[]): PendingApproval[] {
  const known = new Map(before.map((one) => [one.approvalId, one]));
  return now.filter((one) => !decided.has(one.approvalId)).map((one) => known.get(one.approvalId) ?? one);
}

effect(() => {
  if (!me.value) {
    pendingApprovals.value = null;
    return;
  }
  scopeAll();  // read again when it changes
  void readPending();
  const offNotice = onNotice((notice) => {
    if (notice.what === 'approvals' || notice.what === 'run') readPendingSoon();
  });
  const offReconnect = onReconnect(readPendingSoon);
  return () => {
    offNotice();
    offReconnect();
  };
});
