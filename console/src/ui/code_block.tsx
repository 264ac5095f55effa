// Code with its language, a copy button and colours. The colours come from highlight.js, which is loaded when the first code is shown, and only
// for code that is complete: colouring a growing text anew with each word is what makes pages slow.
import {useEffect, useState} from 'preact/hooks';
import {CopyButton} from './parts';
import './code_block.css';

type Highlight = (code: string, language: string) => string | null;
const colouredMax = 60_000;
let highlight: Highlight | null = null;

export function CodeBlock({code, language = '', open = false, label}: {code: string; language?: string; open?: boolean; label?: string}) {
  const html = useColours(code, language, open);
  const name = label ?? (language || 'text');
  return (
    <figure class="code-block">
      <figcaption><span>{name}</span><CopyButton text={code} /></figcaption>
      {html === null
        ? <pre tabIndex={0} aria-label={`Code, ${name}`} role="group"><code>{code}</code></pre>
        : <pre tabIndex={0} aria-label={`Code, ${name}`} role="group"><code dangerouslySetInnerHTML={{__html: html}} /></pre>}
    </figure>
  );
}

function useColours(code: string, language: string, open: boolean): string | null {
  const [html, setHtml] = useState<string | null>(null);
  useEffect(() => {
    setHtml(null);
    if (open || language === '' || code.length > colouredMax) return;
    let wanted = true;
    const colour = () => { if (wanted) setHtml(highlight!(code, language)); };
    if (highlight) colour();
    else void import('./highlight').then((module) => { highlight = module.highlight; }).then(colour, () => undefined);
    return () => { wanted = false; };
  }, [code, language, open]);
  return html;
}
