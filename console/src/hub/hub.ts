// The one connection to the server, for all tabs of a browser: what any page watches is in one request to /watch. A new watch opens a second
// connection with everything in it and closes the first when the second has said hello, so no notice is lost in between; frames that come
// twice are dropped by their id. A lost connection is opened again, each run from the last frame that arrived.
import type {Connection, Frame, Notice, Page, ToHub, View} from './protocol';
import type {SseEvent} from './sse';
import {Topic} from './topic';
import {WatchStream} from './watch_stream';

const watchesMax = 30;          // The server takes 32; the rest waits until one is over.
const regroupMs = 15;           // Watches that begin together go into one request.
const keepMs = 2000;            // A panel that is left and another that opens often watch the same run.
const retryFirstMs = 300;
const retryMaxMs = 5000;

export class Hub {
  private readonly pages = new Set<Page>();
  private readonly watches = new Map<Page, Map<number, Topic>>();
  private readonly topics = new Map<string, Topic>();
  private state: Connection = 'connecting';
  private user: string | null = null;
  private current: WatchStream | null = null;
  private next: WatchStream | null = null;
  // What each stream was asked for, and from where.
  private readonly asked = new Map<WatchStream, Map<string, {topic: Topic; from: string | null}>>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private retryMs = retryFirstMs;

  join(page: Page): void {
    this.pages.add(page);
    this.watches.set(page, new Map());
    page.send({kind: 'state', state: this.state});
    if (!this.current && !this.next) this.schedule(0);
  }

  leave(page: Page): void {
    if (!this.pages.delete(page)) return;
    this.watches.delete(page);
    for (const topic of this.topics.values()) topic.unsubscribe(page);
    this.forgetLater();
    if (this.pages.size === 0) this.shut();
  }

  has(page: Page): boolean { return this.pages.has(page); }

  receive(page: Page, message: ToHub): void {
    if (!this.pages.has(page)) return;
    if (message.kind === 'watch') this.watch(page, message.watch, message.view, message.run, message.after);
    else if (message.kind === 'unwatch') this.unwatch(page, message.watch);
    else if (message.kind === 'retry' && this.state !== 'live') this.schedule(0);
  }

  private watch(page: Page, watch: number, view: View, run: string, after: string | null): void {
    const key = `${view} ${run}`;
    let topic = this.topics.get(key);
    // A run that could not be seen is asked for again: it may be there now.
    if (!topic || topic.refusal) {
      topic = new Topic(view, run);
      this.topics.set(key, topic);
      this.schedule(regroupMs);
    }
    this.watches.get(page)!.set(watch, topic);
    topic.subscribe(page, watch, after);
  }

  private unwatch(page: Page, watch: number): void {
    const mine = this.watches.get(page)!;
    mine.get(watch)?.unsubscribe(page, watch);
    mine.delete(watch);
    this.forgetLater();
  }

  private forgetLater(): void {
    setTimeout(() => {
      let live = false;
      for (const [key, topic] of this.topics) {
        if (topic.watched) continue;
        this.topics.delete(key);
        live ||= !topic.ended;
      }
      if (live && this.pages.size > 0) this.schedule(regroupMs);
    }, keepMs);
  }

  private schedule(delay: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), delay);
  }

  private open(): void {
    if (this.next) this.drop(this.next);
    const wanted = [...this.topics].reverse().filter(([, topic]) => !topic.ended).slice(0, watchesMax);
    const stream = new WatchStream({events: (from, batch) => this.events(from, batch), ended: (from, status) => this.ended(from, status)});
    this.asked.set(stream, new Map(wanted.map(([key, topic]) => [key, {topic, from: topic.position}])));
    this.next = stream;
    stream.open(wanted.map(([, {view, run, position}]) => [view, run, position].filter((part) => part !== null).join(':')));
  }

  private drop(stream: WatchStream): void {
    stream.close();
    this.asked.delete(stream);
    if (this.current === stream) this.current = null;
    if (this.next === stream) this.next = null;
  }

  private shut(): void {
    clearTimeout(this.timer);
    for (const stream of [...this.asked.keys()]) this.drop(stream);
    this.topics.clear();
    this.state = 'connecting';
  }

  private events(stream: WatchStream, batch: SseEvent[]): void {
    // Neighbours of one run go to the pages together.
    let key = '';
    let frames: Frame[] = [];
    const flush = () => {
      if (frames.length > 0) this.topicOf(stream, key)?.add(frames);
      frames = [];
    };
    for (const event of batch) {
      if (event.event.startsWith('log ') || event.event.startsWith('all ')) {
        if (event.event !== key) flush();
        key = event.event;
        frames.push({id: event.id, data: event.data});
        continue;
      }
      flush();
      this.word(stream, event);
    }
    flush();
  }

  // Only the topic that the stream was opened for: one that was left and watched anew starts again from its first frame.
  private topicOf(stream: WatchStream, key: string): Topic | null {
    const topic = this.asked.get(stream)?.get(key)?.topic;
    return topic && this.topics.get(key) === topic && !topic.over ? topic : null;
  }

  private word(stream: WatchStream, event: SseEvent): void {
    const data = JSON.parse(event.data) as Record<string, unknown>;
    const [word = '', run = ''] = event.event.split(' ', 2);
    if (word === 'hello') return this.hello(stream, String(data['user_id']));
    if (word === 'changed') return this.tell({kind: 'notice', notice: data as unknown as Notice});
    // The server dropped notices for a slow reader: to a page that is as if the connection had been lost.
    if (word === 'missed') return this.tell({kind: 'reconnected'});
    const topic = this.topicOf(stream, `${String(data['view'])} ${run}`);
    if (word === 'caught-up') topic?.nowCaughtUp();
    if (word === 'over') topic?.nowOver();
    if (word === 'refused') topic?.refused(Number(data['status']), String(data['error']));
    if (topic?.ended) this.takeWaiting();
  }

  private hello(stream: WatchStream, user: string): void {
    if (this.next !== stream) return;
    if (this.current) this.drop(this.current);
    this.current = stream;
    this.next = null;
    this.retryMs = retryFirstMs;
    for (const {topic, from} of this.asked.get(stream)!.values()) topic.skipTo = topic.position === from ? null : topic.position;
    if (this.user !== null && this.user !== user) this.tell({kind: 'user-changed'});
    this.user = user;
    if (this.state === 'lost') this.tell({kind: 'reconnected'});
    this.become('live');
  }

  // When more runs are watched than fit into a request, one that is over makes room.
  private takeWaiting(): void {
    const asked = this.asked.get(this.current!);
    for (const [key, topic] of this.topics) {
      if (!topic.ended && !asked?.has(key)) return this.schedule(regroupMs);
    }
  }

  private ended(stream: WatchStream, status: number): void {
    const wasNext = this.next === stream;
    this.drop(stream);
    // The old connection still works as long as a new one was only an addition; it is tried again like a lost one.
    if (!wasNext && this.next) return;
    if (status === 401) {
      this.become('lost');
      return this.tell({kind: 'unauthorized'});
    }
    if (!this.current) this.become('lost');
    this.schedule(this.retryMs);
    this.retryMs = Math.min(this.retryMs * 2, retryMaxMs);
  }

  private become(state: Connection): void {
    if (state === this.state) return;
    this.state = state;
    this.tell({kind: 'state', state});
  }

  private tell(message: Parameters<Page['send']>[0]): void {
    for (const page of this.pages) page.send(message);
  }
}
