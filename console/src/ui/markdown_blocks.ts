// Splits Markdown that still grows into blocks that are finished and one that is open. Only the open one is read again when more text comes,
// so the work for each new word does not grow with the length of the answer.
import {Lexer} from 'marked';

export interface Blocks {finished: string[]; open: string}

export class BlockSplitter {
  private text = '';
  private offset = 0;      // where the open block begins
  private finished: string[] = [];

  // `text` is the whole text so far. One that does not go on from the last begins anew.
  push(text: string): Blocks {
    if (!text.startsWith(this.text)) {
      this.offset = 0;
      this.finished = [];
    }
    this.text = text;
    this.cut(new Lexer({gfm: true}).blockTokens(text.slice(this.offset)));
    return {finished: this.finished, open: text.slice(this.offset)};
  }

  // All blocks but the last are finished. White space alone ends nothing: a list goes on after an empty line when its next item comes.
  private cut(tokens: {type: string; raw: string}[]): void {
    const last = tokens.findLastIndex((token) => token.type !== 'space');
    const done: string[] = [];
    let end = this.offset;
    for (const {type, raw} of tokens.slice(0, Math.max(0, last))) {
      // The lexer leaves out what is no block, the definition of a link; it goes with the block after it.
      const begin = this.text.indexOf(raw, end);
      if (begin < 0) return;
      if (type !== 'space') done.push(this.text.slice(end, begin + raw.length));
      end = begin + raw.length;
    }
    if (done.length === 0) return;
    this.finished = [...this.finished, ...done];
    this.offset = end;
  }
}
