// The tool calls of a task, each with its arguments and its result to unfold.
import {spelled} from '../../api/ids';
import type {CallItem, CallPhase} from '../../run/view';
import {CallArgumentsText, TextBlock} from '../../ui/call_arguments';
import {duration} from '../../ui/format';
import {visible} from '../../ui/hidden_chars';
import {InlineApproval} from '../approvals/inline_approval';

const WORDS: Record<CallPhase, string> = {
  writing: 'being written', ready: 'ready', asking: 'waits for approval', allowed: 'allowed', running: 'running', done: 'ok', failed: 'failed',
  refused: 'not run', abandoned: 'given up',
};

export function ToolCalls({calls, sessionId}: {calls: CallItem[]; sessionId: string}) {
  return <ul class="task-call-list">{calls.map((call) => <li key={call.callId}><Call call={call} sessionId={sessionId} /></li>)}</ul>;
}

function Call({call, sessionId}: {call: CallItem; sessionId: string}) {
  const name = visible(call.name);
  const asking = call.phase === 'asking' && call.approval !== null && !call.approval.byPolicy;
  return (
    <details class={`task-call task-call-${call.phase}`} open={asking || undefined}>
      <summary>
        <code>{name}</code>
        <span class="task-call-phase">{call.outcome || WORDS[call.phase]}</span>
        {call.endedAt !== null && <span class="faint number">{duration(call.endedAt - (call.startedAt ?? call.at))}</span>}
      </summary>
      <CallArgumentsText tool={call.name} json={call.args} />
      {asking && <InlineApproval approvalId={spelled('appr', call.approval!.id)} sessionId={spelled('sess', sessionId)} tool={call.name} />}
      {call.phase === 'refused' && <p class="faint">Not run: {visible(call.approval?.reason ?? '')}</p>}
      {call.result !== '' && <TextBlock text={call.result} label={`Result of ${name}`} />}
    </details>
  );
}
