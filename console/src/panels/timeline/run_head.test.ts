import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {LogEvent} from '../../hub/client';
import {emptyHead, foldHead} from './run_head';

let at = 100;
const event = (type: string, fields: Record<string, unknown> = {}): LogEvent => ({sequence: 1, at: at += 10, elapsed_ms: 0, type, ...fields});
const statuses = (events: LogEvent[]) => {
  let head = emptyHead;
  return events.map((one) => (head = foldHead(head, [one])).status);
};

test('the status follows the log', () => {
  assert.deepEqual(statuses([event('run.queued'), event('run.started'), event('input.requested', {input_id: 'a'}), event('input.requested', {input_id: 'b'}),
    event('input.given', {input_id: 'a'}), event('input.given', {input_id: 'b'}), event('interrupt.requested'), event('run.interrupted')]),
  ['queued', 'running', 'waiting_approval', 'waiting_approval', 'waiting_approval', 'running', 'interrupting', 'interrupted']);
});

test('a call that policy decides waits for nobody', () => {
  assert.deepEqual(statuses([event('run.started'), event('input.requested', {input_id: 'a', decided_by_policy: true})]), ['running', 'running']);
});

test('tokens add up until the run says what it used', () => {
  const usage = (input_tokens: number, output_tokens: number) => ({usage: {input_tokens, output_tokens}});
  let head = foldHead(emptyHead, [event('run.queued', {agent: 'writer', contract: 'runs', text: 'Hello', session_id: 's'})]);
  assert.equal(head.tokens, null);
  head = foldHead(head, [event('model.finished', usage(10, 2)), event('model.finished', {usage: null}), event('model.finished', usage(20, 3))]);
  assert.equal(head.tokens, 35);
  head = foldHead(head, [event('run.completed', usage(30, 6))]);
  assert.deepEqual([head.tokens, head.status, head.agent, head.lastAt - head.beganAt > 0], [36, 'completed', 'writer', true]);
});

test('an ending leaves nothing pending', () => {
  assert.deepEqual(foldHead(emptyHead, [event('input.requested', {input_id: 'a'}), event('run.failed')]).pending, []);
});
