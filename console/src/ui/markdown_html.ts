// One block of Markdown → HTML that can be shown. What a model writes is never trusted: markup in it is shown as text, links lead only to the
// web or to mail, nothing is loaded from anywhere, and what came out is cleaned once more.
import DOMPurify from 'dompurify';
import {Marked, type Tokens} from 'marked';

const columnsMax = 24;
const rowsMax = 200;

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');

// The address when it may be followed, else null.
export function safeAddress(text: string): string | null {
  try {
    const url = new URL(text);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null;
  } catch {
    return null;  // Relative: there is nothing it could be relative to.
  }
}

const link = (address: string, label: string): string => `<a href="${escapeHtml(address)}" target="_blank" rel="noopener noreferrer">${label}</a>`;

const marked = new Marked({gfm: true, breaks: false, renderer: {
  html({text}: Tokens.HTML | Tokens.Tag) {
    return escapeHtml(text);
  },
  link(token: Tokens.Link) {
    const label = this.parser.parseInline(token.tokens);
    const address = safeAddress(token.href);
    return address ? link(address, label) : `${label} <code>${escapeHtml(token.href)}</code>`;
  },
  image({href, text}: Tokens.Image) {
    const label = escapeHtml(text || 'no description');
    const address = safeAddress(href);
    return `<span class="picture-mark">Picture: ${address ? link(address, label) : label}</span>`;
  },
  checkbox({checked}: Tokens.Checkbox) {
    return checked ? '☑ ' : '☐ ';
  },
  table(token: Tokens.Table) {
    // A table that nobody could read as one stands as the text that it is.
    if (token.header.length > columnsMax || token.rows.length > rowsMax) return `<pre tabindex="0">${escapeHtml(token.raw)}</pre>`;
    const cells = (row: Tokens.TableCell[], tag: string) => row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('');
    const body = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
    return `<div class="table-wrap" tabindex="0"><table><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>${body}</tbody></table></div>`;
  },
}});

const tags = ['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'strong', 'em', 'del', 'a', 'span',
  'div', 'table', 'thead', 'tbody', 'tr', 'th', 'td'];

export function blockHtml(source: string): string {
  const html = marked.parse(source, {async: false});
  return DOMPurify.sanitize(html, {ALLOWED_TAGS: tags, ALLOWED_ATTR: ['href', 'target', 'rel', 'class', 'start', 'tabindex'], ALLOW_DATA_ATTR: false});
}
