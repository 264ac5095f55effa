// The plan: each task with its state, what its execution does right now, and what came of it.
import {useEffect, useRef} from 'preact/hooks';
import type {Task} from '../../api/types';
import {plural} from '../../ui/format';
import {StatusBadge} from '../../ui/parts';
import {VisibleText} from '../../ui/hidden_chars';
import type {Execution, TaskWork} from './execution';
import {ToolCalls} from './tool_calls';

export function TaskList({tasks, execution, sessionId}: {tasks: Task[]; execution: Execution | null; sessionId: string}) {
  const list = useRef<HTMLOListElement>(null);
  const current = tasks.find((task) => task.status === 'in_progress')?.id;
  // The eye follows the execution from task to task, and is left alone in between.
  useEffect(() => { if (current) list.current?.querySelector('[aria-current]')?.scrollIntoView({block: 'nearest'}); }, [current]);
  return (
    <ol class="tasks-list" ref={list}>
      {tasks.map((task) => (
        <li key={task.id} class={`task task-${task.status}`} aria-current={task.status === 'in_progress' ? 'step' : undefined}>
          <TaskCard task={task} work={execution?.tasks.get(task.id)} sessionId={sessionId} />
        </li>
      ))}
    </ol>
  );
}

function TaskCard({task, work, sessionId}: {task: Task; work: TaskWork | undefined; sessionId: string}) {
  const running = task.status === 'in_progress';
  return (
    <>
      <div class="task-head">
        <h3><VisibleText text={task.title} /></h3>
        <StatusBadge status={task.status} />
      </div>
      <p class="task-description"><VisibleText text={task.description} /></p>
      {running && work && work.calls.length > 0 && <ToolCalls calls={work.calls} sessionId={sessionId} />}
      {!running && work && work.calls.length > 0 && (
        <details class="task-calls">
          <summary>{plural(work.calls.length, 'tool call')}{made(work)}</summary>
          <ToolCalls calls={work.calls} sessionId={sessionId} />
        </details>
      )}
      {task.result && <p class="task-result"><b>{task.status === 'failed' ? 'Failed' : 'Result'}</b> <VisibleText text={task.result} /></p>}
      {task.reflection && <p class="task-reflection"><b>Reflection</b> <VisibleText text={task.reflection} /></p>}
    </>
  );
}

function made({artifacts, items}: TaskWork): string {
  return (artifacts ? `, ${plural(artifacts, 'artifact')}` : '') + (items ? `, ${plural(items, 'change')} of data` : '');
}
