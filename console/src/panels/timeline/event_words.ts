// What people read of an event: which family it belongs to, and one line that says what happened.
import type {LogEvent} from '../../hub/client';

export const families = ['run', 'model', 'text', 'reasoning', 'tool', 'approval', 'step', 'task', 'item'] as const;
export type Family = (typeof families)[number];

const beginnings: [string, Family][] = [
  ['model.', 'model'], ['text.', 'text'], ['reasoning.', 'reasoning'], ['tool.', 'tool'], ['input.', 'approval'],
  ['plan.', 'step'], ['step.', 'step'], ['code.', 'step'],
  ['task', 'task'], ['reflection.', 'task'], ['artifact.', 'item'], ['data.', 'item'],
];

const known = new Map<string, Family>();

export function familyOf(type: string): Family {
  let family = known.get(type);
  if (!family) known.set(type, family = beginnings.find(([beginning]) => type.startsWith(beginning))?.[1] ?? 'run');
  return family;
}

// The log writes its small enumerations as numbers; their meaning is in src/event/event_values.h.
const purposes = ['answer', 'plan', 'reflection', 'final answer'];
const finishes = ['stop', 'length', 'tool calls', 'content filter', 'refusal', 'error', 'aborted'];
const permissions = ['it only reads', 'a person approved', "the agent's policy", "the session's settings"];
const verdicts = ['approved', 'rejected'];
const toolStatuses = ['ok', 'tool error', 'invalid arguments', 'timeout', 'outcome unknown', 'cancelled'];
const failures = ['provider', 'provider timeout', 'rate limited', 'cut off by the provider', 'too many steps', 'limit exceeded', 'storage', 'internal', 'bad file'];
const taskStatuses = ['pending', 'in progress', 'done', 'failed'];
const operations = ['create', 'update', 'delete'];

const word = (words: string[], value: unknown) => (typeof value === 'number' ? words[value] : undefined) ?? String(value ?? '');

const quoted = (text: unknown) => JSON.stringify(String(text ?? ''));

function tokens(usage: unknown): string {
  const used = usage as { input_tokens?: number; output_tokens?: number } | null | undefined;
  return used ? `${used.input_tokens ?? 0} tokens in, ${used.output_tokens ?? 0} out` : '';
}

const list = (...parts: (string | false | null | undefined)[]) => parts.filter(Boolean).join(' · ');

const lines: Record<string, (event: any) => string> = {
  'run.queued': (e) => list(e.text && quoted(e.text), `${e.agent}, ${e.contract} contract`, e.attachments?.length && `${e.attachments.length} files`),
  'run.started': (e) => list(`${e.agent} ${e.agent_version ?? ''}`.trim(), e.tool_names?.length ? `tools ${e.tool_names.join(', ')}` : 'no tools'),
  'run.completed': (e) => list(quoted(e.final_text), tokens(e.usage), e.tasks_total > 0 && `${e.tasks_done} of ${e.tasks_total} tasks done`),
  'run.failed': (e) => list(word(failures, e.code), e.message),
  'run.interrupted': (e) => e.reason,
  'run.resumed': (e) => e.reason,
  'interrupt.requested': (e) => list(e.reason, e.user_id && `by ${e.user_id}`),
  'warning': (e) => list(e.code, e.message),
  'attachment.read': (e) => `file ${e.index + 1}: ${quoted(e.text)}`,
  'model.started': (e) => list(`turn ${e.turn}`, word(purposes, e.purpose), `${e.provider}/${e.model}`, e.continues && 'goes on'),
  'model.finished': (e) => list(word(finishes, e.finish), tokens(e.usage), `first chunk after ${e.first_chunk_ms} ms`, e.answered_by && `answered by ${e.answered_by}`),
  'text.delta': (e) => quoted(e.text),
  'reasoning.delta': (e) => quoted(e.text),
  'plan.made': (e) => list(`step ${e.step_number}`, quoted(e.text)),
  'code.started': (e) => quoted(e.code),
  'step.finished': (e) => list(`step ${e.step_number}`, quoted(e.error ?? e.observations)),
  'tool.call.started': (e) => list(e.name, e.by_code && 'called by code'),
  'tool.args.delta': (e) => e.fragment,
  'tool.call.ready': (e) => `${e.name}(${e.args_json})`,
  'tool.call.abandoned': (e) => e.reason,
  'tool.started': (e) => list(e.name, word(permissions, e.permission)),
  'tool.finished': (e) => list(e.name, word(toolStatuses, e.status), quoted(e.text)),
  'input.requested': (e) => list(`may ${e.tool_name} run?`, e.args_json, e.decided_by_policy && 'decided by policy'),
  'input.given': (e) => list(word(verdicts, e.verdict), e.user_id && `by ${e.user_id}`, e.reason, e.apply_to_future && 'from now on'),
  'artifact.created': (e) => list(e.name, e.artifact_type),
  'data.modified': (e) => list(word(operations, e.operation), e.item_type, e.data_json),
  'tasks.replaced': (e) => `${e.tasks?.length ?? 0} tasks: ${(e.tasks ?? []).map((task: any) => task.title).join(', ')}`,
  'task.finished': (e) => list(word(taskStatuses, e.status), e.error || quoted(e.result)),
  'reflection.made': (e) => quoted(e.text),
};

const envelope = new Set(['sequence', 'at', 'elapsed_ms', 'type']);

// One line; what has no words of its own shows its fields.
export function summarize(event: LogEvent): string {
  const line = lines[event.type];
  if (line) return String(line(event) ?? '');
  return Object.entries(event).filter(([name]) => !envelope.has(name))
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' · ');
}

// The piece of text that an event adds, for those that come by the thousand; undefined for the others.
export function deltaText(event: LogEvent): string | undefined {
  if (event.type === 'text.delta' || event.type === 'reasoning.delta') return String(event.text ?? '');
  if (event.type === 'tool.args.delta') return String(event.fragment ?? '');
  return undefined;
}

// Deltas with the same key belong to one text.
export function deltaKey(event: LogEvent): string {
  switch (event.type) {
    case 'text.delta': return `text ${event.part}`;
    case 'reasoning.delta': return `reasoning ${event.part}`;
    case 'tool.args.delta': return `args ${event.call_id}`;
    default: return '';
  }
}
