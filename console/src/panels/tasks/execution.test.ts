import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {RunItem, Task} from '../../api/types';
import type {LogEvent} from '../../hub/client';
import {emptyRun, foldEvents} from '../../run/fold';
import {executionOf, isExecution, taskNow} from './execution';
import {sessionsOf} from './planned_sessions';

const log = (...events: [string, object?][]): LogEvent[] => events.map(([type, fields], i) => ({sequence: i + 1, at: i, elapsed_ms: i, type, ...fields}));
const begun: [string, object?][] = [
  ['run.queued', {contract: 'tasks', way: 2, text: ''}],
  ['run.started', {contract: 'tasks', text: '', tasks: [{item: {id: 't1', title: 'One', order: 0, status: 0}}, {item: {id: 't2', title: 'Two', order: 1, status: 0}}]}],
  ['task.selected', {task_id: 't1'}],
  ['tool.call.started', {call_id: 'c1', name: 'create_artifact'}],
  ['artifact.created', {artifact_id: 'a', task_id: 't1', name: 'A', artifact_type: 'note'}],
  ['tool.finished', {call_id: 'c1', status: 0, text: 'kept'}],
  ['tool.call.started', {call_id: 'c2', name: 'fail_task'}],
  ['task.finished', {task_id: 't1', status: 2, result: 'done so'}],
  ['task.selected', {task_id: 't2'}],
  ['tool.call.started', {call_id: 'c3', name: 'calculator'}],
];
const stored = (id: string): Task => ({id, sessionId: 's', title: id, description: '', status: 'pending', result: null, reflection: null, order: 0, createdAt: '', updatedAt: ''});

test('calls and artifacts stand with their task, the engine’s own calls nowhere', () => {
  const view = foldEvents(emptyRun(), log(...begun));
  assert.ok(isExecution(view));
  const {tasks, otherCalls} = executionOf(view);
  assert.deepEqual([...tasks].map(([id, work]) => [id, work.calls.map((call) => call.name), work.artifacts]),
    [['t1', ['create_artifact'], 1], ['t2', ['calculator'], 0]]);
  assert.deepEqual(otherCalls, []);
});

test('the log is ahead of what was stored', () => {
  const view = foldEvents(emptyRun(), log(...begun));
  const {tasks} = executionOf(view);
  assert.equal(taskNow(stored('t1'), tasks.get('t1'), view).status, 'done');
  assert.equal(taskNow(stored('t1'), tasks.get('t1'), view).result, 'done so');
  assert.equal(taskNow(stored('t2'), tasks.get('t2'), view).status, 'in_progress');
  assert.equal(taskNow(stored('t3'), tasks.get('t3'), view).status, 'pending');
});

test('after an interrupt nothing is in progress', () => {
  const view = foldEvents(emptyRun(), log(...begun, ['run.interrupted', {reason: 'user'}]));
  const work = executionOf(view).tasks.get('t2');
  assert.equal(taskNow(stored('t2'), work, view).status, 'pending');
  assert.equal(taskNow({...stored('t2'), status: 'in_progress'}, work, view).status, 'pending', 'read while it was');
  assert.equal(taskNow({...stored('t2'), status: 'done'}, work, view).status, 'done', 'finished by another run');
});

test('sessions are found by their runs, named by their title or their first words', () => {
  const run = (session_id: string, contract: string, text: string, session_title = 'New Session') =>
    ({session_id, contract, text, session_title, status: 'completed', created_at: text}) as RunItem;
  const found = sessionsOf([run('s1', 'tasks', ''), run('s2', 'runs', 'hello'), run('s1', 'tasks', 'a goal'), run('s3', 'tasks', 'x', 'Named')]);
  assert.deepEqual(found.map(({id, label}) => [id, label]), [['s1', 'a goal'], ['s3', 'Named']]);
});
