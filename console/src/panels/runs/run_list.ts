// The list of runs behind the table: one page after the other, kept true by the server's notices without losing what was loaded.
import {signal} from '@preact/signals';
import {listRuns} from '../../api/runs';
import type {RunItem, RunStatus} from '../../api/types';
import {onNotice, onReconnect, type Notice} from '../../hub/client';

export interface RunFilter {q: string; status: string; agent: string; session: string; everybody: boolean}
export const noFilter: RunFilter = {q: '', status: '', agent: '', session: '', everybody: false};

const pageSize = 50;
const typingMs = 250;   // a pause in typing
const noticesMs = 300;  // notices that come together are one reading

export class RunList {
  readonly items = signal<RunItem[] | null>(null);
  readonly next = signal<string | null>(null);
  readonly filter = signal<RunFilter>(noFilter);
  readonly error = signal<unknown>(null);
  readonly busy = signal(false);
  private asked = 0;  // counts the questions; only the answer to the last one counts
  private timer: ReturnType<typeof setTimeout> | undefined;
  private refreshTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly stops: (() => void)[];

  constructor(filter: Partial<RunFilter>) {
    this.filter.value = {...noFilter, ...filter};
    this.stops = [onNotice((notice) => this.hear(notice)), onReconnect(() => void this.refresh())];
    void this.read();
  }

  close(): void {
    for (const stop of this.stops) stop();
    clearTimeout(this.timer);
    clearTimeout(this.refreshTimer);
    this.asked += 1;
  }

  setFilter(change: Partial<RunFilter>): void {
    this.filter.value = {...this.filter.value, ...change};
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.read(), 'q' in change ? typingMs : 0);
  }

  // The first page anew; what was loaded below it is gone.
  read(): Promise<void> {
    return this.ask(undefined, (page) => page);
  }

  more(): Promise<void> {
    const before = this.next.value;
    return before === null ? Promise.resolve() : this.ask(before, (page) => [...(this.items.value ?? []), ...page]);
  }

  // The first page anew, with what was loaded below it. Ids increase with time, so they say where the page ends.
  private async refresh(): Promise<void> {
    const below = this.next.value;
    await this.ask(undefined, (page, next) => {
      const last = page.at(-1);
      if (!last || next === null) return page;
      const rest = (this.items.value ?? []).filter((run) => run.run_id < last.run_id);
      if (rest.length > 0) this.next.value = below;
      return [...page, ...rest];
    });
  }

  private async ask(before: string | undefined, join: (page: RunItem[], next: string | null) => RunItem[]): Promise<void> {
    const question = ++this.asked;
    const {q, status, agent, session, everybody} = this.filter.value;
    this.busy.value = true;
    try {
      const page = await listRuns({q: q.trim(), status, agent, session_id: session, limit: pageSize, before, scope: everybody ? 'all' : undefined});
      if (question !== this.asked) return;
      this.next.value = page.next;
      this.items.value = join(page.items, page.next);
      this.error.value = null;
    } catch (error) {
      if (question === this.asked) this.error.value = error;
    }
    if (question === this.asked) this.busy.value = false;
  }

  // The status is known at once; tokens and times are read a moment later.
  private hear(notice: Notice): void {
    if (notice.what !== 'run' && notice.what !== 'approvals') return;
    const items = this.items.value;
    if (items?.some((run) => run.run_id === notice.run_id && run.status !== notice.status)) {
      this.items.value = items.map((run) => (run.run_id === notice.run_id ? {...run, status: notice.status as RunStatus} : run));
    }
    this.refreshTimer ??= setTimeout(() => {
      this.refreshTimer = undefined;
      void this.refresh();
    }, noticesMs);
  }
}
