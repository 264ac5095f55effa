import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {LogEvent} from '../hub/client';
import {emptyRun, foldEvents} from './fold';
import type {CallItem, CodeItem, Item, TextItem} from './view';

let sequence = 0;
const event = (type: string, fields: Record<string, unknown> = {}): LogEvent =>
  ({sequence: ++sequence, at: 1000 + sequence, elapsed_ms: sequence, type, ...fields});
const begin = (fields: Record<string, unknown> = {}): LogEvent[] => {
  sequence = 0;
  return [event('run.queued', {session_id: 's', user_id: 'u', contract: 'runs', way: 0, agent: 'writer', text: 'Hello'}),
    event('run.started', {session_id: 's', user_id: 'u', contract: 'runs', agent: 'writer', text: 'Hello', ...fields})];
};
const text = (turn: number, part: number, ...words: string[]): LogEvent[] => [event('text.started', {turn, part}),
  ...words.map((word) => event('text.delta', {turn, part, text: word})), event('text.finished', {turn, part})];
const fold = (events: LogEvent[]) => foldEvents(emptyRun(), events);
const only = <One extends Item>(items: Item[], kind: One['kind']): One => items.find((item) => item.kind === kind) as One;

test('an answer: asked, said, ended', () => {
  const view = fold([...begin(), event('model.started', {turn: 1, model: 'offline'}), ...text(1, 1, 'Hel', 'lo!'),
    event('run.completed', {final_text: 'Hello!', usage: {input_tokens: 3, output_tokens: 2}})]);
  assert.equal(view.status, 'completed');
  assert.equal(view.asked, 'Hello');
  assert.deepEqual(view.items.map((item) => item.kind), ['text'], 'the final text is not shown twice');
  assert.equal(only<TextItem>(view.items, 'text').text, 'Hello!');
  assert.deepEqual(view.usage, {input_tokens: 3, output_tokens: 2});
});

test('cut into any batches it is the same view, and a repeated event changes nothing', () => {
  const events = [...begin(), ...text(1, 1, 'a', 'b', 'c'), event('tool.call.started', {call_id: 'c', turn: 1, name: 'file_write'}),
    event('tool.args.delta', {call_id: 'c', fragment: '{"path"'}), event('tool.call.ready', {call_id: 'c', args_json: '{"path":"x"}'}),
    event('run.interrupted', {reason: 'user'})];
  const whole = fold(events);
  for (let cut = 0; cut <= events.length; ++cut) {
    const first = fold(events.slice(0, cut));
    assert.deepEqual(foldEvents(first, events.slice(Math.max(0, cut - 2))), whole);
  }
});

test('an item that did not change is the same object', () => {
  const before = fold([...begin(), ...text(1, 1, 'first'), event('text.started', {turn: 2, part: 2})]);
  const after = foldEvents(before, [event('text.delta', {turn: 2, part: 2, text: 'more'})]);
  assert.equal(after.items[0], before.items[0]);
  assert.notEqual(after.items[1], before.items[1]);
  assert.equal((before.items[1] as TextItem).text, '', 'the old view stays as it was');
});

const asked = (): LogEvent[] => [...begin(), event('tool.call.started', {call_id: 'c', turn: 1, name: 'file_write'}),
  event('tool.args.delta', {call_id: 'c', fragment: '{"pa'}), event('tool.args.delta', {call_id: 'c', fragment: 'th":1}'}),
  event('tool.call.ready', {call_id: 'c', name: 'file_write', args_json: '{"path":1}'}),
  event('input.requested', {input_id: 'i', kind: 0, call_id: 'c', tool_name: 'file_write', args_json: '{"path":1}', expires_ms: 5000})];

test('arguments as they stream, the question, the yes and the result', () => {
  const events = asked();
  const writing = fold(events.slice(0, 4));
  assert.equal(only<CallItem>(writing.items, 'call').args, '{"pa');
  assert.equal(only<CallItem>(writing.items, 'call').phase, 'writing');
  const waiting = fold(events);
  assert.equal(waiting.status, 'waiting_approval');
  assert.deepEqual(only<CallItem>(waiting.items, 'call').approval,
    {id: 'i', expiresAt: 5000, byPolicy: false, verdict: 'asked', reason: '', always: false});
  const done = foldEvents(waiting, [event('input.given', {input_id: 'i', call_id: 'c', verdict: 0, apply_to_future: true}),
    event('tool.started', {call_id: 'c', name: 'file_write'}), event('tool.finished', {call_id: 'c', status: 0, text: 'written'})]);
  assert.equal(done.status, 'running');
  const call = only<CallItem>(done.items, 'call');
  assert.deepEqual([call.phase, call.result, call.approval?.verdict, call.approval?.always], ['done', 'written', 'approved', true]);
});

test('a no is the end of the call', () => {
  const view = foldEvents(fold(asked()), [event('input.given', {input_id: 'i', call_id: 'c', verdict: 1, reason: 'not now'})]);
  const call = only<CallItem>(view.items, 'call');
  assert.deepEqual([call.phase, call.approval?.reason, view.status], ['refused', 'not now', 'running']);
});

