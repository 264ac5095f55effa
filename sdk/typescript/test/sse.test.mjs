// The parser alone, against the rules of the HTML standard.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {InvalidResponseError, SseParser} from '../dist/index.js';

const bytes = (text) => new TextEncoder().encode(text);
const parse = (text) => new SseParser().push(bytes(text));
const data = (text) => parse(text).map((frame) => frame.data);

test('fields, comments and the space after the colon', () => {
  assert.deepEqual(parse('event: a\nid: 1\ndata: x\n\n'), [{event: 'a', data: 'x', id: '1'}]);
  assert.deepEqual(parse(': keepalive\n\ndata:x\n\n:\ndata:  two spaces\n\n').map((f) => f.data), ['x', ' two spaces']);
  assert.deepEqual(data('data\n\ndata:\ndata:\n\n'), ['', '\n']);
  assert.deepEqual(data('data: a\ndata: b\n\n'), ['a\nb']);
  assert.deepEqual(data('unknown: x\n data: y\nDATA: z\n\n'), []);
  assert.deepEqual(data('data: a: b\n\n'), ['a: b']);
});

test('an event without data is none, and gives its name to no other', () => {
  assert.deepEqual(parse('event: a\n\ndata: x\n\n'), [{event: 'message', data: 'x', id: ''}]);
});

test('what stands after the last blank line is not handed out', () => {
  assert.deepEqual(data('data: a\n\ndata: b\n'), ['a']);
  assert.deepEqual(data('data: a'), []);
});

test('ids stay until there is another, and one with NUL is none', () => {
  assert.deepEqual(parse('id: 1\ndata: a\n\ndata: b\n\nid: 2\0\ndata: c\n\nid\ndata: d\n\n').map((f) => f.id), ['1', '1', '1', '']);
  const parser = new SseParser('before');
  assert.deepEqual(parser.push(bytes('data: a\n\nid: 7\ndata: cut')).map((f) => f.id), ['before']);
  assert.equal(parser.lastEventId, 'before', 'the id of a frame that never ended does not count');
  parser.push(bytes('\n\nid: 8\n\n'));
  assert.equal(parser.lastEventId, '8', 'that of one without data does');
});

test('retry takes digits only', () => {
  const parser = new SseParser();
  parser.push(bytes('retry: 12\nretry: 1x\nretry: -3\nretry:\n\n'));
  assert.equal(parser.retryMs, 12);
});

test('one byte order mark at the start is taken off', () => {
  assert.deepEqual(data('\uFEFFdata: a\n\n'), ['a']);
  assert.deepEqual(data('\uFEFF\uFEFFdata: a\n\n'), []);
});

test('only CR, LF and CRLF end lines', () => {
  assert.deepEqual(data('data: a\r\rdata: b\r\n\r\ndata: c\n\rdata: d\n\r\n'), ['a', 'b', 'c', 'd']);
  assert.deepEqual(data('data: a\u0085b\u2028c\u2029d\vd\n\n'), ['a\u0085b\u2028c\u2029d\vd']);
});

test('however it is cut, the frames are the same', () => {
  const text = '\uFEFFretry: 5\r\nevent: odd\r\nid: é1\r\ndata: {"a":"😀 ü"}\r\n\r\n: note\r\rdata: x\rdata: y\r\r' +
    'data: ends in CR\r\ndata: LF\n\nid: 2\ndata\n\n\ndata: Ω\n\n';
  const whole = bytes(text);
  const expected = new SseParser().push(whole);
  assert.equal(expected.length, 5);
  for (let first = 0; first <= whole.length; first += 1) {
    for (let second = first; second <= whole.length; second += 1) {
      const parser = new SseParser();
      const parts = [whole.slice(0, first), whole.slice(first, second), whole.slice(second)];
      assert.deepEqual(parts.flatMap((part) => parser.push(part)), expected, `cut at ${first} and ${second}`);
    }
  }
  const parser = new SseParser();
  assert.deepEqual([...whole].flatMap((byte) => parser.push(Uint8Array.of(byte))), expected);
});

test('a frame has a limit, in one line and in many', () => {
  assert.throws(() => new SseParser('', 100).push(bytes('data: ' + 'x'.repeat(101))), InvalidResponseError);
  assert.throws(() => new SseParser('', 100).push(bytes('data: 0123456789\n'.repeat(12))), InvalidResponseError);
  assert.equal(new SseParser('', 100).push(bytes('data: 0123456789\n\n'.repeat(50))).length, 50);
});

test('a line of many pieces is read in time that grows with its length only', () => {
  const parser = new SseParser();
  const piece = bytes('x'.repeat(16));
  parser.push(bytes('data: '));
  const began = performance.now();
  for (let i = 0; i < 200_000; i += 1) parser.push(piece);
  assert.equal(parser.push(bytes('\n\n'))[0].data.length, 3_200_000);
  assert.ok(performance.now() - began < 5_000);
});
