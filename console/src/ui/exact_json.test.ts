import assert from 'node:assert/strict';
import {test} from 'node:test';
import {member, parseExact, printExact, printLine, textOf} from './exact_json';

test('numbers keep their spelling', () => {
  const node = parseExact('{"id": 12345678901234567890, "price": 1.10, "e": 1E+2, "deep": [{"n": -0.0}]}');
  assert.equal(printLine(node), '{"id": 12345678901234567890, "price": 1.10, "e": 1E+2, "deep": [{"n": -0.0}]}');
});

test('strings are read like JSON strings', () => {
  const node = parseExact('{"a\\"b": "x\\n\\u00e9\\\\", "empty": "", "list": [], "none": {}}');
  assert.equal(textOf(member(node, 'a"b')), 'x\né\\');
  assert.equal(textOf(member(node, 'empty')), '');
  assert.equal(member(node, 'nothing'), undefined);
  assert.equal(printExact(node), JSON.stringify({'a"b': 'x\né\\', empty: '', list: [], none: {}}, null, 2));
});

test('a bracket in a string is not the end', () => {
  assert.equal(printLine(parseExact('["}", "]", "\\"]"]')), '["}", "]", "\\"]"]');
});

test('what is no JSON throws', () => {
  for (const text of ['', '{', '{"a":}', '[1,]', '01', 'nul']) assert.throws(() => parseExact(text), SyntaxError);
});
