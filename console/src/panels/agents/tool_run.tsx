// What came of a call: the question, if the tool asks one, then the result.
import {spelled} from '../../api/ids';
import {isOver, type RunBegun} from '../../api/types';
import {href} from '../../router';
import type {CallItem, CallPhase} from '../../run/view';
import {TextBlock} from '../../ui/call_arguments';
import {parseExact, printExact} from '../../ui/exact_json';
import {duration} from '../../ui/format';
import {ErrorBox, Spinner} from '../../ui/parts';
import {visible} from '../../ui/hidden_chars';
import {InlineApproval} from '../approvals/inline_approval';
import {useLiveRun} from '../tasks/use_live_run';

const WORDS: Record<CallPhase, string> = {
  writing: 'The call is made.', ready: 'The call is made.', asking: 'A person is asked.', allowed: 'It was allowed.', running: 'The tool runs.',
  done: 'It worked.', failed: 'It failed', refused: 'It was not run', abandoned: 'It was given up',
};

export function ToolRun({run}: {run: RunBegun}) {
  const view = useLiveRun(run.run_id)?.view;
  const call = view?.items.find((item): item is CallItem => item.kind === 'call');
  const over = call ? call.endedAt !== null : view !== undefined && isOver(view.status);
  const answer = view?.items.findLast((item) => item.kind === 'text');
  const why = call?.outcome || call?.approval?.reason;
  return (
    <section class="tool-run" aria-label="Result">
      <p class="row wrap" role="status">
        {!over && <Spinner label="" />}
        <b class={call ? `tool-run-${call.phase}` : ''}>{call ? WORDS[call.phase] : over ? 'No call was made.' : 'Sent.'}{why && `: ${visible(why)}`}</b>
        {call && call.endedAt !== null && <span class="faint number">{duration(call.endedAt - (call.startedAt ?? call.at))}</span>}
        <span class="grow" />
        <a href={href('run', run.run_id)}>Log</a>
      </p>
      {call?.phase === 'asking' && <InlineApproval approvalId={spelled('appr', call.approval!.id)} sessionId={run.session_id} tool={call.name} />}
      {call && call.result !== '' && <TextBlock text={pretty(call.result)} label="Result" />}
      {over && !call && answer?.kind === 'text' && <TextBlock text={answer.text} label="Answer" />}
      {view?.failure && <ErrorBox error={view.failure.message} />}
    </section>
  );
}

// A result that is JSON is easier to read over several lines.
function pretty(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return printExact(parseExact(text));
  } catch {
    return text;
  }
}
