// Reads an event stream as the HTML standard says ("Parsing an event stream"), from bytes cut anywhere: inside a line
// end, a character or the byte order mark. What stands after the last blank line is never handed out.
import {InvalidResponseError} from './errors.js';

export interface SseFrame {
  /** The `event:` line; `message` where there is none. */
  event: string;
  data: string;
  /** The last id that the stream has given, in this frame or before it. */
  id: string;
}

export class SseParser {
  /** The `retry:` line, in milliseconds. */
  retryMs: number | undefined;
  #decoder = new TextDecoder();  // takes off a byte order mark, and puts U+FFFD for what is no UTF-8
  #line = '';
  #afterCr = false;
  #event = '';
  #data: string[] = [];
  #size = 0;
  #idBuffer: string;
  #id: string;

  constructor(lastEventId = '', readonly frameLengthMax = 64 * 1024 * 1024) {
    this.#idBuffer = this.#id = lastEventId;
  }

  /** Goes on with what came; the frames that are complete by now. */
  push(bytes: Uint8Array): SseFrame[] {
    const frames: SseFrame[] = [];
    const text = this.#decoder.decode(bytes, {stream: true});
    let at = 0;
    // The LF of a CRLF that was cut in two.
    if (this.#afterCr && text !== '') {
      if (text.charCodeAt(0) === LF) at = 1;
      this.#afterCr = false;
    }
    while (at < text.length) {
      const end = lineEnd(text, at);
      this.#line += text.slice(at, end);
      this.#checkSize();
      if (end === text.length) break;
      this.#takeLine(frames);
      at = end + 1;
      if (text.charCodeAt(end) !== CR) continue;
      if (at === text.length) this.#afterCr = true;
      else if (text.charCodeAt(at) === LF) at += 1;
    }
    return frames;
  }

  /** Of the last complete frame; also of one without data, which is never handed out. */
  get lastEventId(): string {
    return this.#id;
  }

  #takeLine(frames: SseFrame[]): void {
    const line = this.#line;
    this.#line = '';
    if (line === '') return this.#endFrame(frames);
    const colon = line.indexOf(':');
    if (colon === 0) return;  // a comment
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1);
    if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#idBuffer = value;
    else if (field === 'retry' && /^[0-9]+$/.test(value)) this.retryMs = Number(value);
    else if (field === 'data') {
      this.#data.push(value);
      this.#size += value.length + 1;
    }
  }

  #endFrame(frames: SseFrame[]): void {
    this.#id = this.#idBuffer;
    const event = this.#event || 'message';
    if (this.#data.length > 0) frames.push({event, data: this.#data.join('\n'), id: this.#id});
    this.#event = '';
    this.#data = [];
    this.#size = 0;
  }

  #checkSize(): void {
    if (this.#line.length + this.#size > this.frameLengthMax) {
      throw new InvalidResponseError(`An event of more than ${this.frameLengthMax} characters`);
    }
  }
}

const LF = 10;
const CR = 13;
const SPACE = 32;

function lineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LF || code === CR) return at;
  }
  return text.length;
}
