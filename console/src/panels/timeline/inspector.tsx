// The selected event: its JSON as the log has it, the commands that show the run from there, and a replay that begins with it.
import {useState} from 'preact/hooks';
import {contracts, curlOf, type Shape} from '../../api/curl';
import type {LogEvent} from '../../hub/client';
import {href} from '../../router';
import {count, duration, exactTime} from '../../ui/format';
import {JsonText} from '../../ui/json_text';
import {CopyButton} from '../../ui/parts';
import {showControls} from '../../ui/visible_text';
import type {Row} from './event_rows';
import {deltaText, familyOf} from './event_words';
import {sinceStart} from './format';
import type {TimelineStore} from './store';

const textMax = 20_000;

export function Inspector({store}: {store: TimelineStore}) {
  void store.version.value;
  const index = store.selected.value;
  const event = store.all[index];
  if (!event) return null;
  const row = store.rows.rows[store.rows.rowOf(index)];
  const folded = row && row.count > 1 && row.first <= index ? row : undefined;
  return (
    <section class="inspector" aria-label={`Event ${event.sequence}`}>
      <header class={`inspector-head family-${familyOf(event.type)}`}>
        <h3><span class="inspector-sequence">#{event.sequence}</span> {event.type}</h3>
        <button type="button" class="button small quiet" aria-label="Close the event" onClick={() => { store.selected.value = -1; }}>✕</button>
      </header>
      <p class="inspector-when">
        {exactTime(event.at)} · {sinceStart(event.elapsed_ms)} s after the start · {duration(event.at - (store.all[index - 1]?.at ?? event.at))} after the event before it
      </p>
      {folded && <Folded store={store} row={folded} />}
      <div class="inspector-block">
        <div class="inspector-bar"><span>JSON</span><CopyButton label="Copy JSON" text={() => JSON.stringify(event)} /></div>
        <pre class="inspector-json" tabIndex={0} aria-label="The event as JSON"><JsonText text={JSON.stringify(event, null, 2)} /></pre>
      </div>
      <Replays store={store} index={index} />
      <Curl store={store} event={event} />
      <p><a href={`${href('ways', store.runId)}?event=${event.sequence}`}>What this event becomes in every contract →</a></p>
    </section>
  );
}

// A row that stands for many deltas: their text as a whole, and a way to see them one by one.
function Folded({store, row}: {store: TimelineStore; row: Row}) {
  const events = store.rows.events.slice(row.first, row.first + row.count);
  let text = '';
  for (const event of events) if (text.length < textMax) text += deltaText(event) ?? '';
  const lasted = events.at(-1)!.at - events[0]!.at;
  return (
    <div class="inspector-block">
      <div class="inspector-bar">
        <span>{count(row.count)} deltas in {duration(lasted)}, {count(row.characters)} characters</span>
        <button type="button" class="button small quiet" onClick={() => store.setView({fold: false})}>One by one</button>
      </div>
      <pre class="inspector-text" tabIndex={0} aria-label="The text of these events">{showControls(text)}{row.characters > textMax && '…'}</pre>
    </div>
  );
}

function Replays({store, index}: {store: TimelineStore; index: number}) {
  return (
    <div class="inspector-bar">
      <span>Replay from here</span>
      <span class="button-row">
        {([1, 4, 'max'] as const).map((speed) => (
          <button key={speed} type="button" class="button small" onClick={() => store.startReplay(index, speed)}>{speed === 'max' ? 'max' : `${speed}×`}</button>
        ))}
      </span>
    </div>
  );
}

const shapes: Shape[] = ['log', ...contracts, 'all'];

function Curl({store, event}: {store: TimelineStore; event: LogEvent}) {
  const [shape, setShape] = useState<Shape>('log');
  const command = curlOf(store.runId, shape, event.sequence);
  return (
    <div class="inspector-block">
      <div class="inspector-bar">
        <label class="row">As
          <select class="select" value={shape} onChange={(choice) => setShape(choice.currentTarget.value as Shape)}>
            {shapes.map((one) => <option key={one} value={one}>{one === 'log' ? 'the log itself' : one === 'all' ? 'all contracts' : one}</option>)}
          </select>
        </label>
        <CopyButton label="Copy as curl" text={command} />
      </div>
      <pre class="inspector-curl" tabIndex={0} aria-label="The command">{command}</pre>
    </div>
  );
}
