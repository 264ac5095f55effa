// The whole run in one strip: where its time went. Each event is a line in the colour of its family; a click goes to the nearest one.
import {useEffect, useRef} from 'preact/hooks';
import {theme} from '../../theme';
import {duration} from '../../ui/format';
import {families, familyOf, type Family} from './event_words';
import type {TimelineStore} from './store';

const pauseMs = 200;  // between two drawings

export function Overview({store}: {store: TimelineStore}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        if (canvas.current) draw(canvas.current, store);
      }, pauseMs);
    };
    const observer = new ResizeObserver(later);
    observer.observe(canvas.current!);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', later);
    const stops = [store.version.subscribe(later), store.selected.subscribe(later), theme.subscribe(later)];
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      dark.removeEventListener('change', later);
      for (const stop of stops) stop();
    };
  }, [store]);
  const go = (click: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const {from, to} = spanOf(store);
    store.selected.value = nearest(store, from + ((click.clientX - box.left) / box.width) * (to - from));
    store.following.value = false;
  };
  const {beganAt, lastAt} = store.head.value;
  return (
    <div class="overview">
      <canvas ref={canvas} role="img" aria-label={`The events of the run over ${duration(lastAt - beganAt)}`} onClick={go} />
      <span aria-hidden="true">{duration(lastAt - beganAt)}</span>
    </div>
  );
}

function spanOf({all}: TimelineStore): {from: number; to: number} {
  const from = all[0]?.at ?? 0;
  return {from, to: Math.max(from + 1, all.at(-1)?.at ?? 0)};
}

function nearest({all}: TimelineStore, at: number): number {
  let low = 0, high = all.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle]!.at < at) low = middle + 1;
    else high = middle;
  }
  return low > 0 && at - all[low - 1]!.at < all[low]!.at - at ? low - 1 : low;
}

function draw(canvas: HTMLCanvasElement, store: TimelineStore): void {
  const scale = devicePixelRatio, width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
  if (width === 0) return;
  Object.assign(canvas, {width, height});
  const pen = canvas.getContext('2d')!;
  const colours = coloursOf(canvas);
  const {from, to} = spanOf(store);
  const thick = Math.max(1, Math.round(1.5 * scale));
  const placeOf = (at: number) => Math.round(((at - from) / (to - from)) * (width - thick));
  let drawn = '';
  for (const event of store.all) {
    const family = familyOf(event.type), place = placeOf(event.at);
    // Thousands of deltas fall on one line; it is drawn once.
    if (`${family} ${place}` === drawn) continue;
    drawn = `${family} ${place}`;
    pen.fillStyle = colours[family];
    pen.fillRect(place, 0, thick, height);
  }
  const selected = store.all[store.selected.value];
  if (!selected) return;
  pen.fillStyle = getComputedStyle(canvas).color;
  pen.fillRect(placeOf(selected.at) - scale, 0, 3 * scale, height);
}

// The colours as the theme has them now: only an element can tell.
function coloursOf(canvas: HTMLCanvasElement): Record<Family, string> {
  const probe = document.createElement('i');
  canvas.parentElement!.append(probe);
  const found = families.map((family) => {
    probe.className = `family-${family} overview-probe`;
    return [family, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(found) as Record<Family, string>;
}
