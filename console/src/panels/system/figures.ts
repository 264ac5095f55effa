// What the server counts, made into what a plot shows. The server gives totals; rates and latencies are differences of two
// readings. After a restart totals begin again: a difference below zero is no figure.
import type {SystemFigures} from '../../api/types';

export interface Reading {at: number; figures: SystemFigures}
export type Series = (number | null)[];

export const KEEP_MS = 5 * 60_000;
export const GAP_MS = 3500; // Readings further apart than this have a hole between them.
const LATENCY_MS = 10_000; // Latency is looked at over this long, so that a quiet server has some commits in it.

export function keep(readings: Reading[], reading: Reading): Reading[] {
  return [...readings.filter((one) => one.at > reading.at - KEEP_MS), reading];
}

type Total = {[K in keyof SystemFigures]: SystemFigures[K] extends number ? K : never}[keyof SystemFigures];

// Per second, between each reading and the one before.
export function rate(readings: Reading[], total: Total): Series {
  return readings.map((now, i) => {
    const before = readings[i - 1];
    if (!before || now.at - before.at > GAP_MS) return null;
    const more = now.figures[total] - before.figures[total];
    return more < 0 ? null : (more * 1000) / (now.at - before.at);
  });
}

export const level = (readings: Reading[], of: (figures: SystemFigures) => number): Series => readings.map((one) => of(one.figures));

// Milliseconds under which the share `q` of the commits stayed; null where there were none.
export function commitLatency(readings: Reading[], q: number): Series {
  return readings.map((now) => {
    const first = readings.find((one) => one.at >= now.at - LATENCY_MS)!;
    const us = first === now ? null : quantile(difference(first.figures.commit_us, now.figures.commit_us), q);
    return us === null ? null : us / 1000;
  });
}

interface Bucket {le: number; count: number}

function difference(before: SystemFigures['commit_us'], now: SystemFigures['commit_us']): Bucket[] {
  return now.map((bucket, i) => ({
    le: typeof bucket.le === 'number' ? bucket.le : Infinity,
    count: bucket.count - (before[i]?.count ?? 0),
  }));
}

// Of cumulative buckets, linear within one, as Prometheus does it. In the last, open bucket it is that bucket's lower end.
export function quantile(buckets: Bucket[], q: number): number | null {
  const total = buckets.at(-1)?.count ?? 0;
  if (total <= 0 || buckets.some((bucket) => bucket.count < 0)) return null;
  const wanted = q * total;
  const place = buckets.findIndex((bucket) => bucket.count >= wanted);
  const bucket = buckets[place]!;
  const below = buckets[place - 1] ?? {le: 0, count: 0};
  if (!Number.isFinite(bucket.le)) return below.le;
  if (bucket.count === below.count) return bucket.le;
  return below.le + ((bucket.le - below.le) * (wanted - below.count)) / (bucket.count - below.count);
}

export type PlotData = [times: number[], ...lines: Series[]];

// The times of the plot in seconds, with a hole wherever nobody looked.
export function withGaps(readings: Reading[], all: Series[]): PlotData {
  const times: number[] = [];
  const lines: Series[] = all.map(() => []);
  readings.forEach((reading, i) => {
    const before = readings[i - 1];
    if (before && reading.at - before.at > GAP_MS) {
      times.push((before.at + 1000) / 1000);
      lines.forEach((line) => line.push(null));
    }
    times.push(reading.at / 1000);
    lines.forEach((line, n) => line.push(all[n]![i] ?? null));
  });
  return [times, ...lines];
}
