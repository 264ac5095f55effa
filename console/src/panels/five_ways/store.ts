// One open "Five ways": the log of a run and its frames in every contract, as they come.
import {signal} from '@preact/signals';
import {watchLog, watchWays} from '../../hub/client';
import {isOver} from '../../api/types';
import {emptyHead, foldHead} from '../timeline/run_head';
import {WayRows, type WayRow} from './way_rows';

export class WaysStore {
  readonly rows = new WayRows();
  readonly head = signal(emptyHead);
  readonly version = signal(0);   // counts the changes of `rows`
  readonly selected = signal(-1);  // an index into the events; -1: nothing
  readonly hovered = signal(-1);
  readonly following = signal(false);
  readonly refused = signal<string | null>(null);
  readonly fold = signal(true);
  readonly framesRead = signal(false);  // until then rows still grow
  private readonly unwatch: (() => void)[];
  private wanted: number;
  fromLink = false;  // the selection came with the address, and may be far from what is on the screen

  // `sequence`: the event that a link asks to show.
  constructor(readonly runId: string, sequence: number) {
    this.wanted = sequence - 1;
    const refused = (status: number, error: string) => {
      this.refused.value = status === 410 ? 'The events of this run are past their retention.' : error;
    };
    this.unwatch = [
      watchLog(runId, {
        events: (batch) => {
          this.rows.addEvents(batch);
          this.head.value = foldHead(this.head.value, batch);
          this.version.value += 1;
          if (this.wanted >= 0 && this.wanted < this.rows.events.length) {
            this.select(this.wanted);
            this.fromLink = true;
          }
        },
        caughtUp: () => { if (this.live && this.selected.value < 0) this.following.value = true; },
        refused,
      }),
      watchWays(runId, {
        frames: (batch) => { this.rows.addFrames(batch); this.version.value += 1; },
        caughtUp: () => { this.framesRead.value = true; },
        refused,
      }),
    ];
  }

  get live(): boolean {
    return !isOver(this.head.value.status);
  }

  close(): void {
    for (const stop of this.unwatch) stop();
  }

  select(index: number): void {
    this.wanted = -1;
    this.fromLink = false;
    this.selected.value = index;
    this.following.value = false;
  }

  move(by: number): void {
    const {rows} = this.rows;
    if (rows.length === 0) return;
    const from = this.selected.value < 0 ? (by > 0 ? -1 : rows.length) : this.rows.rowOf(this.selected.value);
    this.select(rows[Math.max(0, Math.min(rows.length - 1, from + by))]!.first);
  }

  setFold(fold: boolean): void {
    this.fold.value = fold;
    this.rows.setFold(fold);
    this.version.value += 1;
  }

  unfold(row: WayRow): void {
    this.rows.unfold(row);
    this.version.value += 1;
  }
}
