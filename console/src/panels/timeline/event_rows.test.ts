import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {LogEvent} from '../../hub/client';
import {EventRows, lineOf, type View} from './event_rows';
import {familyOf, summarize, type Family} from './event_words';

const everything: View = {fold: true, hidden: new Set<Family>(), text: ''};

let sequence = 0;
const event = (type: string, fields: Record<string, unknown> = {}, at = 0): LogEvent => ({sequence: ++sequence, at, elapsed_ms: at, type, ...fields});
const delta = (text: string, part = 1, at = 0) => event('text.delta', {turn: 1, part, text}, at);

function rowsOf(events: LogEvent[], view: Partial<View> = {}): EventRows {
  const rows = new EventRows({...everything, ...view});
  rows.push(events);
  while (!rows.advance(1000));
  return rows;
}
const shapes = (rows: EventRows) => rows.rows.map((row) => `${row.first}+${row.count}`);

test('deltas of one text are one row, and another text begins another', () => {
  const rows = rowsOf([event('text.started'), delta('a'), delta('b'), delta('c', 2), event('text.finished'), delta('d', 2)]);
  assert.deepEqual(shapes(rows), ['0+1', '1+2', '3+1', '4+1', '5+1']);
  assert.equal(lineOf(rows.rows[1]!, rows.events), '"ab"');
});

test('without folding every event has its row', () => {
  assert.deepEqual(shapes(rowsOf([delta('a'), delta('b')], {fold: false})), ['0+1', '1+1']);
});

test('a long silence within a text begins a row, so that it is seen', () => {
  const rows = rowsOf([delta('a', 1, 0), delta('b', 1, 10), delta('c', 1, 1500)]);
  assert.deepEqual(shapes(rows), ['0+2', '2+1']);
  assert.equal(rows.gapBefore(2), 1490);
});

test('rows made in many portions are those made in one', () => {
  const events = Array.from({length: 500}, (_, i) => (i % 7 === 0 ? event('warning', {code: 'x', message: String(i)}) : delta(String(i))));
  const slowly = new EventRows(everything);
  for (const one of events) {
    slowly.push([one]);
    slowly.advance(1000);
  }
  assert.deepEqual(shapes(slowly), shapes(rowsOf(events)));
});

test('hidden families have no rows', () => {
  const rows = rowsOf([event('run.queued'), delta('a'), event('model.finished')], {hidden: new Set(['text', 'model'])});
  assert.deepEqual(shapes(rows), ['0+1']);
});

test('what is looked for is found across the deltas of a text, however it was cut', () => {
  const words = [delta('Ri'), delta('vers a'), delta('t first'), delta(' light'), event('text.finished'), delta('no', 2)];
  assert.deepEqual(shapes(rowsOf(words, {text: 'rivers AT first'})), ['0+4']);
  assert.deepEqual(shapes(rowsOf(words, {text: 'rivers at first', fold: false})), []);
  assert.deepEqual(shapes(rowsOf(words, {text: 'text.fin'})), ['4+1']);  // All of the JSON is looked at, the type too.
});

test('an open row that begins to match is shown, with all of it', () => {
  const rows = new EventRows({...everything, text: 'needle'});
  rows.push([delta('hay nee')]);
  rows.advance(1000);
  assert.deepEqual(shapes(rows), []);
  rows.push([delta('dle')]);
  rows.advance(1000);
  assert.deepEqual(shapes(rows), ['0+2']);
});

test('an event finds its row, or the next one that is shown', () => {
  const rows = rowsOf([event('run.queued'), delta('a'), delta('b'), event('text.finished')]);
  assert.deepEqual([0, 1, 2, 3].map((index) => rows.rowOf(index)), [0, 1, 1, 2]);
});

test('every type has a family and a line, also one that nobody knows yet', () => {
  assert.equal(familyOf('input.requested'), 'approval');
  assert.equal(familyOf('tasks.replaced'), 'task');
  assert.equal(familyOf('warning'), 'run');
  assert.equal(summarize(event('something.new', {a: 1, b: 'two'})), 'a 1 · b two');
  assert.match(summarize(event('model.finished', {finish: 2, usage: {input_tokens: 3, output_tokens: 4}, first_chunk_ms: 5})), /tool calls · 3 tokens in, 4 out/);
});
