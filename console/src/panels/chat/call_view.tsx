// A tool call: its arguments as they are written, the question whether it may run, and what came of it. It unfolds by itself while there is
// something to look at or to decide, and folds when it is done; a reader who folds or unfolds it decides from then on.
import {useState} from 'preact/hooks';
import {CallArgumentsText} from '../../ui/call_arguments';
import {count} from '../../ui/format';
import {Duration, Icon, StatusBadge} from '../../ui/parts';
import {visible, VisibleText} from '../../ui/hidden_chars';
import type {CallItem, CallPhase} from '../../run/view';
import {Question} from './question';

const words: Record<CallPhase, string> = {
  writing: 'is being written', ready: 'is ready', asking: 'asks for permission', allowed: 'was allowed', running: 'runs', done: 'done',
  failed: 'failed', refused: 'was refused', abandoned: 'was not completed',
};
const byCode = 'called by the code';
const badges: Partial<Record<CallPhase, string>> = {asking: 'waiting_approval', running: 'running', failed: 'failed'};
const lookedAt: CallPhase[] = ['writing', 'ready', 'asking', 'allowed', 'running', 'failed'];
const summaryMax = 60;
const resultMax = 4000;

export function CallView({call, sessionId}: {call: CallItem; sessionId: string}) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? lookedAt.includes(call.phase);
  const badge = badges[call.phase];
  return (
    <section class={`call call-${call.phase}`} aria-label={`Tool ${call.name}`}>
      <button type="button" class="call-head" aria-expanded={open} onClick={() => setChosen(!open)}>
        <Icon path={open ? 'M6 9l6 6 6-6' : 'M9 6l6 6-6 6'} size={16} />
        <code class="call-name">{visible(call.name)}</code>
        <span class="call-summary cut">{open ? '' : summary(call.args)}</span>
        {badge ? <StatusBadge status={badge} /> : <span class="call-word">{call.byCode && call.phase === 'done' ? byCode : words[call.phase]}</span>}
        {call.phase === 'running' && call.startedAt !== null && <Duration since={call.startedAt} />}
        {call.endedAt !== null && call.startedAt !== null && <Duration ms={call.endedAt - call.startedAt} />}
      </button>
      {open && <CallBody call={call} sessionId={sessionId} />}
    </section>
  );
}

function CallBody({call, sessionId}: {call: CallItem; sessionId: string}) {
  return (
    <div class="call-body">
      {call.phase === 'writing'
        ? <pre class="result-text call-writing"><VisibleText text={call.args} /></pre>
        : <CallArgumentsText tool={call.name} json={call.args} />}
      {call.phase === 'asking' && call.approval && !call.approval.byPolicy && (
        <Question approval={call.approval} tool={call.name} sessionId={sessionId} />
      )}
      <Verdict call={call} />
      {call.phase === 'abandoned' && call.outcome !== '' && <p class="faint">{visible(call.outcome)}</p>}
      {call.result !== '' && <Result call={call} />}
    </div>
  );
}

function Verdict({call}: {call: CallItem}) {
  const approval = call.approval;
  if (!approval || approval.verdict === 'asked') return null;
  if (approval.verdict === 'approved') {
    return <p class="call-verdict good">{approval.always ? 'Allowed, and from now on in this session.' : 'Allowed.'}</p>;
  }
  if (approval.byPolicy) return <p class="call-verdict bad">The rules of the agent forbid this tool. Nobody was asked.</p>;
  return <p class="call-verdict bad">{reasons[approval.reason] ?? `Rejected: ${visible(approval.reason)}`}</p>;
}

const reasons: Record<string, string> = {
  user_rejected: 'Rejected.', timeout: 'Nobody decided in time.', interrupted: 'The run ended before anybody decided.',
};

function Result({call}: {call: CallItem}) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && call.result.length > resultMax;
  return (
    <div>
      <div class="call-label">{call.phase === 'failed' ? `Failed: ${call.outcome}` : 'Result'}</div>
      <pre class="result-text" tabIndex={0} role="group" aria-label={`Result of ${call.name}`}>
        <VisibleText text={cut ? call.result.slice(0, resultMax) : pretty(call.result)} />
      </pre>
      {cut && (
        <button type="button" class="button small quiet" onClick={() => setWhole(true)}>Show all {count(call.result.length)} characters</button>
      )}
    </div>
  );
}

// Text that is a JSON object or list is easier to read with its lines; the values stay as they are spelled.
function pretty(text: string): string {
  if (!/^\s*[[{]/.test(text) || text.includes('\n') || /\d{16}/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// The short values of the arguments, which mostly say it all: a path, a query, a number.
function summary(args: string): string {
  let values: unknown[] = [];
  try {
    values = Object.values(JSON.parse(args) as Record<string, unknown>);
  } catch {
    // Still being written, or no JSON: then there is nothing to sum up.
  }
  const short = values.filter((value) => value !== null && typeof value !== 'object').map(String).filter((value) => value.length <= summaryMax);
  return visible(short.join(', ').slice(0, 2 * summaryMax));
}
