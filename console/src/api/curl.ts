// Commands that show a run outside the console: what a reader copies to try it in a terminal.
import {me} from './http';
import {eventId, spelled} from './ids';

export const contracts = ['steps', 'runs', 'chat', 'conversation', 'tasks'] as const;
export type Contract = (typeof contracts)[number];
export type Shape = 'log' | 'all' | Contract;

export function streamPath(runId: string, shape: Shape): string {
  const run = `/runs/${spelled('run', runId)}`;
  return shape === 'log' ? `${run}/log` : `${run}/stream?contract=${shape}`;
}

// A stream that begins with event `from`: the server sends what comes after the id that it is given. Tasks has no ids to resume from.
export function curlOf(runId: string, shape: Shape, from = 1): string {
  const parts = ['curl -N'];
  // The user of --dev needs no credential.
  if (me.value && me.value.username !== 'demo') parts.push('-H "Authorization: Bearer $BRAIDLOG_KEY"');
  if (from > 1 && shape !== 'tasks') parts.push(`-H 'Last-Event-ID: ${eventId(runId, from - 1)}'`);
  parts.push(`'${location.origin}${streamPath(runId, shape)}'`);
  return parts.join(' ');
}
