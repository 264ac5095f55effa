// The rows of a timeline, of which only those on the screen exist. It follows a live run while its end is in sight.
import {useCallback, useLayoutEffect, useRef} from 'preact/hooks';
import {useFollowEnd} from '../../ui/follow_end';
import {VirtualList, type VirtualListHandle} from '../../ui/virtual_list';
import type {Row} from './event_rows';
import {EventRow} from './event_row';
import type {TimelineStore} from './store';

const rowHeight = 28;

export function EventList({store}: {store: TimelineStore}) {
  const list = useRef<VirtualListHandle>(null);
  void store.version.value;
  const {rows, events} = store.rows;
  const selected = store.selected.value;
  const selectedRow = selected < 0 ? -1 : store.rows.rowOf(selected);
  const select = useCallback((index: number) => {
    store.selected.value = index;
    store.following.value = false;
  }, [store]);

  const onScroll = useFollowEnd(list, store.following, rows.length, rows.length);
  // A selection by the keyboard, or by a link, comes into view; one by the mouse is there already.
  useLayoutEffect(() => {
    if (selectedRow >= 0 && selectedRow < rows.length) list.current?.scrollToIndex(selectedRow, {align: 'nearest'});
  }, [selected]);

  return (
    <VirtualList ref={list} class="event-list" data={rows} itemSize={rowHeight} bufferSize={2 * rowHeight} onScroll={onScroll}
      role="listbox" aria-label="Events of the run" tabIndex={0} aria-activedescendant={activeId(selectedRow, rows, store)}
      onKeyDown={(key: KeyboardEvent) => { if (listKey(key, store)) key.preventDefault(); }}>
      {(row: Row, place: number) => (
        <EventRow key={row.first} row={row} count={row.count} events={events} gap={store.rows.gapBefore(row.first)} place={place}
          total={rows.length} selected={place === selectedRow && selected < row.first + row.count && selected >= row.first} onSelect={select} />
      )}
    </VirtualList>
  );
}

function activeId(place: number, rows: Row[], store: TimelineStore): string | undefined {
  const row = rows[place];
  return row ? `event-${store.rows.events[row.first]!.sequence}` : undefined;
}

// The keys of the list; true for a key that it took.
export function listKey(key: KeyboardEvent, store: TimelineStore): boolean {
  if (key.ctrlKey || key.metaKey || key.altKey) return false;
  switch (key.key) {
    case 'ArrowDown': case 'j': store.move(1); return true;
    case 'ArrowUp': case 'k': store.move(-1); return true;
    case 'PageDown': store.move(20); return true;
    case 'PageUp': store.move(-20); return true;
    case 'Home': store.move(-Infinity); return true;
    case 'End': store.move(Infinity); return true;
    case 'Escape': store.selected.value = -1; return true;
    default: return false;
  }
}
