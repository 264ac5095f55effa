import {memo} from 'preact/compat';
import type {LogEvent} from '../../hub/client';
import {showControls} from '../../ui/visible_text';
import {lineOf, longGapMs, type Row} from './event_rows';
import {familyOf} from './event_words';
import {duration} from '../../ui/format';
import {gapShare, sinceStart} from './format';

interface Props {
  row: Row;
  count: number;  // of the row, which grows in place: without this a row that grew would look the same as before
  events: LogEvent[];
  gap: number;
  place: number;
  total: number;
  selected: boolean;
  onSelect: (index: number) => void;
}

function ThisRow({row, count, events, gap, place, total, selected, onSelect}: Props) {
  const event = events[row.first]!;
  const family = familyOf(event.type);
  return (
    <div id={`event-${event.sequence}`} class={`event-row family-${family}`} role="option" aria-selected={selected}
      aria-posinset={place + 1} aria-setsize={total} onClick={() => onSelect(row.first)}>
      <span class="event-sequence">{event.sequence}</span>
      <span class="event-at">{sinceStart(event.elapsed_ms)}</span>
      <span class={gap >= longGapMs ? 'event-gap long' : 'event-gap'}>
        <i style={{width: `${gapShare(gap) * 100}%`}} />
        <b>{gap > 0 ? `+${duration(gap)}` : ''}</b>
      </span>
      <span class="event-type">{event.type}{count > 1 && <em>×{count.toLocaleString('en')}</em>}</span>
      <span class="event-line">{showControls(lineOf(row, events))}</span>
    </div>
  );
}

// Everything that a row shows is in these; `total` alone does not make it worth drawing again.
export const EventRow = memo(ThisRow, (before: Props, now: Props) =>
  before.row === now.row && before.count === now.count && before.events === now.events && before.gap === now.gap &&
  before.place === now.place && before.selected === now.selected);
