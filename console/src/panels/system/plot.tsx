// A small live plot with its newest figures in words. The words are what a screen reader gets; the lines are for the eye.
import {useEffect, useRef} from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import {theme} from '../../theme';
import {KEEP_MS, type PlotData} from './figures';

export interface Line {name: string; colour: 'accent' | 'info' | 'good' | 'warn' | 'bad'}
export interface PlotProps {
  title: string;
  lines: Line[];
  data: PlotData;
  words(value: number): string;
  whole?: boolean; // counts of things: no half ones on the axis
}

const HEIGHT = 104;

export function Plot({title, lines, data, words, whole = false}: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const dark = useDark();
  useEffect(() => {
    const box = place.current!;
    plot.current = new uPlot(optionsOf(box, lines, words, whole), data, box);
    const resize = new ResizeObserver(() => plot.current?.setSize({width: box.clientWidth, height: HEIGHT}));
    resize.observe(box);
    return () => {
      resize.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [dark]);
  useEffect(() => plot.current?.setData(data), [data]);
  const newest = data.slice(1).map((series) => series.at(-1) ?? undefined);
  const spoken = lines.map((line, i) => `${line.name} ${newest[i] === undefined ? 'unknown' : words(newest[i]!)}`).join(', ');
  return (
    <figure class="plot">
      <figcaption>
        <h2>{title}</h2>
        <span class="visually-hidden">{spoken}</span>
        <span class="plot-values" aria-hidden="true">
          {lines.map((line, i) => (
            <span key={line.name} class={`plot-value plot-${line.colour}`}>
              {lines.length > 1 && <span class="plot-name">{line.name}</span>}
              <b>{newest[i] === undefined ? '–' : words(newest[i]!)}</b>
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={place} class="plot-place" aria-hidden="true" />
    </figure>
  );
}

function optionsOf(box: HTMLElement, lines: Line[], words: (value: number) => string, whole: boolean): uPlot.Options {
  const colour = (name: string) => getComputedStyle(box).getPropertyValue(`--${name}`).trim();
  const axis = {stroke: colour('text-3'), grid: {stroke: colour('line'), width: 1}, ticks: {show: false}, font: '11px system-ui'};
  return {
    width: box.clientWidth,
    height: HEIGHT,
    padding: [10, 6, 0, 0],
    legend: {show: false},
    cursor: {sync: {key: 'system'}, drag: {x: false, y: false}, points: {size: 6}},
    scales: {
      x: {range: (_, first) => timeRange(first)},
      y: {range: (_, __, max) => [0, Math.max(max * 1.15, Number.MIN_VALUE) || 1]},
    },
    axes: [
      {...axis, space: 70, size: 22, values: (_, splits, __, ___, step) => splits.map((at) => timeWords(at, step))},
      {...axis, space: 30, size: 52, ...(whole && {incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]}), values: (_, splits) => splits.map((value) => words(value))},
    ],
    series: [{}, ...lines.map((line) => ({stroke: colour(line.colour), width: 1.5, fill: lines.length === 1 ? colour(`${line.colour}-soft`) : undefined, points: {show: false}}))],
  };
}

// Five minutes, less while there are not that many yet: a plot that has just begun is not a dot at its edge.
function timeRange(first: number): [number, number] {
  const now = Date.now() / 1000;
  return [Math.max(now - KEEP_MS / 1000, Math.min(first, now - 30)), now];
}

const timeWords = (seconds: number, step: number) => new Date(seconds * 1000).toLocaleTimeString(undefined,
  {hour: '2-digit', minute: '2-digit', hour12: false, ...(step < 60 && {second: '2-digit'})});

// Canvas takes its colours once: a change of the theme makes the plot anew.
function useDark(): boolean {
  const system = useRef(matchMedia('(prefers-color-scheme: dark)')).current;
  const chosen = theme.value;
  const dark = useRef(false);
  dark.current = chosen === 'dark' || (chosen === 'system' && system.matches);
  return dark.current;
}
