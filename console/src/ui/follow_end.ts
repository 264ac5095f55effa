// A list that grows at its end and is followed there: until the reader scrolls up, and again when the reader comes back to the end.
import type {Signal} from '@preact/signals';
import {useLayoutEffect, useRef, type MutableRef} from 'preact/hooks';
import type {VirtualListHandle} from './virtual_list';

const nearEnd = 60;

// Returns what the list is to do when it was scrolled. `grown` changes whenever something was added, also to the last item.
export function useFollowEnd(list: MutableRef<VirtualListHandle | null>, following: Signal<boolean>, length: number, grown: unknown) {
  const last = useRef(0);
  const follow = following.value;
  useLayoutEffect(() => {
    if (follow && length > 0) list.current?.scrollToIndex(length - 1, {align: 'end'});
  }, [follow, grown]);
  return (offset: number) => {
    const handle = list.current;
    if (!handle) return;
    const atEnd = offset + handle.viewportSize >= handle.scrollSize - nearEnd;
    // Only a reader scrolls up. That the end moves away below is the list that grows.
    if (atEnd) following.value = true;
    else if (offset < last.current) following.value = false;
    last.current = offset;
  };
}
