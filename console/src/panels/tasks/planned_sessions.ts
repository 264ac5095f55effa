// The sessions that have a plan, as the list of runs tells them.
import type {RunItem} from '../../api/types';

export interface PlannedSession {id: string; label: string; status: string; at: string}

// Runs come newest first: the first of a session is its state, the last one with words says what it was about.
export function sessionsOf(runs: RunItem[]): PlannedSession[] {
  const found = new Map<string, PlannedSession>();
  for (const run of runs) {
    if (run.contract !== 'tasks') continue;
    const known = found.get(run.session_id);
    const named = run.session_title !== '' && run.session_title !== 'New Session';
    const label = named ? run.session_title : run.text;
    if (!known) found.set(run.session_id, {id: run.session_id, label, status: run.status, at: run.created_at});
    else if (label !== '') known.label = label;
  }
  return [...found.values()];
}
