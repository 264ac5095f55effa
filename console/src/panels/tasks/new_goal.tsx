// The beginning: no session is chosen yet. The first goal makes one.
import {go, href} from '../../router';
import {GoalForm} from './goal_form';

const EXAMPLES = ['Research three note-taking apps and write a comparison', 'Plan a team offsite for twelve people', 'Write a launch checklist for a small web shop'];

export function NewGoal() {
  return (
    <div class="new-goal">
      <h2>What is to be done?</h2>
      <p class="faint">Say the goal. The planner makes a list of tasks; you read it, change it by talking, and have it executed.</p>
      <GoalForm examples={EXAMPLES} onBegun={(run) => go(href('tasks', run.session_id))} autofocus />
    </div>
  );
}
