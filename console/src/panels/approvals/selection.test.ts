import assert from 'node:assert/strict';
import {test} from 'node:test';
import {movedUp, nextSelected} from './selection';

const list = (ids: string) => [...ids].map((approvalId) => ({approvalId}));

test('the selection stays on its card', () => {
  assert.equal(nextSelected(list('abc'), list('abc'), 'b'), 'b');
  assert.equal(nextSelected(list('abc'), list('bcd'), 'b'), 'b', 'what goes or comes around it does not matter');
});

test('when the card is gone it goes to the one in its place, or the last', () => {
  assert.equal(nextSelected(list('abc'), list('ac'), 'b'), 'c');
  assert.equal(nextSelected(list('abc'), list('ab'), 'c'), 'b');
  assert.equal(nextSelected(list('abc'), list(''), 'b'), null);
});

test('without a selection it is the oldest', () => {
  assert.equal(nextSelected([], list('xy'), null), 'x');
});

test('what stood below a card that has gone has moved', () => {
  assert.deepEqual(movedUp(list('abcd'), list('acde')), ['c', 'd']);
  assert.deepEqual(movedUp(list('abc'), list('ab')), []);
  assert.deepEqual(movedUp(list('ab'), list('abc')), []);
});
