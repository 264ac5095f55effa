// One session: its plan with the execution as it goes, the talk about the goal, and what the tasks left behind.
import {useEffect, useMemo, useState} from 'preact/hooks';
import {beginRun, interruptRun} from '../../api/runs';
import {sameId, spelled} from '../../api/ids';
import {isOver, type SessionDetail, type Task} from '../../api/types';
import {href, replace, route} from '../../router';
import {Duration, Empty, ErrorBox, Spinner, StatusBadge} from '../../ui/parts';
import {toastError} from '../../ui/toast';
import {Artifacts} from './artifacts';
import {DataItems} from './data_items';
import {GoalChat} from './goal_chat';
import {executionOf, taskNow} from './execution';
import {TaskList} from './task_list';
import {useTaskSession} from './task_session';
import {ToolCalls} from './tool_calls';
import type {LiveRun} from './use_live_run';

export function SessionView({sessionId}: {sessionId: string}) {
  const session = useTaskSession(sessionId);
  const {detail, execution, planning, problem, reload} = session;
  const work = useMemo(() => (execution ? executionOf(execution.view) : null), [execution]);
  if (!detail) return <div class="centre">{problem ? <ErrorBox error={problem} retry={reload} /> : <Spinner />}</div>;
  const tasks = detail.tasks.map((task) => taskNow(task, work?.tasks.get(task.id), execution?.view));
  return (
    <div class={`task-session${route.value.query.get('tab') === 'data' ? ' wide-results' : ''}`}>
      <section class="task-plan" aria-label="Plan">
        <PlanHead detail={detail} tasks={tasks} execution={execution} planning={planning} reload={reload} />
        <ErrorBox error={problem} retry={reload} />
        {execution?.view.failure && <ErrorBox error={`The execution failed: ${execution.view.failure.message}`} />}
        {tasks.length === 0 && !planning && <Empty title="No tasks yet">Say what is to be done; a vague goal is asked about first.</Empty>}
        {tasks.length === 0 && planning && <div class="centre"><Spinner label="A plan is made" /></div>}
        <TaskList tasks={tasks} execution={work} sessionId={detail.id} />
        {work && work.otherCalls.length > 0 && <ToolCalls calls={work.otherCalls} sessionId={detail.id} />}
      </section>
      <Results detail={detail} planning={planning} reload={reload} />
    </div>
  );
}

interface HeadProps {detail: SessionDetail; tasks: Task[]; execution: LiveRun | null; planning: LiveRun | null; reload(): void}

function PlanHead({detail, tasks, execution, planning, reload}: HeadProps) {
  // The run that was asked for here, until it is seen: the button is not to be pressed twice.
  const [asked, setAsked] = useState('');
  useEffect(() => { if (execution && sameId(execution.runId, asked)) setAsked(''); }, [execution, asked]);
  const done = tasks.filter((task) => task.status === 'done').length;
  const failed = tasks.filter((task) => task.status === 'failed').length;
  const pending = tasks.some((task) => task.status === 'pending');
  const running = detail.activeRunId !== null && execution !== null && !isOver(execution.view.status);
  const execute = async () => {
    setAsked('…');
    try {
      setAsked((await beginRun({session_id: detail.id, way: 'execute'})).run_id);
    } catch (error) {
      setAsked('');
      toastError(error);
    }
    reload();
  };
  return (
    <header class="plan-head">
      <a class="tasks-back" href={href('tasks')}>All plans</a>
      <div class="row wrap">
        <h2 class="grow">Plan</h2>
        {running && <StatusBadge status={execution.view.status} />}
        {running && <Duration since={execution.view.queuedAt ?? undefined} />}
        {running
          ? <button type="button" class="button small danger" onClick={() => void interruptRun(detail.id, execution.runId).catch(toastError)}>Stop</button>
          : <button type="button" class="button primary" disabled={!pending || asked !== '' || planning !== null} onClick={() => void execute()}>
              {asked !== '' ? 'Starting…' : 'Execute'}
            </button>}
        {execution && <a class="button small quiet" href={href('run', spelled('run', execution.runId))}>Log</a>}
      </div>
      {tasks.length > 0 && (
        <div class="plan-progress">
          <progress max={tasks.length} value={done + failed} aria-label="Tasks that are over" />
          <span class="number" role="status">{done} of {tasks.length} done{failed > 0 && `, ${failed} failed`}</span>
        </div>
      )}
    </header>
  );
}

const TABS = ['goal', 'artifacts', 'data'] as const;
type Tab = (typeof TABS)[number];

function Results({detail, planning, reload}: {detail: SessionDetail; planning: LiveRun | null; reload(): void}) {
  const asked = route.value.query.get('tab') as Tab;
  const tab = TABS.includes(asked) ? asked : 'goal';
  const words: Record<Tab, string> = {goal: 'Goal', artifacts: `Artifacts (${detail.artifacts.length})`, data: `Data (${detail.dataItems.length})`};
  const open = (name: Tab) => replace(`${href('tasks', route.value.id)}?tab=${name}`);
  const onKey = (event: KeyboardEvent) => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!by) return;
    const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length]!;
    open(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <section class="task-results" aria-label="Goal and results">
      <div class="task-tabs" role="tablist" aria-label="Goal and results" onKeyDown={onKey}>
        {TABS.map((name) => (
          <button type="button" key={name} id={`tab-${name}`} role="tab" aria-selected={tab === name} aria-controls="tab-panel"
            tabIndex={tab === name ? 0 : -1} onClick={() => open(name)}>{words[name]}</button>
        ))}
      </div>
      <div class="task-tab-panel" id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {tab === 'goal' && <GoalChat detail={detail} planning={planning} reload={reload} />}
        {tab === 'artifacts' && <Artifacts detail={detail} />}
        {tab === 'data' && <DataItems items={detail.dataItems} />}
      </div>
    </section>
  );
}
