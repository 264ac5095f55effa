import assert from 'node:assert/strict';
import {test} from 'node:test';
import {SseParser} from './sse';

const frames = 'event: hello\ndata: {"a":"ü€😀"}\n\n: keepalive\n\nevent: log run_1\nid: evt_1\ndata: {"b":2}\n\n';
const expected = [{event: 'hello', id: '', data: '{"a":"ü€😀"}'}, {event: 'log run_1', id: 'evt_1', data: '{"b":2}'}];

test('frames may be cut anywhere, also inside a character', () => {
  const bytes = new TextEncoder().encode(frames);
  for (let cut = 0; cut <= bytes.length; ++cut) {
    const parser = new SseParser();
    assert.deepEqual([...parser.push(bytes.slice(0, cut)), ...parser.push(bytes.slice(cut))], expected, `cut at ${cut}`);
  }
});

test('lines may end in CRLF', () => {
  assert.deepEqual(new SseParser().push(new TextEncoder().encode(frames.replaceAll('\n', '\r\n'))), expected);
});
