// Text with nothing hidden in it: control characters, marks that turn the direction of writing, blanks without width and
// other invisible characters are shown as their code points. A person who decides over a tool call reads this.
import './hidden_chars.css';

const NAMES: Record<number, string> = {
  0x00: 'null', 0x07: 'bell', 0x08: 'backspace', 0x09: 'tab', 0x0d: 'carriage return', 0x1b: 'escape', 0x7f: 'delete', 0xad: 'soft hyphen',
  0x200b: 'zero width space', 0x200c: 'zero width non-joiner', 0x200d: 'zero width joiner', 0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark', 0x2028: 'line separator', 0x2029: 'paragraph separator', 0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding', 0x202c: 'pop directional formatting', 0x202d: 'left-to-right override',
  0x202e: 'right-to-left override', 0x2060: 'word joiner', 0x2066: 'left-to-right isolate', 0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate', 0x2069: 'pop directional isolate', 0xfeff: 'byte order mark',
};

// Controls but not the line break; invisible, directional and tag characters; lone surrogates.
const HIDDEN =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e01ef}\ud800-\udfff]/gu;

const code = (char: string) => 'U+' + char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');

// The same as plain text, for names of files, titles and announcements.
export function visible(text: string): string {
  return text.replace(HIDDEN, (char) => `⟨${code(char)}⟩`);
}

export function VisibleText({text}: {text: string}) {
  const parts = [];
  let shown = 0;
  for (const match of text.matchAll(HIDDEN)) {
    const char = match[0];
    const name = NAMES[char.codePointAt(0)!] ?? 'invisible character';
    if (match.index > shown) parts.push(text.slice(shown, match.index));
    parts.push(<span key={match.index} class="hidden-char" title={`${code(char)} ${name}`}>{char === '\t' ? '→' : code(char)}</span>);
    if (char === '\t') parts.push('\t');
    shown = match.index + char.length;
  }
  parts.push(text.slice(shown));
  return <bdi dir="ltr" class="visible-text">{parts}</bdi>;
}
