// Tasks: a goal becomes a plan, the plan is executed, and what it leaves can be read.
import {route} from '../../router';
import {NewGoal} from './new_goal';
import {SessionList} from './session_list';
import {SessionView} from './session_view';
import './tasks.css';

export default function Tasks() {
  const id = route.value.id;
  return (
    <div class={`tasks-panel${id ? ' with-session' : ''}`}>
      <SessionList selected={id} />
      <div class="tasks-main">{id ? <SessionView key={id} sessionId={id} /> : <NewGoal />}</div>
    </div>
  );
}
