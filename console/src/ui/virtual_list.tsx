// A long list of which only the part on the screen exists. virtua is written for React; this is its list as Preact sees it.
import type {ComponentChild, HTMLAttributes, Ref, VNode} from 'preact';
import {VList, type VListHandle} from 'virtua';

export type VirtualListHandle = VListHandle;

interface Props<T> extends Omit<HTMLAttributes<HTMLDivElement>, 'children' | 'ref' | 'data' | 'onScroll'> {
  ref?: Ref<VirtualListHandle>;
  data: ArrayLike<T>;
  itemSize?: number;    // of items that were not measured yet, in pixels
  bufferSize?: number;  // what exists before and after the screen, in pixels
  onScroll?: (offset: number) => void;
  children: (item: T, place: number) => ComponentChild;
}

export const VirtualList = VList as unknown as <T>(props: Props<T>) => VNode;
