// Plays the events of a run again with the gaps they really had: which of them are due at a moment.
import type {LogEvent} from '../../hub/client';

export type Speed = 1 | 4 | 'max';
// At full speed a replay of any length takes about this many frames of the screen, so that it can be seen.
const framesAtMost = 120;

export class Replay {
  private position: number;
  private clock: number;  // the time of the log that is reached

  constructor(private readonly events: LogEvent[], from: number, public speed: Speed) {
    this.position = from;
    this.clock = events[from]?.at ?? 0;
  }

  // The events that became due while `elapsedMs` passed on the wall.
  step(elapsedMs: number): LogEvent[] {
    const from = this.position;
    if (this.speed === 'max') {
      this.position = Math.min(this.events.length, from + Math.max(1, Math.ceil(this.events.length / framesAtMost)));
      this.clock = this.events[this.position - 1]?.at ?? this.clock;
    } else {
      this.clock += elapsedMs * this.speed;
      while (this.position < this.events.length && this.events[this.position]!.at <= this.clock) this.position += 1;
    }
    return this.events.slice(from, this.position);
  }

  get done(): boolean {
    return this.position >= this.events.length;
  }

  // Wall time until the next event.
  get waitMs(): number {
    const next = this.events[this.position];
    return !next || this.speed === 'max' ? 0 : Math.max(0, next.at - this.clock) / this.speed;
  }

  // Goes to the next event at once.
  skip(): void {
    this.clock = Math.max(this.clock, this.events[this.position]?.at ?? this.clock);
  }
}
