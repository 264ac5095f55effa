// May this call run? Asked where the call is shown.
import {useState} from 'preact/hooks';
import type {Approval} from '../../run/view';
import {Time} from '../../ui/parts';
import {visible} from '../../ui/hidden_chars';
import {decide, type Decision} from '../approvals/decide';

export function Question({approval, tool, sessionId}: {approval: Approval; tool: string; sessionId: string}) {
  const [busy, setBusy] = useState(false);
  const [rejecting, setRejecting] = useState(false);
  const answer = async (decision: Decision, reason = '') => {
    setBusy(true);
    await decide({approvalId: approval.id, sessionId, tool}, decision, reason);
    setBusy(false);
  };
  if (rejecting) return <Rejection busy={busy} reject={(reason) => void answer('reject', reason)} back={() => setRejecting(false)} />;
  return (
    <div class="question" role="group" aria-label={`May ${tool} run?`}>
      <span class="grow">May <code>{visible(tool)}</code> run with these arguments?</span>
      <button type="button" class="button small primary" disabled={busy} onClick={() => void answer('once')}>Allow once</button>
      <button type="button" class="button small" disabled={busy} onClick={() => void answer('always')}>Always in this session</button>
      <button type="button" class="button small danger" disabled={busy} onClick={() => setRejecting(true)}>Reject</button>
      {approval.expiresAt !== null && <span class="faint question-until">Refused by itself at <Time at={approval.expiresAt} exact /></span>}
    </div>
  );
}

function Rejection({busy, reject, back}: {busy: boolean; reject: (reason: string) => void; back: () => void}) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    reject(String(new FormData(event.target as HTMLFormElement).get('reason') ?? ''));
  };
  return (
    <form class="question" onSubmit={submit} onKeyDown={(event) => { if (event.key === 'Escape') back(); }}>
      <input class="input grow" name="reason" placeholder="Why not? The agent reads this (optional)" aria-label="Reason" autofocus maxLength={1000} />
      <button type="submit" class="button small danger" disabled={busy}>Reject</button>
      <button type="button" class="button small quiet" onClick={back}>Back</button>
    </form>
  );
}
