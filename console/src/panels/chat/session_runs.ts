// The runs of one session, oldest first. The list is read once, grows when a run begins here, and is read anew when the server says that
// another page or program began one.
import {useCallback, useEffect, useState} from 'preact/hooks';
import {spelled} from '../../api/ids';
import {listRuns} from '../../api/runs';
import type {RunStatus} from '../../api/types';
import {onNotice, onReconnect} from '../../hub/client';

export interface RunRow {runId: string; text: string; agent: string; contract: string; status: RunStatus}  // as it was when the list was read
export interface SessionRuns {
  rows: RunRow[];
  earlier: boolean;          // there are more before the first
  loading: boolean;
  error: unknown;
  add(row: RunRow): void;
  loadEarlier(): void;
}

const pageSize = 10;

interface State {session: string; rows: RunRow[]; before: string | null; loading: boolean; error: unknown}
const nothing = (session: string): State => ({session, rows: [], before: null, loading: session !== '', error: null});

export function useSessionRuns(session: string): SessionRuns {
  const [state, setState] = useState<State>(() => nothing(session));
  const read = useCallback(async (before: string | null) => {
    if (session === '') return;
    try {
      const page = await listRuns({session_id: session, limit: pageSize, ...(before === null ? {} : {before})});
      const found = page.items.map((item) => ({runId: spelled('run', item.run_id), text: item.text, agent: item.agent, contract: item.contract, status: item.status})).reverse();
      setState((old) => {
        if (old.session !== session) return old;
        const first = old.rows.length === 0 || before !== null;
        return {...old, loading: false, error: null, rows: merge(old.rows, found), before: first ? page.next : old.before};
      });
    } catch (error) {
      setState((old) => (old.session === session ? {...old, loading: false, error} : old));
    }
  }, [session]);

  useEffect(() => {
    // A run that was begun a moment ago made this session: it stays while the list is read.
    setState((old) => (old.session === session || old.session === '' ? {...old, session, loading: session !== ''} : nothing(session)));
    void read(null);
    const offNotice = onNotice((notice) => { if (spelled('sess', notice.session_id) === spelled('sess', session)) void read(null); });
    const offReconnect = onReconnect(() => void read(null));
    return () => {
      offNotice();
      offReconnect();
    };
  }, [session, read]);

  return {
    rows: state.session === session || state.session === '' ? state.rows : [],
    earlier: state.before !== null,
    loading: state.loading,
    error: state.error,
    add: (row) => setState((old) => ({...old, rows: merge(old.rows, [row])})),
    loadEarlier: () => void read(state.before),
  };
}

// Ids begin with the time of their making, so their order is the order of the runs.
function merge(old: RunRow[], found: RunRow[]): RunRow[] {
  const all = new Map([...found, ...old].map((row) => [row.runId, row]));
  if (all.size === old.length) return old;
  return [...all.values()].sort((a, b) => (a.runId < b.runId ? -1 : 1));
}
