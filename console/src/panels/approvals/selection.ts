// Which card the keys act on, and since when. A decision cannot be taken back, so nothing is decided about a card that
// came under the finger only just now: the card must have been selected, and on the screen, for a moment.
import type {RefObject} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';

export const SETTLE_MS = 300;

interface Identified {approvalId: string}

// The selected one while it is there; else the one that took its place, or the last.
export function nextSelected(before: Identified[], now: Identified[], selected: string | null): string | null {
  if (now.length === 0) return null;
  if (now.some((one) => one.approvalId === selected)) return selected;
  const place = before.findIndex((one) => one.approvalId === selected);
  return now[Math.min(Math.max(place, 0), now.length - 1)]!.approvalId;
}

export function useSelection(list: Identified[]): [string | null, (id: string) => void] {
  const [selected, select] = useState<string | null>(null);
  const before = useRef<Identified[]>([]);
  const chosen = nextSelected(before.current, list, selected);
  useEffect(() => {
    before.current = list;
    if (chosen !== selected) select(chosen);
  });
  return [chosen, select];
}

// Whether a card has stood in its place for a moment. When a card above it goes, it moves up, and a click may be meant for
// what stood there before.
export function useSettled(list: Identified[]): (approvalId: string) => boolean {
  const movedAt = useRef(new Map<string, number>());
  const before = useRef(list);
  if (before.current !== list) {
    for (const id of movedUp(before.current, list)) movedAt.current.set(id, performance.now());
    before.current = list;
  }
  return (approvalId) => performance.now() - (movedAt.current.get(approvalId) ?? -Infinity) >= SETTLE_MS;
}

// The cards that stood below one that has gone.
export function movedUp(before: Identified[], now: Identified[]): string[] {
  const left = new Set(now.map((one) => one.approvalId));
  const first = before.findIndex((one) => !left.has(one.approvalId));
  return first < 0 ? [] : before.slice(first).map((one) => one.approvalId).filter((id) => left.has(id));
}

// True while the element has been selected and on the screen for SETTLE_MS.
export function useArmed(element: RefObject<HTMLElement>, selected: boolean): boolean {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    const card = element.current;
    if (!selected || !card) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let inView = false;
    const look = () => {
      clearTimeout(timer);
      if (inView && document.visibilityState === 'visible') timer = setTimeout(() => setArmed(true), SETTLE_MS);
      else setArmed(false);
    };
    const observer = new IntersectionObserver(([entry]) => {
      const now = isInView(entry!);
      if (now === inView) return;
      inView = now;
      look();
    }, {threshold: [0, 0.25, 0.5, 0.75, 1]});
    observer.observe(card);
    document.addEventListener('visibilitychange', look);
    return () => {
      observer.disconnect();
      document.removeEventListener('visibilitychange', look);
      clearTimeout(timer);
      setArmed(false);
    };
  }, [selected]);
  return armed && selected;
}

// Half of the card, or, of one that is larger than the screen, half a screen of it.
function isInView(entry: IntersectionObserverEntry): boolean {
  return entry.intersectionRatio >= 0.5 || entry.intersectionRect.height >= (entry.rootBounds?.height ?? innerHeight) / 2;
}
