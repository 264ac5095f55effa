// One session of tasks: what the server has stored, and on top of it the runs that are under way, read from their logs.
import {useCallback, useEffect, useState} from 'preact/hooks';
import {sameId} from '../../api/ids';
import {listRuns} from '../../api/runs';
import {readSession} from '../../api/sessions';
import type {SessionDetail} from '../../api/types';
import {onNotice, onReconnect} from '../../hub/client';
import {isExecution} from './execution';
import {useLiveRun, type LiveRun} from './use_live_run';

const GATHER_MS = 150;

export interface TaskSession {
  detail: SessionDetail | null;
  problem: unknown;
  planning: LiveRun | null; // a run under way that is no execution
  execution: LiveRun | null; // the newest one, whether it is over or not
  reload(): void;
}

export function useTaskSession(sessionId: string): TaskSession {
  const [detail, setDetail] = useState<SessionDetail | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [activeId, setActiveId] = useState('');
  const [executionId, setExecutionId] = useState('');
  const reload = useCallback(() => {
    void Promise.all([readSession(sessionId), listRuns({session_id: sessionId, limit: 50})]).then(([session, runs]) => {
      const execution = runs.items.find((run) => run.contract === 'tasks' && run.text === '');
      setDetail(session);
      setProblem(null);
      setExecutionId(execution?.run_id ?? '');
      setActiveId(session.activeRunId ?? '');
    }, setProblem);
  }, [sessionId]);
  useEffect(() => {
    setDetail(null);
    setActiveId('');
    setExecutionId('');
    reload();
  }, [reload]);
  useChanges(sessionId, reload);
  const active = useLiveRun(activeId && !(executionId && sameId(activeId, executionId)) ? activeId : '', reload);
  const execution = useLiveRun(executionId, reload);
  const executes = active !== null && isExecution(active.view);
  return {detail, problem, planning: executes ? null : active, execution: executes ? active : execution, reload};
}

// Reads again a moment after the server's hint, once for all hints of that moment.
export function useChanges(sessionId: string | null, reload: () => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, GATHER_MS);
    };
    const offNotice = onNotice((notice) => {
      if (sessionId === null || sameId(notice.session_id, sessionId)) soon();
    });
    const offReconnect = onReconnect(soon);
    return () => {
      clearTimeout(timer);
      offNotice();
      offReconnect();
    };
  }, [sessionId, reload]);
}
