// The talk with the planner: what is stored, and behind it the answer that is being written.
import {useEffect, useRef} from 'preact/hooks';
import {isOver, type SessionDetail} from '../../api/types';
import {Markdown} from '../../ui/markdown';
import {ErrorBox} from '../../ui/parts';
import {VisibleText} from '../../ui/hidden_chars';
import {GoalForm} from './goal_form';
import type {LiveRun} from './use_live_run';

export function GoalChat({detail, planning, reload}: {detail: SessionDetail; planning: LiveRun | null; reload(): void}) {
  const end = useRef<HTMLDivElement>(null);
  const view = planning?.view;
  const last = detail.messages.at(-1);
  // The question is stored when its run begins, the answer when it is over: until then it comes from the log.
  const asked = view && view.asked !== '' && !(last?.role === 'user' && last.content === view.asked) ? view.asked : '';
  const text = view?.items.filter((item) => item.kind === 'text').map((item) => item.text).join('') ?? '';
  // The newest words stay in sight where the talk scrolls by itself; on a narrow screen it is part of the page, which stays put.
  useEffect(() => {
    const panel = end.current?.closest('.task-tab-panel');
    if (panel) panel.scrollTop = panel.scrollHeight;
  }, [detail.messages.length, text.length]);
  return (
    <div class="goal-chat">
      <div class="goal-messages">
        {detail.messages.map((message) => <Said key={message.id} role={message.role} text={message.content} />)}
        {asked && <Said role="user" text={asked} />}
        {view && <Said role="assistant" text={text || '…'} live={!isOver(view.status)} />}
        {view?.failure && <ErrorBox error={view.failure.message} />}
        <div ref={end} />
      </div>
      <GoalForm sessionId={detail.id} busy={detail.activeRunId !== null} onBegun={reload}
        placeholder={detail.messages.length > 0 ? 'Change the plan, or name another goal' : 'A goal'} />
    </div>
  );
}

function Said({role, text, live = false}: {role: string; text: string; live?: boolean}) {
  return (
    <div class={`goal-said goal-said-${role}`} aria-busy={live}>
      <span class="visually-hidden">{role === 'user' ? 'You' : 'Planner'}: </span>
      {role === 'assistant' ? <Markdown text={text} streaming={live} /> : <VisibleText text={text} />}
    </div>
  );
}
