// Server-sent events out of the pieces of a fetch body. EventSource cannot be used: it hides the status (401) and resumes by one id only.
export interface SseEvent {event: string; id: string; data: string}

export class SseParser {
  private rest = '';
  private readonly decoder = new TextDecoder();
  private event = '';
  private id = '';
  private data: string[] = [];

  // The events that this piece completes.
  push(piece: Uint8Array): SseEvent[] {
    const text = this.rest + this.decoder.decode(piece, {stream: true});
    const done: SseEvent[] = [];
    let from = 0;
    for (let end = text.indexOf('\n', from); end >= 0; end = text.indexOf('\n', from)) {
      this.line(text.slice(from, text[end - 1] === '\r' && end > from ? end - 1 : end), done);
      from = end + 1;
    }
    this.rest = text.slice(from);
    return done;
  }

  private line(line: string, done: SseEvent[]): void {
    if (line === '') {
      if (this.data.length > 0) done.push({event: this.event, id: this.id, data: this.data.join('\n')});
      this.event = this.id = '';
      this.data = [];
      return;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (name === 'data') this.data.push(value);
    else if (name === 'event') this.event = value;
    else if (name === 'id') this.id = value;
  }
}
