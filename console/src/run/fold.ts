// RunEvent[] → RunView, pure. A batch gives a new view that shares every item that it did not change, so that a page draws anew only what
// changed. Events that a view does not show still count: `sequence` is that of the last event.
import type {LogEvent} from '../hub/client';
import type {CallItem, CodeItem, Item, ReasoningItem, RunView, TaskItem, TaskLine, TextItem} from './view';

export type {RunView} from './view';

export function emptyRun(): RunView {
  return {sequence: 0, status: 'queued', sessionId: '', userId: '', contract: '', agent: '', title: '', asked: '', attachments: [],
    queuedAt: null, startedAt: null, endedAt: null, model: '', items: [], tasks: [], usage: null, failure: null, endReason: '', restarts: 0,
    continues: 0};
}

export function foldEvents(view: RunView, batch: LogEvent[]): RunView {
  const next: RunView = {...view, items: view.items.slice()};
  for (const event of batch) {
    if (event.sequence <= next.sequence) continue;
    next.sequence = event.sequence;
    folds[event.type]?.(next, event);
  }
  return next;
}

type Fold = (view: RunView, event: LogEvent) => void;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

// The spellings of the numbers in the log: event/event_values.h.
const taskStatus: TaskLine['status'][] = ['pending', 'in_progress', 'done', 'failed'];
const toolOutcome = ['', 'error', 'invalid arguments', 'timed out', 'outcome unknown', 'cancelled'];
const operations = ['create', 'update', 'delete'] as const;

