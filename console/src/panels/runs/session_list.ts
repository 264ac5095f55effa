// The sessions of the caller, the last changed first, page by page.
import {signal} from '@preact/signals';
import {deleteSession, listSessions, renameSession} from '../../api/sessions';
import type {Session} from '../../api/types';
import {onNotice, onReconnect} from '../../hub/client';

const pageSize = 20;
const noticesMs = 500;

export class SessionList {
  readonly sessions = signal<Session[] | null>(null);
  readonly total = signal(0);
  readonly error = signal<unknown>(null);
  readonly busy = signal(false);
  private wanted = pageSize;
  private asked = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly stops: (() => void)[];

  constructor() {
    this.stops = [onReconnect(() => void this.read()), onNotice(() => {
      this.timer ??= setTimeout(() => {
        this.timer = undefined;
        void this.read();
      }, noticesMs);
    })];
    void this.read();
  }

  close(): void {
    for (const stop of this.stops) stop();
    clearTimeout(this.timer);
    this.asked += 1;
  }

  // All that is wanted, in portions that the server gives. The order changes as sessions are used, so every reading starts at the top.
  async read(): Promise<void> {
    const question = ++this.asked;
    this.busy.value = true;
    try {
      const found: Session[] = [];
      let total = 0;
      do {
        const page = await listSessions(Math.min(100, this.wanted - found.length), found.length);
        if (question !== this.asked) return;
        found.push(...page.sessions);
        total = page.total;
        if (page.sessions.length === 0) break;
      } while (found.length < Math.min(this.wanted, total));
      // A session that was used in between may come twice.
      this.sessions.value = [...new Map(found.map((session) => [session.id, session])).values()];
      this.total.value = total;
      this.error.value = null;
    } catch (error) {
      if (question === this.asked) this.error.value = error;
    }
    if (question === this.asked) this.busy.value = false;
  }

  more(): Promise<void> {
    this.wanted += pageSize;
    return this.read();
  }

  async rename(id: string, title: string): Promise<void> {
    const changed = await renameSession(id, title);
    this.sessions.value = this.sessions.value?.map((one) => (one.id === id ? {...one, ...changed} : one)) ?? null;
  }

  async remove(id: string): Promise<void> {
    await deleteSession(id);
    this.sessions.value = this.sessions.value?.filter((one) => one.id !== id) ?? null;
    this.total.value -= 1;
  }
}
