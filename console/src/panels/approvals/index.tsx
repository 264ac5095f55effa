// The approvals inbox: everything that waits for a person, oldest first, decided by a click or by a key.
import {useEffect, useRef, useState} from 'preact/hooks';
import {me} from '../../api/http';
import {everybody, pendingApprovals, pendingError, readPending, showEverybody, type PendingApproval} from '../../pending_approvals';
import {useNow} from '../../ui/clock';
import {Empty, ErrorBox, Spinner} from '../../ui/parts';
import {toast} from '../../ui/toast';
import {ApprovalCard} from './approval_card';
import {decide, type Decision} from './decide';
import {readFacts} from './facts';
import {useKeys} from './keys';
import {useSelection, useSettled} from './selection';
import './approvals.css';

const NONE: PendingApproval[] = [];

export default function Approvals() {
  const loaded = pendingApprovals.value !== null;
  const list = pendingApprovals.value ?? NONE;
  const now = useNow();
  const [selected, select] = useSelection(list);
  const settled = useSettled(list);
  const armed = useRef<string | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const [reasonFor, setReasonFor] = useState<string | null>(null);
  useEffect(() => void readFacts(list), [list]);
  useFocusFollows(selected);

  const answer = async (approval: PendingApproval, decision: Decision, reason?: string) => {
    if (busy) return;
    setBusy(approval.approvalId);
    if (await decide(approval, decision, reason)) setReasonFor(null);
    setBusy(null);
  };
  useKeys({
    move: (by) => {
      const next = list[list.findIndex((one) => one.approvalId === selected) + by];
      if (next) select(next.approvalId);
    },
    decide: (decision) => {
      const approval = list.find((one) => one.approvalId === selected);
      if (approval && armed.current === approval.approvalId) void answer(approval, decision);
    },
    askReason: () => { if (armed.current === selected) setReasonFor(selected); },
  });

  return (
    <div class="approvals">
      <header class="approvals-head">
        <h1>Approvals</h1>
        <p role="status" class="muted">{loaded && (list.length === 0 ? 'nothing waits' : `${list.length} waiting`)}</p>
        {me.value?.role === 'admin' && (
          <label class="approvals-scope">
            <input type="checkbox" checked={everybody.value} onChange={(event) => showEverybody(event.currentTarget.checked)} />
            of all users
          </label>
        )}
      </header>
      <ErrorBox error={pendingError.value} retry={() => void readPending()} />
      {!loaded && !pendingError.value && <Spinner />}
      {loaded && list.length === 0 && (
        <Empty title="Nothing waits for you">When an agent wants to use a tool that changes something, its question comes here.</Empty>
      )}
      {list.length > 0 && (
        <p class="approvals-keys">
          <span><kbd>A</kbd> allow once</span><span><kbd>Shift</kbd> <kbd>A</kbd> always</span><span><kbd>R</kbd> reject</span>
          <span><kbd>Shift</kbd> <kbd>R</kbd> with a reason</span><span><kbd>j</kbd> <kbd>k</kbd> move</span>
        </p>
      )}
      <ul class="approval-list">
        {list.map((approval) => (
          <li key={approval.approvalId}>
            <ApprovalCard approval={approval} now={now} selected={approval.approvalId === selected} busy={busy === approval.approvalId}
              asksReason={reasonFor === approval.approvalId}
              onSelect={() => select(approval.approvalId)}
              onArmed={(on) => { armed.current = on ? approval.approvalId : null; }}
              onDecide={(decision, reason) => {
                if (settled(approval.approvalId)) void answer(approval, decision, reason);
                else toast('The list has just moved: nothing was decided.');
              }}
              onAskReason={(ask) => {
                setReasonFor(ask ? approval.approvalId : null);
                if (!ask) document.getElementById(approval.approvalId)?.focus();
              }} />
          </li>
        ))}
      </ul>
    </div>
  );
}

// The focus goes with the selection while it is in the list or, after a card has gone, nowhere.
function useFocusFollows(selected: string | null): void {
  const first = useRef(true);
  useEffect(() => {
    if (!selected) return;
    const held = document.activeElement;
    const card = document.getElementById(selected);
    if (!card || card.contains(held)) return;
    if (!held || held === document.body || held.closest('.approval-list')) {
      card.focus({preventScroll: true});
      if (!first.current) card.scrollIntoView({block: 'nearest'});
    }
    first.current = false;
  }, [selected]);
}
