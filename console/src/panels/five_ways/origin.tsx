// The event of the log behind the row that is pointed at or selected, and what it has become.
import {contracts} from '../../api/curl';
import {href} from '../../router';
import {JsonText} from '../../ui/json_text';
import {CopyButton} from '../../ui/parts';
import {familyOf} from '../timeline/event_words';
import {frameType} from './frame_text';
import type {WaysStore} from './store';

export function Origin({store}: {store: WaysStore}) {
  void store.version.value;
  const index = store.hovered.value >= 0 ? store.hovered.value : store.selected.value;
  const event = store.rows.events[index];
  const row = store.rows.rows[store.rows.rowOf(index)];
  if (!event || !row) return <section class="origin empty-origin" aria-label="Event of the log"><p class="faint">Point at a row, or choose one with the arrow keys, to see the event of the log that all its frames are made from.</p></section>;
  return (
    <section class={`origin family-${familyOf(event.type)}`} aria-label="Event of the log">
      <div class="origin-event">
        <div class="origin-bar">
          <strong><span class="origin-sequence">#{event.sequence}</span> {event.type}</strong>
          <span class="row">
            <a href={`${href('run', store.runId)}?event=${event.sequence}`}>In the timeline</a>
            <CopyButton label="Copy JSON" text={() => JSON.stringify(event)} />
          </span>
        </div>
        <pre tabIndex={0} aria-label="The event as JSON"><JsonText text={JSON.stringify(event)} /></pre>
      </div>
      <dl class="origin-becomes">
        {contracts.map((contract) => {
          const frames = row.cells[contract]?.frames ?? [];
          return (
            <div key={contract} class={`contract-${contract}`}>
              <dt>{contract}</dt>
              <dd>{frames.length === 0 ? <span class="faint">says nothing</span> : frames.map((frame) => frameType(frame.frame)).join(', ')}</dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}
