import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {LogEvent} from '../../hub/client';
import {Replay} from './replay';

const events = [0, 10, 500, 10_000].map((at, i): LogEvent => ({sequence: i + 1, at, elapsed_ms: at, type: 'text.delta'}));
const sequences = (due: LogEvent[]) => due.map((event) => event.sequence);

test('events come with the gaps that they had', () => {
  const replay = new Replay(events, 0, 1);
  assert.deepEqual(sequences(replay.step(0)), [1]);
  assert.deepEqual(sequences(replay.step(9)), []);
  assert.deepEqual(sequences(replay.step(1)), [2]);
  assert.deepEqual(sequences(replay.step(489)), []);
  assert.deepEqual(sequences(replay.step(1)), [3]);
  assert.equal(replay.waitMs, 9500);
  assert.equal(replay.done, false);
});

test('four times as fast, and from any event', () => {
  const replay = new Replay(events, 1, 4);
  assert.deepEqual(sequences(replay.step(0)), [2]);
  assert.deepEqual(sequences(replay.step(122)), []);
  assert.deepEqual(sequences(replay.step(1)), [3]);
  assert.equal(Math.round(replay.waitMs), Math.round((10_000 - 502) / 4));
});

test('a wait can be skipped', () => {
  const replay = new Replay(events, 2, 1);
  replay.step(0);
  replay.skip();
  assert.deepEqual(sequences(replay.step(0)), [4]);
  assert.equal(replay.done, true);
});

test('at full speed nothing is waited for', () => {
  const replay = new Replay(events, 0, 'max');
  const seen: number[] = [];
  while (!replay.done) seen.push(...sequences(replay.step(16)));
  assert.deepEqual(seen, [1, 2, 3, 4]);
});
