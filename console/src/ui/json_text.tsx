// JSON as text, softly coloured: keys, strings, numbers, words. What is very long stays plain, and what cannot be seen is spelled out.
import {showControls} from './visible_text';

const colouredMax = 60_000;
const tokens = /("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

// `mark`: a string of the JSON, with its quotes, to be seen at a glance wherever it stands.
export function JsonText({text, mark}: {text: string; mark?: string}) {
  const shown = showControls(text);
  if (shown.length > colouredMax) return <>{shown}</>;
  const parts = [];
  let from = 0;
  for (const match of shown.matchAll(tokens)) {
    if (match.index > from) parts.push(shown.slice(from, match.index));
    if (shown[match.index - 1] === ',') parts.push(<wbr />);  // Lines break between members before they break within one.
    from = match.index + match[0].length;
    const [whole, string, colon, number] = match;
    if (string === undefined) parts.push(<span class={number === undefined ? 'json-boolean' : 'json-number'}>{whole}</span>);
    else if (colon !== undefined) parts.push(<span class="json-key">{string}</span>, colon);
    else parts.push(<span class={string === mark ? 'json-string json-mark-string' : 'json-string'}>{string}</span>);
  }
  parts.push(shown.slice(from));
  return <>{parts}</>;
}
