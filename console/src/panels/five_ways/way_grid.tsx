// Rows of events and columns of contracts. Only the rows on the screen exist; a live run is followed while its end is in sight.
import {useCallback, useLayoutEffect, useRef} from 'preact/hooks';
import {VirtualList, type VirtualListHandle} from '../../ui/virtual_list';
import {contracts, curlOf, type Contract} from '../../api/curl';
import {bytes, plural} from '../../ui/format';
import {CopyButton} from '../../ui/parts';
import {useFollowEnd} from '../../ui/follow_end';
import {contractWords} from './contract_words';
import type {WaysStore} from './store';
import {WayRowView} from './way_row';
import type {WayRow} from './way_rows';

export function WayGrid({store, shown}: {store: WaysStore; shown: Contract}) {
  const list = useRef<VirtualListHandle>(null);
  const version = store.version.value;
  const {rows, events} = store.rows;
  const selected = store.selected.value;
  const selectedRow = selected < 0 ? -1 : store.rows.rowOf(selected);
  const select = useCallback((index: number) => store.select(index), [store]);
  const hover = useCallback((index: number) => { store.hovered.value = index; }, [store]);
  const unfold = useCallback((row: WayRow) => store.unfold(row), [store]);

  const onScroll = useFollowEnd(list, store.following, rows.length, version);
  useLayoutEffect(() => {
    if (selectedRow >= 0 && selectedRow < rows.length) list.current?.scrollToIndex(selectedRow, {align: store.fromLink ? 'center' : 'nearest'});
  }, [selected, store.framesRead.value]);

  const active = rows[selectedRow];
  return (
    <div class="way-grid" role="grid" aria-label="The run in every contract" aria-rowcount={rows.length + 1} tabIndex={0}
      aria-activedescendant={active && `way-${events[active.first]!.sequence}`}
      onKeyDown={(key) => { if (key.target === key.currentTarget && gridKey(key, store)) key.preventDefault(); }}
      onMouseLeave={() => { store.hovered.value = -1; }}>
      <div class="way-head" role="row" aria-rowindex={1}>
        <div class="way-head-log" role="columnheader"><strong>The log</strong><span>{plural(events.length, 'event')}</span><span>written once</span></div>
        {contracts.map((contract) => <Head key={contract} contract={contract} runId={store.runId} {...store.rows.totals[contract]} shown={contract === shown} />)}
      </div>
      <VirtualList ref={list} class="way-list" data={rows} bufferSize={200} role="rowgroup" onScroll={onScroll}>
        {(row: WayRow, place: number) => (
          <WayRowView key={row.first} row={row} changes={row.changes} event={events[row.first]!} place={place} shown={shown}
            selected={place === selectedRow} onSelect={select} onHover={hover} onUnfold={unfold} />
        )}
      </VirtualList>
    </div>
  );
}

function Head({contract, runId, frames, bytes: size, shown}: {contract: Contract; runId: string; frames: number; bytes: number; shown: boolean}) {
  return (
    <div class={`way-head-contract contract-${contract}${shown ? ' shown' : ''}`} role="columnheader">
      <div class="way-head-name"><strong>{contract}</strong><CopyButton label="curl" text={curlOf(runId, contract)} /></div>
      <span class="way-head-words">{contractWords[contract]}</span>
      <span class="number">{plural(frames, 'frame')} · {bytes(size)}</span>
    </div>
  );
}

// The keys of the grid; true for a key that it took.
export function gridKey(key: KeyboardEvent, store: WaysStore): boolean {
  if (key.ctrlKey || key.metaKey || key.altKey) return false;
  switch (key.key) {
    case 'ArrowDown': case 'j': store.move(1); return true;
    case 'ArrowUp': case 'k': store.move(-1); return true;
    case 'PageDown': store.move(8); return true;
    case 'PageUp': store.move(-8); return true;
    case 'Home': store.move(-Infinity); return true;
    case 'End': store.move(Infinity); return true;
    case 'Escape': store.selected.value = -1; return true;
    default: return false;
  }
}
