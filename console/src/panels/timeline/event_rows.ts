// The rows of a timeline: the events of a run, with runs of deltas folded into one row where that is wanted, and without what
// a filter hides. Everything is done once per event, in slices of time: 50,000 events never hold the page up, and a batch that
// arrives costs what is in it.
import type {LogEvent} from '../../hub/client';
import {placeOf} from '../../run/row_place';
import {deltaKey, deltaText, familyOf, summarize, type Family} from './event_words';

export const longGapMs = 1000;
const headCharacters = 240;

export interface Row {
  first: number;  // the row's first event, as an index into `events`
  count: number;
  head: string;   // the line that is shown
  characters: number;  // of all texts in the row
}

export interface View {
  fold: boolean;
  hidden: ReadonlySet<Family>;
  text: string;
}

export class EventRows {
  readonly events: LogEvent[] = [];
  rows: Row[] = [];
  private view: View;
  private next = 0;  // the first event that has no row yet
  private open: { row: Row; key: string; shown: boolean; tail: string } | undefined;

  constructor(view: View) {
    this.view = { ...view, text: view.text.toLowerCase() };
  }

  push(batch: LogEvent[]): void {
    for (const event of batch) this.events.push(event);
  }

  setView(view: View): void {
    this.view = { ...view, text: view.text.toLowerCase() };
    this.rows = [];
    this.next = 0;
    this.open = undefined;
  }

  get settled(): boolean {
    return this.next === this.events.length;
  }

  // Makes rows for at most about that long; false when there is more to do.
  advance(budgetMs: number): boolean {
    const end = performance.now() + budgetMs;
    while (this.next < this.events.length) {
      this.take(this.next++);
      if (this.next % 64 === 0 && performance.now() > end) break;
    }
    return this.settled;
  }

  // Milliseconds between an event and the one before it, whether or not that one is shown.
  gapBefore(index: number): number {
    const before = this.events[index - 1], event = this.events[index];
    return before && event ? Math.max(0, event.at - before.at) : 0;
  }

  // The place among the rows of the row with this event, or of the next one after it.
  rowOf(index: number): number {
    return placeOf(this.rows, index);
  }

  private take(index: number): void {
    const event = this.events[index]!;
    const key = this.view.fold ? deltaKey(event) : '';
    // A long silence within a text is worth seeing: it begins a row.
    if (key && this.open?.key === key && this.gapBefore(index) < longGapMs) this.grow(event);
    else this.begin(event, index, key);
  }

  private begin(event: LogEvent, index: number, key: string): void {
    const text = key ? deltaText(event)! : '';
    const row: Row = { first: index, count: 1, head: key ? text.slice(0, headCharacters) : '', characters: text.length };
    this.open = { row, key, shown: false, tail: '' };
    if (this.view.hidden.has(familyOf(event.type))) return;
    if (this.view.text && !JSON.stringify(event).toLowerCase().includes(this.view.text)) {
      if (key) this.matchesWith(text);
      return;
    }
    this.show();
  }

  private grow(event: LogEvent): void {
    const { row, shown } = this.open!;
    const text = deltaText(event)!;
    row.count += 1;
    row.characters += text.length;
    if (row.head.length < headCharacters) row.head += text.slice(0, headCharacters);
    if (!shown && !this.view.hidden.has(familyOf(event.type)) && this.matchesWith(text)) this.show();
  }

  // Whether what is looked for ends within `text`, which continues the row's text. Only the end of the row is looked at.
  private matchesWith(text: string): boolean {
    const wanted = this.view.text;
    if (!wanted) return true;
    const seen = this.open!.tail + text.toLowerCase();
    this.open!.tail = wanted.length > 1 ? seen.slice(1 - wanted.length) : '';
    return seen.includes(wanted);
  }

  private show(): void {
    this.open!.shown = true;
    this.rows.push(this.open!.row);
  }
}

// The line of a row. Rows of one event have none of their own until somebody looks.
export function lineOf(row: Row, events: LogEvent[]): string {
  if (row.count > 1) return JSON.stringify(row.head).slice(0, headCharacters) + (row.characters > row.head.length ? '…' : '');
  return summarize(events[row.first]!).slice(0, headCharacters * 2);
}
