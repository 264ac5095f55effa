import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {LogEvent, WayFrame} from '../../hub/client';
import {frameLines, frameType, shortFrame} from './frame_text';
import {byteLength, WayRows} from './way_rows';

const id = (sequence: number, part = 0) => `evt_01M7H0YDDPEDWR08TEAECS31NK_${String(sequence).padStart(10, '0')}.a${part}`;
const frame = (sequence: number, contract: WayFrame['contract'], text = 'data: {}\n\n'): WayFrame => ({id: id(sequence), contract, frame: text});
const events: LogEvent[] = ['run.started', 'text.delta', 'text.delta', 'text.finished'].map((type, i) => ({sequence: i + 1, at: i, elapsed_ms: i, type, part: 1}));
const frames = [frame(1, 'steps'), frame(1, 'runs'), frame(2, 'runs'), frame(2, 'tasks'), frame(3, 'runs'), frame(3, 'tasks')];

const shape = (rows: WayRows) => rows.rows.map((row) =>
  `${row.first}+${row.count} ${Object.entries(row.cells).map(([name, cell]) => `${name}:${cell!.frames.length}/${cell!.count}`).join(' ')}`.trim());
const folded = ['0+1 steps:1/1 runs:1/1', '1+2 runs:1/2 tasks:1/2', '3+1'];

test('frames find the row of their event, whichever comes first', () => {
  const before = new WayRows(), after = new WayRows(), mixed = new WayRows();
  before.addFrames(frames);
  before.addEvents(events);
  after.addEvents(events);
  after.addFrames(frames);
  for (let i = 0; i < 6; ++i) {
    mixed.addFrames(frames.slice(i, i + 1));
    mixed.addEvents(events.slice(i, i + 1));
  }
  for (const rows of [before, after, mixed]) assert.deepEqual(shape(rows), folded);
  assert.deepEqual(after.totals.runs, {frames: 3, bytes: 30});
});

test('folded rows can be opened one by one or all together', () => {
  const rows = new WayRows();
  rows.addEvents(events);
  rows.addFrames(frames);
  rows.unfold(rows.rows[1]!);
  const open = ['0+1 steps:1/1 runs:1/1', '1+1 runs:1/1 tasks:1/1', '2+1 runs:1/1 tasks:1/1', '3+1'];
  assert.deepEqual(shape(rows), open);
  rows.setFold(true);
  assert.deepEqual(shape(rows), folded);
  rows.setFold(false);
  assert.deepEqual(shape(rows), open);
});

test('a frame is shown in its lines, and short where ids are long', () => {
  const text = 'event: run_started\nid: evt_01M7H0YDDPEDWR08TEAECS31NK_0000000002\ndata: {"run_id":"run_01M7H0YDDPEDWR08TEAECS31NK","type":"x"}\n\n';
  assert.deepEqual(frameLines(text).map(({name}) => name), ['event', 'id', 'data']);
  assert.deepEqual(shortFrame(text, 100), {whole: false, lines: [{name: 'event', value: 'run_started'}, {name: 'id', value: 'evt_…_0002'},
    {name: 'data', value: '{"run_id":"run_…31NK","type":"x"}'}]});
  assert.equal(shortFrame(text, 10).lines[2]!.value, '{"run_id":…');
  assert.deepEqual(shortFrame('event: done\ndata: {"type":"done"}\n\n', 100).whole, true);
  assert.equal(shortFrame('data: {"id":"01a1e20f-3599-725c-af4b-cab4b946b5fa"}\n\n', 100).lines[0]!.value, '{"id":"…b5fa"}');
});

test('what a contract calls a frame', () => {
  assert.equal(frameType('event: tool_result\ndata: {"type":"other"}\n\n'), 'tool_result');
  assert.equal(frameType('id: x\ndata: {"type":"token","content":"a"}\n\n'), 'token');
});

test('bytes are those of UTF-8', () => {
  for (const text of ['', 'abc', 'é', '€', '😀', 'a😀é€b']) assert.equal(byteLength(text), new TextEncoder().encode(text).length, text);
});
