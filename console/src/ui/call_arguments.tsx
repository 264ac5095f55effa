// The arguments of a tool call as the tool will get them: JSON, in which long texts stand as blocks with their own line
// breaks, and in which nothing is invisible. The arguments of file_write are shown as the file that will be written.
import {useState} from 'preact/hooks';
import {member, parseExact, printLine, textOf, type ExactJson} from './exact_json';
import {VisibleText} from './hidden_chars';
import './call_arguments.css';

const INLINE_MAX = 72;
const LINES_FOLDED = 24;

export function CallArguments({tool, args}: {tool: string; args: ExactJson}) {
  const path = textOf(member(args, 'path'));
  const content = textOf(member(args, 'content'));
  if (tool === 'file_write' && path !== undefined && content !== undefined && args.kind === 'object') {
    const rest = args.entries.filter(([key]) => key !== 'path' && key !== 'content');
    return (
      <div class="call-args">
        <div class="call-args-file"><span>writes</span> <code><VisibleText text={path} /></code></div>
        <TextBlock text={content} label={`Content of ${path}`} />
        {rest.length > 0 && <Value node={{kind: 'object', entries: rest}} />}
      </div>
    );
  }
  if (args.kind === 'object' && args.entries.length === 0) return <div class="call-args call-args-none">no arguments</div>;
  return <div class="call-args"><Value node={args} /></div>;
}

// The same from the text of the log; a text that is no JSON is shown as it is.
export function CallArgumentsText({tool, json}: {tool: string; json: string}) {
  let args: ExactJson;
  try {
    args = parseExact(json || '{}');
  } catch {
    return <div class="call-args"><TextBlock text={json} label="Arguments" /></div>;
  }
  return <CallArguments tool={tool} args={args} />;
}

function Value({node}: {node: ExactJson}) {
  if (isShort(node)) return <span class="json-short"><VisibleText text={printLine(node)} /></span>;
  if (node.kind === 'string') return <TextBlock text={node.text} label="Text" />;
  if (node.kind === 'array') {
    return <ol class="json-list" start={0}>{node.items.map((item, i) => <li key={i}><Value node={item} /></li>)}</ol>;
  }
  if (node.kind === 'object') {
    return (
      <dl class="json-members">
        {node.entries.map(([key, value]) => (
          <div key={key} class={isShort(value) ? 'json-member short' : 'json-member'}>
            <dt><VisibleText text={JSON.stringify(key)} /></dt>
            <dd><Value node={value} /></dd>
          </div>
        ))}
      </dl>
    );
  }
  return <span class="json-short">{node.source}</span>;
}

// A text as it is, with what a reader cannot count for himself.
export function TextBlock({text, label}: {text: string; label: string}) {
  const lines = text.split('\n');
  const [open, setOpen] = useState(false);
  const folded = !open && lines.length > LINES_FOLDED + 4;
  return (
    <div class="text-block">
      <pre tabIndex={0} role="group" aria-label={label}><VisibleText text={folded ? lines.slice(0, LINES_FOLDED).join('\n') : text} /></pre>
      <div class="text-block-foot">
        {text === '' ? 'empty' : `${count(lines.length - (text.endsWith('\n') ? 1 : 0), 'line')}, ${count(new TextEncoder().encode(text).length, 'byte')}`}
        {text !== '' && !text.endsWith('\n') && lines.length > 1 && ', no line break at the end'}
        {folded && <button type="button" onClick={() => setOpen(true)}>show the other {lines.length - LINES_FOLDED} lines</button>}
      </div>
    </div>
  );
}

const count = (n: number, noun: string) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

// What fits on a line and has no line breaks of its own.
function isShort(node: ExactJson): boolean {
  if (node.kind === 'literal') return true;
  if (node.kind === 'string') return node.text.length <= INLINE_MAX && !node.text.includes('\n');
  const parts = node.kind === 'array' ? node.items : node.entries.map(([, value]) => value);
  return parts.length <= 8 && parts.every((part) => part.kind === 'literal' || (part.kind === 'string' && isShort(part))) &&
    printLine(node).length <= INLINE_MAX;
}