const folds: Record<string, Fold> = {
  'run.queued': (view, event) => {
    const attachments = (event['attachments'] ?? []) as {name: string; media_type: string; bytes: number}[];
    Object.assign(view, head(event), {queuedAt: event.at, attachments: attachments.map((one) =>
      ({name: one.name, mediaType: one.media_type, bytes: one.bytes}))});
  },
  'run.started': (view, event) => {
    Object.assign(view, head(event), {startedAt: event.at, status: 'running'});
    view.tasks = taskLines(((event['tasks'] ?? []) as {item: RawTask}[]).map((one) => one.item));
  },
  'run.resumed': (view) => { ++view.restarts; },
  'interrupt.requested': (view) => { view.status = 'interrupting'; },
  'warning': (view, event) => add(view, event, {kind: 'note', tone: 'warn', text: text(event['message'])}),
  'run.completed': (view, event) => {
    end(view, event, 'completed');
    if (event['usage']) view.usage = event['usage'] as RunView['usage'];
    const answer = text(event['final_text']);
    if (answer.trim() !== '' && !isSaid(view, answer)) add(view, event, {kind: 'answer', text: answer});
  },
  'run.failed': (view, event) => {
    end(view, event, 'failed');
    view.failure = {code: number(event['code']), message: text(event['message'])};
  },
  'run.interrupted': (view, event) => {
    end(view, event, 'interrupted');
    view.endReason = text(event['reason']);
  },

  'model.started': (view, event) => {
    view.model = text(event['model']);
    if (event['continues'] === true) view.continues = number(event['turn']);
  },
  'model.finished': (view, event) => {
    const usage = event['usage'] as RunView['usage'] | undefined;
    if (usage) {
      view.usage = {input_tokens: (view.usage?.input_tokens ?? 0) + usage.input_tokens,
        output_tokens: (view.usage?.output_tokens ?? 0) + usage.output_tokens};
    }
  },
  'text.started': (view, event) => {
    const place = {turn: number(event['turn']), part: number(event['part']), open: true};
    if (view.continues === place.turn && view.items.some((item) => item.kind === 'text')) change<TextItem>(view, (item) => item.kind === 'text', place);
    else add(view, event, {kind: 'text', text: '', ...place});
  },
  'text.delta': (view, event) => grow(view, 'text', event),
  'text.finished': (view, event) => change<TextItem>(view, isPart('text', event), {open: false}),
  'reasoning.started': (view, event) =>
    add(view, event, {kind: 'reasoning', turn: number(event['turn']), part: number(event['part']), text: '', open: true, endedAt: null}),
  'reasoning.delta': (view, event) => grow(view, 'reasoning', event),
  'reasoning.finished': (view, event) => change<ReasoningItem>(view, isPart('reasoning', event), {open: false, endedAt: event.at}),
  'plan.made': (view, event) => add(view, event, {kind: 'plan', step: number(event['step_number']), text: text(event['text'])}),
  'code.started': (view, event) => {
    const turn = number(event['turn']);
    // The code stands in the model's text as well; there it is taken out, because the step shows it with what it did.
    change<TextItem>(view, (item) => item.kind === 'text' && item.turn === turn, (item) => ({text: withoutCode(item.text), open: false}));
    add(view, event, {kind: 'code', turn, code: text(event['code']), output: '', error: '', endedAt: null});
  },
  'step.finished': (view, event) => change<CodeItem>(view, (item) => item.kind === 'code' && item.turn === number(event['turn']),
    {output: text(event['observations']), error: text(event['error']), endedAt: event.at}),

  'tool.call.started': (view, event) => add(view, event, {kind: 'call', callId: text(event['call_id']), name: text(event['name']),
    byCode: event['by_code'] === true, args: '', phase: 'writing', approval: null, startedAt: null, endedAt: null, outcome: '', result: '',
    display: ''}),
  'tool.args.delta': (view, event) => change<CallItem>(view, isCall(event), (call) => ({args: call.args + text(event['fragment'])})),
  'tool.call.ready': (view, event) => change<CallItem>(view, isCall(event), {args: text(event['args_json']), phase: 'ready'}),
  'tool.call.abandoned': (view, event) =>
    change<CallItem>(view, isCall(event), {phase: 'abandoned', outcome: text(event['reason']), endedAt: event.at}),
  'input.requested': (view, event) => {
    const byPolicy = event['decided_by_policy'] === true;
    const expires = number(event['expires_ms']);
    change<CallItem>(view, isCall(event), {phase: 'asking', args: text(event['args_json']), approval: {id: text(event['input_id']),
      expiresAt: expires > 0 ? expires : null, byPolicy, verdict: 'asked', reason: '', always: false}});
    if (!byPolicy && view.status === 'running') view.status = 'waiting_approval';
  },
  'input.given': (view, event) => {
    const approved = number(event['verdict']) === 0;
    change<CallItem>(view, isCall(event), (call) => ({phase: approved ? 'allowed' : 'refused', endedAt: approved ? null : event.at,
      approval: call.approval && {...call.approval, verdict: approved ? 'approved' : 'rejected', reason: text(event['reason']),
        always: event['apply_to_future'] === true}}));
    if (view.status === 'waiting_approval' && !view.items.some(isAsking)) view.status = 'running';
  },
  'tool.started': (view, event) => change<CallItem>(view, isCall(event), {phase: 'running', startedAt: event.at, display: text(event['display'])}),
  'tool.finished': (view, event) => {
    const status = number(event['status']);
    change<CallItem>(view, isCall(event), (call) => ({phase: status === 0 ? 'done' : 'failed', outcome: toolOutcome[status] ?? 'failed',
      result: text(event['text']) || text(event['value_json']), display: text(event['display']) || call.display, endedAt: event.at}));
  },

  'artifact.created': (view, event) => add(view, event, {kind: 'artifact', artifactId: text(event['artifact_id']), name: text(event['name']),
    type: text(event['artifact_type']), content: text(event['content'])}),
  'data.modified': (view, event) => add(view, event, {kind: 'data', itemId: text(event['item_id']),
    operation: operations[number(event['operation'])] ?? 'update', type: text(event['item_type']), data: text(event['data_json'])}),
  'tasks.replaced': (view, event) => {
    view.tasks = taskLines((event['tasks'] ?? []) as RawTask[]);
    add(view, event, {kind: 'tasks', tasks: view.tasks});
  },
  'task.selected': (view, event) => {
    const taskId = text(event['task_id']);
    setTask(view, taskId, 'in_progress');
    const title = view.tasks.find((task) => task.id === taskId)?.title ?? 'Task';
    add(view, event, {kind: 'task', taskId, title, status: 'in_progress', result: '', error: '', reflection: ''});
  },
  'task.finished': (view, event) => {
    const status = taskStatus[number(event['status'])] ?? 'done';
    setTask(view, text(event['task_id']), status);
    const result = text(event['result']);
    change<TaskItem>(view, isTask(event), {status, result: isSaid(view, result) ? '' : result, error: text(event['error'])});
  },
  'reflection.made': (view, event) => change<TaskItem>(view, isTask(event), {reflection: text(event['text'])}),
};

