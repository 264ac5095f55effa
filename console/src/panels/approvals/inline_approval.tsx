// The question about one call, where the call is shown. No keys here: they belong to the inbox, where it is clear what they mean.
import {useState} from 'preact/hooks';
import {decide, type Decision, type Question} from './decide';
import './inline_approval.css';

export function InlineApproval(question: Question) {
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(false);
  const answer = async (decision: Decision) => {
    setBusy(true);
    setDone(await decide(question, decision));
    setBusy(false);
  };
  if (done) return <p class="inline-approval muted" role="status">Decided.</p>;
  return (
    <div class="inline-approval" role="group" aria-label={`May ${question.tool} run?`}>
      <span class="inline-approval-text">This tool changes something. May it run?</span>
      <button type="button" class="button small primary" disabled={busy} onClick={() => void answer('once')}>Allow once</button>
      <button type="button" class="button small" disabled={busy} onClick={() => void answer('always')}>Always</button>
      <button type="button" class="button small danger" disabled={busy} onClick={() => void answer('reject')}>Reject</button>
    </div>
  );
}
