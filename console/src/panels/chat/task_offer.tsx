import {href} from '../../router';
import {plural} from '../../ui/format';

// After planning: the tasks wait to be worked through.
export function TaskOffer({count, session, begin, disabled}: {count: number; session: string; begin: () => void; disabled: boolean}) {
  return (
    <div class="task-offer">
      <span class="grow">{plural(count, 'task')} {count === 1 ? 'waits' : 'wait'} to be worked on.</span>
      <a class="button small quiet" href={href('tasks', session)}>Open in Tasks</a>
      <button type="button" class="button small primary" disabled={disabled} onClick={begin}>Work on them</button>
    </div>
  );
}
