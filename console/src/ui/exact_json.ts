// JSON as it was written. JSON.parse turns 12345678901234567890 into another number, and a person who is asked whether a
// tool may run with it must be shown the one that the tool will get. So numbers keep their spelling here.

export type ExactJson =
  | {kind: 'object'; entries: [string, ExactJson][]}
  | {kind: 'array'; items: ExactJson[]}
  | {kind: 'string'; text: string}
  | {kind: 'literal'; source: string}; // a number, true, false or null

// Throws SyntaxError for what is no JSON.
export function parseExact(text: string): ExactJson {
  JSON.parse(text); // The grammar is checked by the browser; what follows only has to find the parts.
  return new Reader(text).value();
}

// The member `name` of an object, if it has one.
export function member(node: ExactJson, name: string): ExactJson | undefined {
  return node.kind === 'object' ? node.entries.find(([key]) => key === name)?.[1] : undefined;
}

export function textOf(node: ExactJson | undefined): string | undefined {
  return node?.kind === 'string' ? node.text : undefined;
}

// Pretty JSON with the original numbers.
export function printExact(node: ExactJson, indent = ''): string {
  const inner = indent + '  ';
  switch (node.kind) {
    case 'literal':
      return node.source;
    case 'string':
      return JSON.stringify(node.text);
    case 'array':
      if (node.items.length === 0) return '[]';
      return `[\n${node.items.map((item) => inner + printExact(item, inner)).join(',\n')}\n${indent}]`;
    case 'object':
      if (node.entries.length === 0) return '{}';
      return `{\n${node.entries.map(([key, value]) => `${inner}${JSON.stringify(key)}: ${printExact(value, inner)}`).join(',\n')}\n${indent}}`;
  }
}

// The same on one line.
export function printLine(node: ExactJson): string {
  switch (node.kind) {
    case 'literal':
      return node.source;
    case 'string':
      return JSON.stringify(node.text);
    case 'array':
      return `[${node.items.map(printLine).join(', ')}]`;
    case 'object':
      return `{${node.entries.map(([key, value]) => `${JSON.stringify(key)}: ${printLine(value)}`).join(', ')}}`;
  }
}

class Reader {
  private at = 0;
  constructor(private readonly text: string) {}

  value(): ExactJson {
    this.space();
    const first = this.text[this.at];
    if (first === '{') return {kind: 'object', entries: this.list('}', () => this.entry())};
    if (first === '[') return {kind: 'array', items: this.list(']', () => this.value())};
    if (first === '"') return {kind: 'string', text: this.string()};
    const begin = this.at;
    while (this.at < this.text.length && !',]} \t\r\n'.includes(this.text[this.at]!)) this.at++;
    return {kind: 'literal', source: this.text.slice(begin, this.at)};
  }

  private entry(): [string, ExactJson] {
    const key = this.string();
    this.space();
    this.at++; // the colon
    return [key, this.value()];
  }

  private list<T>(end: string, one: () => T): T[] {
    const found: T[] = [];
    this.at++;
    this.space();
    while (this.text[this.at] !== end) {
      found.push(one());
      this.space();
      if (this.text[this.at] === ',') this.at++;
      this.space();
    }
    this.at++;
    return found;
  }

  private string(): string {
    const begin = this.at++;
    while (this.text[this.at] !== '"') this.at += this.text[this.at] === '\\' ? 2 : 1;
    this.at++;
    return JSON.parse(this.text.slice(begin, this.at)) as string;
  }

  private space(): void {
    while (' \t\r\n'.includes(this.text[this.at] ?? 'x')) this.at++;
  }
}
