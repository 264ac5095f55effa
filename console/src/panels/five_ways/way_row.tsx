import {memo} from 'preact/compat';
import {contracts, type Contract} from '../../api/curl';
import type {LogEvent} from '../../hub/client';
import {bytes, count, plural} from '../../ui/format';
import {familyOf} from '../timeline/event_words';
import {sinceStart} from '../timeline/format';
import {FrameText} from './frame';
import type {Cell, WayRow} from './way_rows';

interface Props {
  row: WayRow;
  changes: number;  // of the row, which grows in place
  event: LogEvent;
  place: number;
  selected: boolean;
  shown: Contract;  // the one column of a narrow screen
  onSelect: (index: number) => void;
  onHover: (index: number) => void;
  onUnfold: (row: WayRow) => void;
}

function ThisRow({row, event, place, selected, shown, onSelect, onHover, onUnfold}: Props) {
  const mark = sharedText(event);
  const silent = Object.keys(row.cells).length === 0;
  return (
    <div id={`way-${event.sequence}`} class={`way-row family-${familyOf(event.type)}${silent ? ' silent' : ''}`} role="row" aria-rowindex={place + 2}
      aria-selected={selected} onClick={() => onSelect(row.first)} onMouseEnter={() => onHover(row.first)}>
      <div class="way-event" role="rowheader">
        <span class="way-sequence">{event.sequence}{row.count > 1 && `–${event.sequence + row.count - 1}`}</span>
        <span class="way-type">{event.type}</span>
        <span class="way-at">{sinceStart(event.elapsed_ms)} s</span>
        {row.count > 1 && (
          <button type="button" class="way-unfold" aria-label={`Show these ${row.count} events one by one`}
            onClick={(click) => { click.stopPropagation(); onUnfold(row); }}>×{count(row.count)}</button>
        )}
      </div>
      {contracts.map((contract) => <ThisCell key={contract} contract={contract} cell={row.cells[contract]} mark={mark} shown={contract === shown} />)}
    </div>
  );
}

// What all contracts repeat of an event, each in its own place: the piece of text, the name of the tool.
function sharedText(event: LogEvent): string | undefined {
  const text = event.fragment ?? event.text ?? event.final_text ?? event.name ?? event.tool_name;
  return typeof text === 'string' && text !== '' ? JSON.stringify(text) : undefined;
}

interface CellProps {contract: Contract; cell: Cell | undefined; mark: string | undefined; shown: boolean}

function ThisCell({contract, cell, mark, shown}: CellProps) {
  const name = `way-cell contract-${contract}${shown ? ' shown' : ''}`;
  if (!cell) return <div class={`${name} nothing`} role="gridcell"><span class="visually-hidden">nothing</span></div>;
  const more = cell.count - cell.frames.length;
  return (
    <div class={name} role="gridcell">
      {cell.frames.map((frame) => <FrameText key={frame.id} frame={frame.frame} mark={mark} />)}
      {more > 0 && <div class="way-more">and {plural(more, 'more frame')} like it, {bytes(cell.bytes)} in all</div>}
    </div>
  );
}

export const WayRowView = memo(ThisRow, (before: Props, now: Props) =>
  before.row === now.row && before.changes === now.changes && before.place === now.place && before.selected === now.selected &&
  before.shown === now.shown);
