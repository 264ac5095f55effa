// The last events of a run's log, read once and without a watch: for a fact that stands near the end of a long log.
import {eventId} from './ids';
import type {LogEvent} from '../hub/client';

const giveUpMs = 2000;

// From the event after number `after` on, until `enough` says so, the log is over or nothing more comes.
export async function readLogTail(runId: string, after: number, enough: (events: LogEvent[]) => boolean): Promise<LogEvent[]> {
  const from = after > 0 ? `?last_event_id=${eventId(runId, after)}` : '';
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), giveUpMs);
  const found: LogEvent[] = [];
  try {
    const answer = await fetch(`/runs/${runId}/log${from}`, {signal: stop.signal, headers: {Accept: 'text/event-stream'}});
    if (!answer.ok || answer.status === 204 || !answer.body) return found;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    while (!enough(found)) {
      const {done, value} = await reader.read();
      if (done) break;
      const frames = (rest + value).split('\n\n');
      rest = frames.pop()!;
      for (const frame of frames) {
        const data = frame.split('\n').find((line) => line.startsWith('data: '));
        if (data) found.push(JSON.parse(data.slice(6)) as LogEvent);
      }
    }
  } catch {
    // What came so far is what is known.
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
  return found;
}
