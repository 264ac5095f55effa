// Five ways: one run side by side in every contract, frame by frame as on the wire.
import {useEffect, useState} from 'preact/hooks';
import {contracts, curlOf, type Contract} from '../../api/curl';
import {spelled} from '../../api/ids';
import {isTyping} from '../../keys';
import {route} from '../../router';
import {count} from '../../ui/format';
import {CopyButton, ErrorBox, Spinner} from '../../ui/parts';
import {InlineApproval} from '../approvals/inline_approval';
import {RunHeader} from '../timeline/run_header';
import {Origin} from './origin';
import {Start} from './start';
import {WaysStore} from './store';
import {gridKey, WayGrid} from './way_grid';
import './five_ways.css';
import './way_grid.css';

export default function FiveWays() {
  const {id, query} = route.value;
  const event = Number(query.get('event') ?? 0);
  return id ? <Ways key={`${id} ${event}`} runId={id} sequence={event} /> : <Start />;
}

function Ways({runId, sequence}: {runId: string; sequence: number}) {
  const [store] = useState(() => new WaysStore(runId, sequence));
  const [shown, setShown] = useState<Contract>('runs');
  useEffect(() => () => store.close(), [store]);
  useKeys(store);
  if (store.refused.value !== null) return <div class="page"><ErrorBox error={store.refused.value} /></div>;
  const {pending, sessionId} = store.head.value;
  return (
    <div class="ways">
      <div class="ways-title">
        <h1>One run, told five ways</h1>
        <p>Each row is one event of the run’s log. Each column is what a client of that contract receives for it: the real bytes, as they are sent.</p>
      </div>
      <RunHeader head={store.head.value} runId={runId} here="ways">
        <CopyButton label="curl of all five" text={curlOf(runId, 'all')} />
      </RunHeader>
      {pending.map((input) => (
        <div key={input.inputId} class="ways-question">
          <span class="cut"><strong>The run waits:</strong> <code>{input.tool} {input.argsJson}</code></span>
          <InlineApproval approvalId={spelled('appr', input.inputId)} sessionId={sessionId} tool={input.tool} />
        </div>
      ))}
      <div class="ways-tabs" role="tablist" aria-label="Contract">
        {contracts.map((contract) => (
          <button key={contract} type="button" role="tab" class={`contract-${contract}`} aria-selected={contract === shown}
            onClick={() => setShown(contract)}>{contract}</button>
        ))}
      </div>
      <WayGrid store={store} shown={shown} />
      <Foot store={store} />
      <Origin store={store} />
    </div>
  );
}

function Foot({store}: {store: WaysStore}) {
  void store.version.value;
  const {events} = store.rows;
  return (
    <div class="ways-foot">
      {events.length === 0 ? <Spinner label="Reading the run" /> : <span class="number">{count(events.length)} events</span>}
      <label class="check"><input type="checkbox" checked={store.fold.value} onChange={(box) => store.setFold(box.currentTarget.checked)} /> Fold the pieces of a text</label>
      <span class="ways-legend"><i aria-hidden="true" /> says nothing about this event</span>
      {store.live && !store.following.value && events.length > 0 && (
        <button type="button" class="button small" onClick={() => { store.following.value = true; }}>Follow ↓</button>
      )}
    </div>
  );
}

// j and k work wherever the focus is, as long as nobody is writing.
function useKeys(store: WaysStore): void {
  useEffect(() => {
    const onKey = (key: KeyboardEvent) => {
      if (key.defaultPrevented || isTyping(key.target) || document.querySelector('dialog[open]')) return;
      if (['j', 'k', 'Escape'].includes(key.key) && gridKey(key, store)) key.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [store]);
}