test('what a policy refuses makes nobody wait', () => {
  const events = [...begin(), event('tool.call.started', {call_id: 'c', turn: 1, name: 'rm'}), event('tool.call.ready', {call_id: 'c', args_json: '{}'}),
    event('input.requested', {input_id: 'i', call_id: 'c', args_json: '{}', decided_by_policy: true})];
  assert.equal(fold(events).status, 'running');
});

test('with two questions open, the run waits until both are answered', () => {
  const two = [...asked(), event('tool.call.started', {call_id: 'd', turn: 1, name: 'file_write'}), event('tool.call.ready', {call_id: 'd', args_json: '{}'}),
    event('input.requested', {input_id: 'j', call_id: 'd', args_json: '{}'}), event('input.given', {input_id: 'i', call_id: 'c', verdict: 0})];
  assert.equal(fold(two).status, 'waiting_approval');
  assert.equal(fold([...two, event('input.given', {input_id: 'j', call_id: 'd', verdict: 0})]).status, 'running');
});

test('a tool that fails says how', () => {
  const view = fold([...begin(), event('tool.call.started', {call_id: 'c', turn: 1, name: 't'}), event('tool.call.ready', {call_id: 'c', args_json: '{}'}),
    event('tool.started', {call_id: 'c'}), event('tool.finished', {call_id: 'c', status: 4, text: ''})]);
  const call = only<CallItem>(view.items, 'call');
  assert.deepEqual([call.phase, call.outcome], ['failed', 'outcome unknown']);
});

test('code leaves the text and becomes a step with its output; final_answer is the answer', () => {
  const view = fold([...begin(), event('plan.made', {step_number: 1, text: '1. Multiply.'}),
    ...text(2, 1, 'I multiply.\n```python\nx = 6 * 7\nprint(x)\n```'), event('code.started', {turn: 2, code: 'x = 6 * 7\nprint(x)\n'}),
    event('step.finished', {turn: 2, observations: '42\n'}), ...text(3, 2, '```python\nfinal_answer(x)\n```'), event('code.started', {turn: 3, code: 'final_answer(x)\n'}),
    event('run.completed', {final_text: '42'})]);
  assert.deepEqual(view.items.map((item) => item.kind), ['plan', 'text', 'code', 'text', 'code', 'answer']);
  assert.equal(only<TextItem>(view.items, 'text').text, 'I multiply.');
  assert.equal(only<CodeItem>(view.items, 'code').output, '42\n');
  assert.ok(view.items.every((item) => item.kind !== 'code' || item.endedAt !== null), 'nothing runs on after the end');
});

test('tasks: the list, the work, what came of it', () => {
  const tasks = [{item: {id: 'b', title: 'Second', description: '', status: 0, order: 1}}, {item: {id: 'a', title: 'First', description: '', status: 0, order: 0}}];
  const working = fold([...begin({tasks}), event('task.selected', {task_id: 'a'})]);
  assert.deepEqual(working.tasks.map((task) => [task.title, task.status]), [['First', 'in_progress'], ['Second', 'pending']]);
  const view = foldEvents(working, [event('artifact.created', {artifact_id: 'x', name: 'Plan', artifact_type: 'plan', content: '# P'}),
    event('data.modified', {item_id: 'y', operation: 2, item_type: 'note', data_json: '{}'}),
    event('task.finished', {task_id: 'a', status: 2, result: 'Done.'}), event('reflection.made', {task_id: 'a', text: 'Good.'})]);
  assert.deepEqual(view.items.map((item) => item.kind), ['task', 'artifact', 'data']);
  const task = only<Extract<Item, {kind: 'task'}>>(view.items, 'task');
  assert.deepEqual([task.title, task.status, task.result, task.reflection], ['First', 'done', 'Done.', 'Good.']);
  assert.equal(only<Extract<Item, {kind: 'data'}>>(view.items, 'data').operation, 'delete');
});

test('a failure keeps what was said, and an event of a later version is passed over', () => {
  const view = fold([...begin(), ...text(1, 1, 'Half'), event('something.new', {x: 1}), event('run.failed', {code: 3, message: 'It broke off.'})]);
  assert.equal(view.status, 'failed');
  assert.equal(view.failure?.message, 'It broke off.');
  assert.equal(only<TextItem>(view.items, 'text').text, 'Half');
  assert.equal(view.sequence, sequence);
});

test('a text that a restart cut goes on in its place', () => {
  const view = fold([...begin(), event('model.started', {turn: 1}), event('text.started', {turn: 1, part: 1}), event('text.delta', {turn: 1, part: 1, text: 'one t'}),
    event('run.resumed', {reason: 'restart'}), event('text.finished', {turn: 1, part: 1}), event('model.finished', {turn: 1, finish: 6, usage: null}),
    event('model.started', {turn: 2, continues: true}), ...text(2, 2, 'wo'), event('run.completed', {final_text: 'one two'})]);
  assert.deepEqual(view.items.map((item) => item.kind === 'text' && item.text), ['one two']);
  assert.equal(view.restarts, 1);
});
