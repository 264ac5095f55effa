// The run timeline: the log of a run itself, live.
import {useEffect, useState} from 'preact/hooks';
import {route} from '../../router';
import {count} from '../../ui/format';
import {Empty, ErrorBox, Spinner} from '../../ui/parts';
import {RunChooser} from '../runs/run_chooser';
import {EventList, listKey} from './event_list';
import {Filters} from './filters';
import {Inspector} from './inspector';
import {Overview} from './overview';
import {ReplayBar} from './replay_bar';
import {RunHeader} from './run_header';
import {TimelineStore} from './store';
import './timeline.css';

export default function Timeline() {
  const {id, query} = route.value;
  const event = Number(query.get('event') ?? 0);
  if (id) return <RunTimeline key={`${id} ${event}`} runId={id} sequence={event} />;
  return (
    <div class="page">
      <h1>Run timeline</h1>
      <p class="faint">The log of a run itself: every event, when it came, what was in it. Choose a run.</p>
      <RunChooser panel="run" />
    </div>
  );
}

function RunTimeline({runId, sequence}: {runId: string; sequence: number}) {
  const [store] = useState(() => new TimelineStore(runId, sequence));
  useEffect(() => () => store.close(), [store]);
  useKeys(store);
  const refused = store.refused.value;
  const head = store.head.value;
  if (refused) return <div class="timeline"><ErrorBox error={refused.status === 410 ? 'The events of this run are past their retention.' : refused.error} /></div>;
  return (
    <div class="timeline">
      <h1 class="visually-hidden">Run timeline</h1>
      <RunHeader head={head} runId={runId} here="run">
        <button type="button" class="button small" disabled={head.beganAt === 0} onClick={() => download(store)}>Download</button>
      </RunHeader>
      <Filters store={store} />
      <ReplayBar store={store} />
      <Overview store={store} />
      <div class="timeline-body">
        <div class="timeline-list">
          <div class="event-columns" aria-hidden="true"><span>#</span><span>time, s</span><span>gap</span><span>event</span><span /></div>
          <EventList store={store} />
          <Foot store={store} />
        </div>
        <Inspector store={store} />
      </div>
    </div>
  );
}

function Foot({store}: {store: TimelineStore}) {
  void store.version.value;
  const {rows, events} = store.rows;
  const nothing = events.length === 0 ? <Spinner label="Reading the log" /> : rows.length === 0 && store.rows.settled && <Empty title="No event is like that" />;
  return (
    <>
      {nothing && <div class="timeline-nothing">{nothing}</div>}
      <div class="timeline-foot">
        <span class="number">{count(events.length)} events{rows.length !== events.length && `, ${count(rows.length)} rows`}</span>
        {store.live && !store.following.value && events.length > 0 && (
          <button type="button" class="button small" onClick={() => { store.following.value = true; }}>Follow ↓</button>
        )}
      </div>
    </>
  );
}

// j, k and / work wherever the focus is, as long as nobody is writing.
function useKeys(store: TimelineStore): void {
  useEffect(() => {
    const onKey = (key: KeyboardEvent) => {
      const at = key.target as HTMLElement;
      if (key.defaultPrevented || key.ctrlKey || key.metaKey || key.altKey || at.closest('input, textarea, select, dialog')) return;
      if (key.key === '/') document.getElementById('timeline-find')?.focus();
      else if (!['j', 'k', 'Escape'].includes(key.key) || !listKey(key, store)) return;
      key.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [store]);
}

// The log as JSON lines. What the page has of a run that goes on is what the file has.
function download(store: TimelineStore): void {
  const pieces: string[] = [];
  for (const event of store.all) pieces.push(JSON.stringify(event), '\n');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(pieces, {type: 'application/jsonl'}));
  link.download = `${store.runId}.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
