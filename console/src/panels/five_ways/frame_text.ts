// A frame as it is on the wire, in lines, and a shorter spelling for a narrow column.

export interface FrameLine {name: string; value: string}

// "event: x", "id: y", "data: {…}"; the empty line that ends a frame is not shown.
export function frameLines(frame: string): FrameLine[] {
  return frame.replace(/\n+$/, '').split('\n').map((line) => {
    const colon = line.indexOf(': ');
    return colon < 0 ? {name: '', value: line} : {name: line.slice(0, colon), value: line.slice(colon + 2)};
  });
}

const ids = /\b([a-z]+_)?(?:[0-9A-HJKMNP-TV-Z]{22}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8})([0-9A-Za-z]{4})(_\d{6})?/g;

// Ids are long and say little to a reader: their ends are enough to see that two are the same.
export function shortIds(text: string): string {
  return text.replace(ids, (_, prefix: string | undefined, end: string, zeros: string | undefined) => `${prefix ?? ''}…${zeros === undefined ? end : '_'}`);
}

export interface ShortFrame {lines: FrameLine[]; whole: boolean}

export function shortFrame(frame: string, dataMax: number): ShortFrame {
  const lines = frameLines(frame);
  let whole = true;
  for (const line of lines) {
    const short = shortIds(line.value);
    const cut = line.name === 'data' && short.length > dataMax ? `${short.slice(0, dataMax)}…` : short;
    if (cut !== line.value) whole = false;
    line.value = cut;
  }
  return {lines, whole};
}

// What a contract calls this frame: its event line, else the type in its data.
export function frameType(frame: string): string {
  const event = /^event: (.*)$/m.exec(frame)?.[1];
  if (event !== undefined) return event;
  return /^data: \{"type":"([^"]*)"/m.exec(frame)?.[1] ?? 'data';
}
