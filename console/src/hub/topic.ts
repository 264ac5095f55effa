// One (view, run) that somebody watches: the frames that came so far, and who gets the next ones. The frames are kept as long as anybody
// watches, so that a second page needs no second reading.
import type {Frame, Page, View} from './protocol';

interface Subscriber {page: Page; watch: number; skipTo: string | null}

export class Topic {
  caughtUp = false;
  over = false;
  refusal: {status: number; error: string} | null = null;
  // After a change of the connection: frames up to this one were delivered already.
  skipTo: string | null = null;
  private frames: Frame[] = [];
  private subscribers: Subscriber[] = [];

  constructor(readonly view: View, readonly run: string) {}

  get position(): string | null { return this.frames.at(-1)?.id ?? null; }
  get ended(): boolean { return this.over || this.refusal !== null; }
  get watched(): boolean { return this.subscribers.length > 0; }

  subscribe(page: Page, watch: number, after: string | null): void {
    const subscriber: Subscriber = {page, watch, skipTo: after};
    this.subscribers.push(subscriber);
    send(subscriber, this.frames);
    if (this.caughtUp) page.send({kind: 'caught-up', watch});
    if (this.over) page.send({kind: 'over', watch});
    if (this.refusal) page.send({kind: 'refused', watch, ...this.refusal});
  }

  unsubscribe(page: Page, watch?: number): void {
    this.subscribers = this.subscribers.filter((one) => one.page !== page || (watch !== undefined && one.watch !== watch));
  }

  add(batch: Frame[]): void {
    const fresh = rest(batch, this);
    if (fresh.length === 0) return;
    for (const frame of fresh) this.frames.push(frame);
    for (const subscriber of this.subscribers) send(subscriber, fresh);
  }

  nowCaughtUp(): void {
    if (this.caughtUp) return;
    this.caughtUp = true;
    for (const {page, watch} of this.subscribers) page.send({kind: 'caught-up', watch});
  }

  nowOver(): void {
    if (this.over) return;
    this.over = true;
    for (const {page, watch} of this.subscribers) page.send({kind: 'over', watch});
  }

  refused(status: number, error: string): void {
    this.refusal = {status, error};
    for (const {page, watch} of this.subscribers) page.send({kind: 'refused', watch, status, error});
  }
}

// What comes after the frame `skipTo`; once that frame was seen, everything.
function rest(frames: Frame[], reader: {skipTo: string | null}): Frame[] {
  if (reader.skipTo === null) return frames;
  const found = frames.findIndex((frame) => frame.id === reader.skipTo);
  if (found < 0) return [];
  reader.skipTo = null;
  return frames.slice(found + 1);
}

function send(subscriber: Subscriber, frames: Frame[]): void {
  const news = rest(frames, subscriber);
  if (news.length > 0) subscriber.page.send({kind: 'frames', watch: subscriber.watch, frames: news});
}
