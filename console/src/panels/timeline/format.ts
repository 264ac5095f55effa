// Numbers as a timeline shows them.

// Time since the run began, to the millisecond: 0.012, 14.250, 3:05.001, 2:00:05.001.
export function sinceStart(ms: number): string {
  const two = (n: number) => String(Math.floor(n) % 60).padStart(2, '0');
  const seconds = ms / 1000, minutes = seconds / 60, hours = minutes / 60;
  const rest = String(Math.floor(ms % 1000)).padStart(3, '0');
  if (hours >= 1) return `${Math.floor(hours)}:${two(minutes)}:${two(seconds)}.${rest}`;
  if (minutes >= 1) return `${Math.floor(minutes)}:${two(seconds)}.${rest}`;
  return `${Math.floor(seconds)}.${rest}`;
}

// The part of its cell that the bar of a gap fills: a millisecond is hardly seen, ten seconds and more fill it.
export function gapShare(ms: number): number {
  return ms <= 0 ? 0 : Math.min(1, Math.log10(1 + ms) / 4);
}
