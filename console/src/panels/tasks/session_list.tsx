// The sessions that have a plan, the last used first. They are found by their runs: those that the tasks contract began.
import {useCallback, useEffect, useState} from 'preact/hooks';
import {sameId} from '../../api/ids';
import {listRuns} from '../../api/runs';
import type {RunItem} from '../../api/types';
import {href} from '../../router';
import {Empty, ErrorBox, Spinner, StatusBadge, Time} from '../../ui/parts';
import {visible} from '../../ui/hidden_chars';
import {sessionsOf} from './planned_sessions';
import {useChanges} from './task_session';

const PAGE = 200;
const ENOUGH = 20; // sessions to begin with; for more the reader asks
const PAGES_MAX = 5;

interface FoundRuns {runs: RunItem[]; older: string | null}

// Runs of the tasks contract behind `known`, page by page, until there are enough sessions to show.
async function findRuns(known: RunItem[], before: string | undefined): Promise<FoundRuns> {
  const wanted = sessionsOf(known).length + ENOUGH;
  let found: FoundRuns = {runs: known, older: before ?? null};
  for (let page = 0; page < PAGES_MAX && (page === 0 || found.older); page++) {
    const {items, next} = await listRuns({limit: PAGE, ...(found.older ? {before: found.older} : {})});
    found = {runs: [...found.runs, ...items.filter((run) => run.contract === 'tasks')], older: next};
    if (sessionsOf(found.runs).length >= wanted) break;
  }
  return found;
}

export function SessionList({selected}: {selected: string}) {
  const [runs, setRuns] = useState<RunItem[] | null>(null);
  const [older, setOlder] = useState<string | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const show = (found: FoundRuns) => {
    setRuns(found.runs);
    setOlder(found.older);
    setProblem(null);
  };
  const reload = useCallback(() => void findRuns([], undefined).then(show, setProblem), []);
  const readOlder = () => void findRuns(runs ?? [], older!).then(show, setProblem);
  useEffect(reload, [reload]);
  useChanges(null, reload);
  const sessions = sessionsOf(runs ?? []);
  return (
    <section class="task-sessions" aria-label="Sessions with tasks">
      <header>
        <h1>Tasks</h1>
        <a class="button small" href={href('tasks')}>New goal</a>
      </header>
      <ErrorBox error={problem} retry={reload} />
      {!runs && !problem && <Spinner />}
      {runs && sessions.length === 0 && <Empty title="No plans yet" />}
      <ul>
        {sessions.map((session) => (
          <li key={session.id}>
            <a href={href('tasks', session.id)} aria-current={selected !== '' && sameId(session.id, selected) ? 'page' : undefined}>
              <span class="task-session-label">{visible(session.label) || 'Session'}</span>
              <span class="task-session-foot"><StatusBadge status={session.status} /><Time at={session.at} /></span>
            </a>
          </li>
        ))}
      </ul>
      {older && <button type="button" class="button small quiet" onClick={readOlder}>Look further back</button>}
    </section>
  );
}
