// One run in the chat: what was asked, what happened, how it ended.
import type {VNode} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import {isOver, type RunStatus} from '../../api/types';
import {href} from '../../router';
import {useRun, type Watched} from '../../run/use_run';
import type {Item, RunView} from '../../run/view';
import {count} from '../../ui/format';
import {CopyButton, Duration, Spinner, StatusBadge, Time} from '../../ui/parts';
import {visible, VisibleText} from '../../ui/hidden_chars';
import {FileFacts} from './file_facts';
import {ItemView} from './items';
import type {RunRow} from './session_runs';

export interface RunNews {status: RunStatus; pendingTasks: number}

export function RunCard({row, kept, news}: {row: RunRow; kept: string | null; news: (runId: string, now: RunNews) => void}) {
  const watched = useRun(row.runId);
  const {view, caughtUp, refusal} = watched;
  const pendingTasks = view.tasks.filter((task) => task.status === 'pending').length;
  useEffect(() => {
    if (refusal) news(row.runId, {status: 'completed', pendingTasks: 0});
    else if (caughtUp) news(row.runId, {status: view.status, pendingTasks});
  }, [view.status, caughtUp, pendingTasks, refusal]);
  return (
    <article class="run" aria-label={`Run of ${row.agent}`}>
      <Asked view={view} row={row} />
      <div class="run-work">
        {refusal ? <Gone watched={watched} kept={kept} /> : <Work view={view} />}
        {!refusal && <Foot view={view} row={row} />}
      </div>
    </article>
  );
}

function Asked({view, row}: {view: RunView; row: RunRow}) {
  const text = view.asked || row.text;
  return (
    <div class="asked">
      <h3 class="visually-hidden">You</h3>
      {text.trim() !== '' ? <div class="asked-text"><VisibleText text={text} /></div> : <div class="asked-text asked-order">Work on the tasks</div>}
      {view.attachments.length > 0 && (
        <ul class="file-chips" aria-label="Attached files">
          {view.attachments.map((file, index) => <li key={index} class="file-chip"><FileFacts name={file.name} size={file.bytes} /></li>)}
        </ul>
      )}
    </div>
  );
}

// A run whose log is gone, after its retention or with its session: the messages of the session outlive it.
function Gone({watched, kept}: {watched: Watched; kept: string | null}) {
  return (
    <>
      {kept !== null && <div class="markdown"><VisibleText text={kept} /></div>}
      <p class="run-note">{watched.refusal!.status === 410 ? 'The log of this run is no longer kept.' : visible(watched.refusal!.error)}</p>
    </>
  );
}

function Work({view}: {view: RunView}) {
  // An item that did not change gives the same element, and Preact leaves it alone.
  const drawn = useRef(new WeakMap<Item, VNode>());
  const elements = view.items.filter(isShown).map((item) => {
    const known = drawn.current.get(item);
    if (known) return known;
    const element = <ItemView key={item.key} item={item} sessionId={view.sessionId} />;
    drawn.current.set(item, element);
    return element;
  });
  return (
    <>
      {elements}
      {view.failure && <div class="error-box"><div><strong>The run failed.</strong> {visible(view.failure.message)}</div></div>}
      {view.status === 'interrupted' && <p class="run-note run-note-warn">{endWords[view.endReason] ?? 'Stopped.'} What was said until then is kept.</p>}
      {!isOver(view.status) && <Pulse view={view} />}
    </>
  );
}

const endWords: Record<string, string> = {
  session_deleted: 'Stopped: the session was deleted.', server_restart: 'Stopped: the server was restarted.', client_gone: 'Stopped: its client went away.',
};

// The list that the planner sets is shown as tasks, not as a call.
const isShown = (item: Item): boolean => !(item.kind === 'call' && item.name === 'set_tasks' && item.phase !== 'failed');

// Something moves as long as nothing else does.
function Pulse({view}: {view: RunView}) {
  const last = view.items.at(-1);
  if (view.status === 'waiting_approval' || (last?.kind === 'text' && last.open && last.text !== '')) return null;
  const word = view.status === 'queued' ? 'Waiting for its turn' : view.status === 'interrupting' ? 'Stopping' : 'Working';
  return <p class="pulse"><Spinner label="" />{word}…</p>;
}

function Foot({view, row}: {view: RunView; row: RunRow}) {
  if (view.sequence === 0) return <p class="pulse"><Spinner label="Reading the log" /></p>;
  const over = isOver(view.status);
  const start = view.startedAt ?? view.queuedAt ?? 0;
  const said = () => view.items.flatMap((item) => (item.kind === 'text' || item.kind === 'answer' ? [item.text.trim()] : [])).join('\n\n');
  return (
    <footer class="run-foot">
      {view.status !== 'completed' && <StatusBadge status={view.status} />}
      <span class="run-agent">{visible(view.agent || row.agent)}</span>
      {over ? <Duration ms={(view.endedAt ?? start) - start} /> : <Duration since={start} />}
      {view.usage && <span class="number" title="Tokens read and written">{count(view.usage.input_tokens)} in, {count(view.usage.output_tokens)} out</span>}
      {over && <Time at={view.endedAt} />}
      {view.restarts > 0 && <span title="It went on from its log; nothing was lost.">went on after a restart of the server</span>}
      <span class="run-links">
        {over && <CopyButton text={said} />}
        <a class="button small quiet" href={href('run', row.runId)}>Timeline</a>
        <a class="button small quiet" href={href('ways', row.runId)}>Five ways</a>
      </span>
    </footer>
  );
}
