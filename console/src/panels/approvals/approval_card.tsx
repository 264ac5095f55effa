// One question: who asks, what will run, how long it waits, and the four answers.
import {useEffect, useRef, useState} from 'preact/hooks';
import {scopeAll, type PendingApproval} from '../../pending_approvals';
import {href} from '../../router';
import {CallArguments} from '../../ui/call_arguments';
import {span} from '../../ui/clock';
import {visible} from '../../ui/hidden_chars';
import type {Decision} from './decide';
import {expiries, runFacts, type RunFacts} from './facts';
import {useArmed} from './selection';

export interface CardProps {
  approval: PendingApproval;
  selected: boolean;
  busy: boolean;
  asksReason: boolean;
  now: number;
  onSelect(): void;
  onArmed(armed: boolean): void;
  onDecide(decision: Decision, reason?: string): void;
  onAskReason(ask: boolean): void;
}

export function ApprovalCard(props: CardProps) {
  const {approval, selected, busy, asksReason} = props;
  const card = useRef<HTMLElement>(null);
  const armed = useArmed(card, selected);
  useEffect(() => { if (selected) props.onArmed(armed); }, [armed, selected]);
  const agent = runFacts.value.get(approval.runId)?.agent;
  return (
    <article ref={card} class={`approval${selected ? ' selected' : ''}${armed ? ' armed' : ''}`} id={approval.approvalId}
      tabIndex={selected ? 0 : -1} aria-current={selected ? 'true' : undefined} aria-busy={busy}
      aria-label={`${visible(approval.tool)}${agent ? `, asked by ${agent}` : ''}`}
      onFocusIn={props.onSelect} onPointerDown={props.onSelect}>
      <Heading {...props} />
      <CallArguments tool={approval.tool} args={approval.args} />
      {asksReason ? <ReasonForm {...props} /> : <Answers {...props} />}
    </article>
  );
}

function Heading({approval, now}: CardProps) {
  const facts = runFacts.value.get(approval.runId);
  const expires = expiries.value.get(approval.approvalId);
  const left = expires ? expires - now : undefined;
  return (
    <header>
      <h2><code>{visible(approval.tool)}</code></h2>
      <p class="approval-who">
        {facts && <Asker facts={facts} />}
        <a href={href('chat', approval.sessionId)}>{facts ? sessionWords(facts) : 'its session'}</a>
        {facts && scopeAll() && <> of <b>{visible(facts.user_id)}</b></>}
        {' · '}<a href={href('run', approval.runId)}>log</a>
      </p>
      <p class="approval-times">
        <time dateTime={new Date(approval.createdAt).toISOString()} title={new Date(approval.createdAt).toLocaleString()}>
          waits {span(now - approval.createdAt)}
        </time>
        {left !== undefined && (
          <time dateTime={new Date(expires!).toISOString()} title={new Date(expires!).toLocaleString()} class={left < 60_000 ? 'soon' : ''}>
            {left > 0 ? `times out in ${span(left)}` : 'timed out'}
          </time>
        )}
        {expires === 0 && <span>never times out</span>}
      </p>
    </header>
  );
}

// A call that somebody tries through the form of the agents panel is no wish of the agent.
const isTrial = ({agent}: RunFacts) => agent.startsWith('try:');

function Asker({facts}: {facts: RunFacts}) {
  const agent = facts.agent.replace(/^try:/, '');
  return <>{isTrial(facts) ? 'tried with' : 'asked by'} <a href={href('agents', agent)}>{agent}</a> in </>;
}

const WORDS_MAX = 80;

function sessionWords(facts: RunFacts): string {
  if (isTrial(facts)) return 'its session';
  const {session_title: title, text} = facts;
  const words = visible(title && title !== 'New Session' ? title : text) || 'a session';
  return words.length > WORDS_MAX ? `${words.slice(0, WORDS_MAX)}…` : words;
}

function Answers({busy, onDecide, onAskReason}: CardProps) {
  return (
    <footer>
      <button type="button" class="button primary" disabled={busy} onClick={() => onDecide('once')} aria-keyshortcuts="A">
        Allow once
      </button>
      <button type="button" class="button" disabled={busy} onClick={() => onDecide('always')} aria-keyshortcuts="Shift+A"
        title="This tool, in this session, from now on">
        Always
      </button>
      <span class="grow" />
      <button type="button" class="button danger" disabled={busy} onClick={() => onDecide('reject')} aria-keyshortcuts="R">
        Reject
      </button>
      <button type="button" class="button quiet" disabled={busy} onClick={() => onAskReason(true)} aria-keyshortcuts="Shift+R">
        with a reason…
      </button>
    </footer>
  );
}

function ReasonForm({approval, busy, onDecide, onAskReason}: CardProps) {
  const [reason, setReason] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const id = `reason-${approval.approvalId}`;
  return (
    <form class="reason" onSubmit={(event) => { event.preventDefault(); onDecide('reject', reason); }}
      onKeyDown={(event) => { if (event.key === 'Escape') { event.stopPropagation(); onAskReason(false); } }}>
      <label for={id}>Why not? The agent is told.</label>
      <input class="input" id={id} ref={input} value={reason} maxLength={500} onInput={(event) => setReason(event.currentTarget.value)}
        placeholder="Use another file" autoComplete="off" />
      <button type="submit" class="button danger" disabled={busy}>Reject</button>
      <button type="button" class="button quiet" onClick={() => onAskReason(false)}>Cancel</button>
    </form>
  );
}
