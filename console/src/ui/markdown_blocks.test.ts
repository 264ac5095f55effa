import assert from 'node:assert/strict';
import {test} from 'node:test';
import {BlockSplitter} from './markdown_blocks';
import {showControls} from './visible_text';

const text = '# Title\n\nA paragraph\nof two lines.\n\n- one\n- two\n\n- three\n\n```python\nprint(1)\n\nprint(2)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end.';

test('word by word gives the blocks that the whole text gives', () => {
  const splitter = new BlockSplitter();
  let blocks = splitter.push('');
  for (let length = 1; length <= text.length; ++length) {
    const before = blocks.finished;
    blocks = splitter.push(text.slice(0, length));
    assert.deepEqual(blocks.finished.slice(0, before.length), before, 'a finished block never changes');
  }
  const whole = new BlockSplitter().push(text);
  assert.deepEqual(blocks.finished.map((block) => block.trim()), whole.finished.map((block) => block.trim()));
  assert.equal(whole.open, 'The end.');
  assert.equal(whole.finished.length, 5);
});

test('a list goes on over an empty line', () => {
  const splitter = new BlockSplitter();
  splitter.push('1. one\n\n');
  const {finished, open} = splitter.push('1. one\n\n2. two');
  assert.deepEqual(finished, []);
  assert.equal(open, '1. one\n\n2. two');
});

test('a definition of a link, which is no block, does not glue the others together', () => {
  const {finished, open} = new BlockSplitter().push('One.\n\n[a]: https://example.org\n\nSee [a].\n\n```\ncode\n```\n\nEnd.');
  assert.deepEqual(finished, ['One.', '[a]: https://example.org\n\nSee [a].', '```\ncode\n```']);
  assert.equal(open, 'End.');
});

test('another text begins anew', () => {
  const splitter = new BlockSplitter();
  splitter.push('One.\n\nTwo.\n\nThree.');
  assert.deepEqual(splitter.push('Four.'), {finished: [], open: 'Four.'});
});

test('the work for a word does not grow with the answer', () => {
  const splitter = new BlockSplitter();
  const long = Array.from({length: 4000}, (_, index) => `Paragraph ${index} of a long answer.`).join('\n\n');
  splitter.push(long);
  const start = performance.now();
  for (let word = 0; word < 100; ++word) splitter.push(`${long}${' word'.repeat(word)}`);
  assert.ok(performance.now() - start < 500);
});

test('marks that turn the reading direction are written out, tabs and emoji stay', () => {
  assert.equal(showControls('a\u202eb\tc 👩\u200d💻\r\n'), 'a⟨U+202E⟩b\tc 👩\u200d💻\n');
});
