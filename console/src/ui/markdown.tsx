// Markdown as it streams in. Finished blocks are drawn once and kept; only the last one is drawn again.
import type {VNode} from 'preact';
import {useMemo, useRef} from 'preact/hooks';
import remend from 'remend';
import {CodeBlock} from './code_block';
import {blockHtml} from './markdown_html';
import {BlockSplitter} from './markdown_blocks';
import {showControls} from './visible_text';
import './markdown.css';

export function Markdown({text, streaming = false}: {text: string; streaming?: boolean}) {
  const splitter = useRef(new BlockSplitter());
  // The same element again tells Preact that there is nothing to compare.
  const drawn = useRef<{source: string; element: VNode}[]>([]);
  const {finished, open} = splitter.current.push(text);
  drawn.current.length = Math.min(drawn.current.length, finished.length);
  finished.forEach((source, index) => {
    if (drawn.current[index]?.source !== source) drawn.current[index] = {source, element: <Block key={index} source={source} />};
  });
  return (
    <div class="markdown" dir="auto">
      {drawn.current.map((one) => one.element)}
      {open.trim() !== '' && <Block key={finished.length} source={open} open={streaming} />}
    </div>
  );
}

// A block that grows beyond this is shown as plain text until it is finished: reading it again with each word would take too long.
const openMax = 6000;

const fence = /^ {0,3}(`{3,}|~{3,})([^\n]*)\n?([\s\S]*?)(?:\n? {0,3}\1[`~]*[ \t]*\n*)?$/;

function Block({source: raw, open = false}: {source: string; open?: boolean}) {
  const source = useMemo(() => showControls(raw), [raw]);
  const code = fence.exec(source);
  if (code) return <CodeBlock code={code[3]!} language={code[2]!.trim().split(/\s/)[0] ?? ''} open={open} />;
  if (open && source.length > openMax) return <div class="block block-plain">{source}</div>;
  return <HtmlBlock source={source} open={open} />;
}

function HtmlBlock({source, open}: {source: string; open: boolean}) {
  const html = useMemo(() => blockHtml(open ? remend(source, {linkMode: 'text-only', katex: false, htmlTags: false}) : source), [source, open]);
  return <div class="block" dangerouslySetInnerHTML={{__html: html}} />;
}
