// The rows of "Five ways": one for each event of the log, with the frames that every contract makes of it. The log and the frames come as
// two views of one run, in any order between each other; a row exists when its event has come, and frames find their way into it.
import {contracts, type Contract} from '../../api/curl';
import type {LogEvent, WayFrame} from '../../hub/client';
import {placeOf} from '../../run/row_place';
import {deltaKey} from '../timeline/event_words';

export interface Cell {
  frames: WayFrame[];  // those of the row's first event
  count: number;       // all frames of the row, in a folded one also those of its other events
  bytes: number;
}
export interface WayRow {
  first: number;  // index of its first event
  count: number;
  foldKey: string;
  cells: Partial<Record<Contract, Cell>>;
  changes: number;  // counts what was added, so that a row knows when to draw itself again
}
export type Totals = Record<Contract, {frames: number; bytes: number}>;

export class WayRows {
  readonly events: LogEvent[] = [];
  readonly totals = Object.fromEntries(contracts.map((name) => [name, {frames: 0, bytes: 0}])) as Totals;
  rows: WayRow[] = [];
  fold = true;
  private readonly frames: WayFrame[][] = [];  // by sequence - 1
  private readonly opened = new Set<number>();  // first events of folded rows that somebody unfolded

  addEvents(batch: LogEvent[]): void {
    for (const event of batch) {
      this.events.push(event);
      this.place(this.events.length - 1);
    }
  }

  addFrames(batch: WayFrame[]): void {
    for (const frame of batch) {
      const index = sequenceOf(frame.id) - 1;
      const total = this.totals[frame.contract];
      if (!total || index < 0) continue;
      total.frames += 1;
      total.bytes += byteLength(frame.frame);
      (this.frames[index] ??= []).push(frame);
      if (index < this.events.length) absorb(this.rows[this.rowOf(index)]!, index, frame);
    }
  }

  setFold(fold: boolean): void {
    this.fold = fold;
    this.opened.clear();
    this.rebuild();
  }

  unfold(row: WayRow): void {
    this.opened.add(row.first);
    this.rebuild();
  }

  rowOf(index: number): number {
    return placeOf(this.rows, index);
  }

  private rebuild(): void {
    this.rows = [];
    for (let index = 0; index < this.events.length; ++index) this.place(index);
  }

  private place(index: number): void {
    let foldKey = this.fold ? deltaKey(this.events[index]!) : '';
    const before = this.rows.at(-1);
    // The key of an unfolded text stays with its rows, so that none of them begins a fold again.
    if (foldKey && (this.opened.has(index) || before?.foldKey === `open ${foldKey}`)) foldKey = `open ${foldKey}`;
    const grows = foldKey !== '' && !foldKey.startsWith('open ') && before?.foldKey === foldKey;
    const row: WayRow = grows ? before : {first: index, count: 0, foldKey, cells: {}, changes: 0};
    if (!grows) this.rows.push(row);
    row.count += 1;
    row.changes += 1;
    for (const frame of this.frames[index] ?? []) absorb(row, index, frame);
  }
}

function absorb(row: WayRow, index: number, frame: WayFrame): void {
  const cell = (row.cells[frame.contract] ??= {frames: [], count: 0, bytes: 0});
  if (index === row.first) cell.frames.push(frame);
  cell.count += 1;
  cell.bytes += byteLength(frame.frame);
  row.changes += 1;
}

// evt_<ULID>_<sequence>.a<part>
export const sequenceOf = (id: string): number => Number(/_(\d+)(?:\.\w+)?$/.exec(id)?.[1] ?? 0);

export function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; ++i) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    if (code >= 0xd800 && code < 0xdc00) i += 1;  // A pair is four bytes: two units, and the two more that were just added.
  }
  return bytes;
}
