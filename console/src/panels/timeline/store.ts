// One open timeline: the log of a run as it comes, the rows made of it, what is selected, and a replay when one plays.
import {batch, signal} from '@preact/signals';
import {isOver} from '../../api/types';
import {watchLog, type LogEvent} from '../../hub/client';
import {EventRows, type View} from './event_rows';
import {Replay, type Speed} from './replay';
import {emptyHead, foldHead} from './run_head';

// What a page may spend at once on making rows; the rest of a frame is for showing them.
const sliceMs = 8;

export class TimelineStore {
  readonly all: LogEvent[] = [];
  readonly head = signal(emptyHead);
  readonly refused = signal<{status: number; error: string} | null>(null);
  readonly version = signal(0);  // counts the changes of `rows`
  readonly selected = signal(-1);  // an index into `all`; -1: nothing
  readonly following = signal(false);
  readonly view = signal<View>({fold: true, hidden: new Set(), text: ''});
  readonly replay = signal<{speed: Speed; waitMs: number; paused: boolean} | null>(null);
  rows = new EventRows(this.view.value);
  private playing: Replay | null = null;
  private working = false;
  private closed = false;
  private readonly unwatch: () => void;

  // `sequence`: the event that a link asks to show.
  constructor(readonly runId: string, private wanted: number) {
    this.unwatch = watchLog(runId, {
      events: (events) => this.take(events),
      // A run that goes on is followed; one that is over is read from its beginning.
      caughtUp: () => { if (this.live && this.selected.value < 0) this.following.value = true; },
      refused: (status, error) => { this.refused.value = {status, error}; },
    });
  }

  get live(): boolean {
    return this.replay.value !== null || !isOver(this.head.value.status);
  }

  close(): void {
    this.closed = true;
    this.unwatch();
  }

  setView(change: Partial<View>): void {
    this.view.value = {...this.view.value, ...change};
    this.rows.setView(this.view.value);
    this.work();
  }

  // Selects the row that is so many rows further; from nothing, the first or the last one.
  move(by: number): void {
    const {rows} = this.rows;
    if (rows.length === 0) return;
    const from = this.selected.value < 0 ? (by > 0 ? -1 : rows.length) : this.rows.rowOf(this.selected.value);
    const to = Math.max(0, Math.min(rows.length - 1, from + by));
    batch(() => {
      this.selected.value = rows[to]!.first;
      this.following.value = false;
    });
  }

  // Shows the events before `index`, and plays the others.
  startReplay(index: number, speed: Speed): void {
    this.playing = new Replay(this.all, index, speed);
    this.rows = new EventRows(this.view.value);
    this.rows.push(this.all.slice(0, index));
    batch(() => {
      this.replay.value = {speed, waitMs: 0, paused: false};
      this.following.value = true;
    });
    this.work();
    this.play(performance.now());
  }

  setSpeed(speed: Speed): void {
    if (!this.playing || !this.replay.value) return;
    this.playing.speed = speed;
    this.replay.value = {...this.replay.value, speed};
  }

  pauseReplay(paused: boolean): void {
    if (this.replay.value) this.replay.value = {...this.replay.value, paused};
  }

  skipWait(): void {
    this.playing?.skip();
  }

  stopReplay(): void {
    if (!this.playing) return;
    this.rows.push(this.all.slice(this.rows.events.length));
    this.playing = null;
    this.replay.value = null;
    this.work();
  }

  private take(events: LogEvent[]): void {
    for (const event of events) this.all.push(event);
    this.head.value = foldHead(this.head.value, events);
    if (!this.playing) this.rows.push(events);
    this.work();
    if (this.wanted > 0 && this.wanted <= this.all.length) {
      this.selected.value = this.wanted - 1;
      this.wanted = 0;
    }
  }

  private play(before: number): void {
    requestAnimationFrame((now) => {
      const state = this.replay.value;
      if (this.closed || !this.playing || !state) return;
      if (!state.paused) {
        const due = this.playing.step(Math.max(0, now - before));
        if (due.length > 0) this.rows.push(due);
        this.work();
        if (this.playing.done) return this.stopReplay();
        this.replay.value = {...state, waitMs: this.playing.waitMs};
      }
      this.play(now);
    });
  }

  private work(): void {
    if (this.working || this.closed) return;
    const rows = this.rows;
    const settled = rows.advance(sliceMs);
    this.version.value += 1;
    if (settled) return;
    this.working = true;
    setTimeout(() => {
      this.working = false;
      this.work();
    });
  }
}
