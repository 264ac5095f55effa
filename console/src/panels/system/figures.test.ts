import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {SystemFigures} from '../../api/types';
import {commitLatency, keep, KEEP_MS, quantile, rate, withGaps, type Reading} from './figures';

const reading = (at: number, figures: Partial<SystemFigures>): Reading => ({at, figures: figures as SystemFigures});

test('a rate is the difference of two readings', () => {
  const list = [reading(0, {events_total: 10}), reading(1000, {events_total: 30}), reading(3000, {events_total: 40})];
  assert.deepEqual(rate(list, 'events_total'), [null, 20, 5]);
});

test('after a restart, and after a pause, there is no rate', () => {
  const list = [reading(0, {events_total: 50}), reading(1000, {events_total: 3}), reading(60_000, {events_total: 90})];
  assert.deepEqual(rate(list, 'events_total'), [null, null, null]);
});

test('a quantile lies within its bucket', () => {
  const buckets = [{le: 100, count: 50}, {le: 200, count: 90}, {le: 1000, count: 100}, {le: Infinity, count: 100}];
  assert.equal(quantile(buckets, 0.5), 100);
  assert.equal(quantile(buckets, 0.7), 150);
  assert.equal(quantile(buckets, 0.99), 920);
  assert.equal(quantile([{le: 100, count: 0}, {le: Infinity, count: 4}], 0.5), 100, 'of what is open above, the lower end');
  assert.equal(quantile([{le: 100, count: 0}, {le: Infinity, count: 0}], 0.5), null);
});

test('latency is that of the commits since, not of all', () => {
  const commit_us = (fast: number, slow: number) => [{le: 1000, count: fast}, {le: 9000, count: fast + slow}, {le: null as unknown as number, count: fast + slow}];
  const list = [reading(0, {commit_us: commit_us(1000, 0)}), reading(1000, {commit_us: commit_us(1000, 100)})];
  assert.deepEqual(commitLatency(list, 0.5), [null, 5]);
});

test('old readings go, holes are shown', () => {
  const list = keep([reading(0, {}), reading(KEEP_MS, {})], reading(KEEP_MS + 10_000, {}));
  assert.deepEqual(list.map((one) => one.at), [KEEP_MS, KEEP_MS + 10_000]);
  assert.deepEqual(withGaps(list, [[1, 2]]), [[KEEP_MS / 1000, KEEP_MS / 1000 + 1, KEEP_MS / 1000 + 10], [1, null, 2]]);
});
