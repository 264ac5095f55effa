// The list of sessions beside the chat, and which of them are at work.
import {signal} from '@preact/signals';
import {spelled} from '../../api/ids';
import {listSessions} from '../../api/sessions';
import type {Session} from '../../api/types';
import {onNotice, onReconnect} from '../../hub/client';

export const sessions = signal<Session[] | null>(null);
export const sessionsError = signal<unknown>(null);
export const sessionsTotal = signal(0);
// session → status of its run, as far as notices told.
export const working = signal<ReadonlyMap<string, string>>(new Map());

const pageSize = 50;
let wanted = pageSize;
let timer: ReturnType<typeof setTimeout> | undefined;

export async function readSessions(): Promise<void> {
  try {
    const found: Session[] = [];
    do {
      const page = await listSessions(Math.min(100, wanted - found.length), found.length);
      found.push(...page.sessions);
      sessionsTotal.value = page.total;
      if (page.sessions.length === 0) break;
    } while (found.length < Math.min(wanted, sessionsTotal.value));
    sessions.value = found;
    sessionsError.value = null;
  } catch (error) {
    sessionsError.value = error;
  }
}

export function showMoreSessions(): void {
  wanted += pageSize;
  void readSessions();
}

// Notices come in bursts; the list is read once for all of them.
function readSoon(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void readSessions(), 250);
}

export function followSessions(): () => void {
  void readSessions();
  const offReconnect = onReconnect(() => void readSessions());
  const offNotice = onNotice((notice) => {
    const next = new Map(working.value);
    next.set(spelled('sess', notice.session_id), notice.status);
    working.value = next;
    if (notice.what === 'run') readSoon();
  });
  return () => {
    offReconnect();
    offNotice();
  };
}

export const sessionOf = (id: string): Session | undefined =>
  sessions.value?.find((one) => spelled('sess', one.id) === spelled('sess', id));
