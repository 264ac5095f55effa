// What a run does for the tasks of its session: the calls that each task made, and what it left.
import type {Task} from '../../api/types';
import {isOver} from '../../api/types';
import type {RunView} from '../../run/fold';
import type {CallItem, TaskItem} from '../../run/view';

export interface TaskWork {task: TaskItem; calls: CallItem[]; artifacts: number; items: number}
export interface Execution {tasks: Map<string, TaskWork>; otherCalls: CallItem[]}

// The engine's own tools: what they do shows as tasks and answers.
export const ENGINE_TOOLS = new Set(['set_tasks', 'fail_task', 'final_answer']);

// An execution is told nothing: its orders are the tasks.
export const isExecution = (view: RunView): boolean => view.contract === 'tasks' && view.asked === '';

export function executionOf(view: RunView): Execution {
  const tasks = new Map<string, TaskWork>();
  const otherCalls: CallItem[] = [];
  let current: TaskWork | undefined;
  for (const item of view.items) {
    if (item.kind === 'task') tasks.set(item.taskId, current = {task: item, calls: [], artifacts: 0, items: 0});
    else if (item.kind === 'call' && !ENGINE_TOOLS.has(item.name)) (current?.calls ?? otherCalls).push(item);
    else if (item.kind === 'artifact' && current) current.artifacts++;
    else if (item.kind === 'data' && current) current.items++;
  }
  return {tasks, otherCalls};
}

// A task as it is now: the log of the execution is ahead of what was stored when the session was read.
export function taskNow(task: Task, work: TaskWork | undefined, view: RunView | undefined): Task {
  if (!work || !view) return task;
  const unfinished = isOver(view.status) && work.task.status !== 'done' && work.task.status !== 'failed';
  // A run that was stopped has nothing in hand, even if the session was read while it had.
  const status = !unfinished ? work.task.status : task.status === 'in_progress' ? 'pending' : task.status;
  return {...task, status, result: work.task.error || work.task.result || task.result, reflection: work.task.reflection || task.reflection};
}
