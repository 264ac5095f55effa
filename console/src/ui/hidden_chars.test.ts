import assert from 'node:assert/strict';
import {test} from 'node:test';
import {visible} from './hidden_chars';

test('what cannot be seen is written out', () => {
  assert.equal(visible('photo\u202Egpj.exe'), 'photo⟨U+202E⟩gpj.exe');
  assert.equal(visible('a\u200Bb\u2066c\u2069\u0000\u001b[31m\r'), 'a⟨U+200B⟩b⟨U+2066⟩c⟨U+2069⟩⟨U+0000⟩⟨U+001B⟩[31m⟨U+000D⟩');
  assert.equal(visible('\u{E0041}\u{FEFF}\u00AD\uD800'), '⟨U+E0041⟩⟨U+FEFF⟩⟨U+00AD⟩⟨U+D800⟩');
});

test('what can be seen stays', () => {
  const text = 'line one\nשלום العربية 日本語 😀 – “quoted”';
  assert.equal(visible(text), text);
});