interface RawTask {id: string; title: string; description: string; status: number; order: number}

const taskLines = (tasks: RawTask[]): TaskLine[] => [...tasks].sort((a, b) => number(a.order) - number(b.order)).map((task) =>
  ({id: task.id, title: text(task.title), description: text(task.description), status: taskStatus[number(task.status)] ?? 'pending'}));

function head(event: LogEvent): Partial<RunView> {
  return {sessionId: text(event['session_id']), userId: text(event['user_id']), contract: text(event['contract']), agent: text(event['agent']),
    title: text(event['title']), asked: text(event['text'])};
}

type NewItem = Item extends infer One ? (One extends Item ? Omit<One, 'key' | 'at'> : never) : never;

function add(view: RunView, event: LogEvent, item: NewItem): void {
  view.items.push({...item, key: String(event.sequence), at: event.at} as Item);
}

// The last item that fits: what changes stands near the end.
function change<One extends Item>(view: RunView, fits: (item: Item) => boolean, by: Partial<One> | ((item: One) => Partial<One>)): void {
  const index = view.items.findLastIndex(fits);
  if (index < 0) return;
  const item = view.items[index] as One;
  view.items[index] = {...item, ...(typeof by === 'function' ? by(item) : by)};
}

const isPart = (kind: 'text' | 'reasoning', event: LogEvent) => (item: Item): boolean => item.kind === kind && item.part === event['part'];
const isCall = (event: LogEvent) => (item: Item): boolean => item.kind === 'call' && item.callId === event['call_id'];
const isTask = (event: LogEvent) => (item: Item): boolean => item.kind === 'task' && item.taskId === event['task_id'];
const isAsking = (item: Item): boolean => item.kind === 'call' && item.phase === 'asking' && !item.approval?.byPolicy;

// What stands there already as the model's text is not shown once more as a result.
const isSaid = (view: RunView, words: string): boolean => view.items.some((item) => item.kind === 'text' && item.text.trim() === words.trim());

function grow(view: RunView, kind: 'text' | 'reasoning', event: LogEvent): void {
  change<TextItem>(view, isPart(kind, event), (item) => ({text: item.text + text(event['text'])}));
}

function setTask(view: RunView, id: string, status: TaskLine['status']): void {
  view.tasks = view.tasks.map((task) => (task.id === id ? {...task, status} : task));
}

// Nothing goes on after the end, whatever was open when it came.
function end(view: RunView, event: LogEvent, status: RunView['status']): void {
  view.status = status;
  view.endedAt = event.at;
  view.items = view.items.map((item) => {
    if ((item.kind === 'text' || item.kind === 'reasoning') && item.open) return {...item, open: false};
    if (item.kind === 'code' && item.endedAt === null) return {...item, endedAt: event.at};
    if (item.kind === 'call' && item.phase === 'writing') return {...item, phase: 'abandoned', endedAt: event.at};
    if (item.kind === 'task' && item.status === 'in_progress') return {...item, status: 'pending'};
    return item;
  });
}

// The first fenced block, which is the code of the turn, and the fence.
function withoutCode(said: string): string {
  return said.replace(/```[^\n]*\n[\s\S]*?(```|$)/, '').trim();
}
