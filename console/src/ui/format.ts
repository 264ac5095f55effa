// Numbers and times as people read them.
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

export function bytes(count: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let value = count;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    ++unit;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export const count = (value: number): string => value.toLocaleString('en-US');
export const plural = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

// "just now", "3 min ago", "today 14:05", "12 Mar", "12 Mar 2024".
export function ago(at: number, now: number = Date.now()): string {
  const past = now - at;
  if (past < 45_000) return 'just now';
  if (past < 3_600_000) return `${Math.round(past / 60_000)} min ago`;
  const date = new Date(at);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return `${clock(at)}`;
  const year = date.getFullYear() === today.getFullYear() ? undefined : 'numeric';
  return date.toLocaleDateString(undefined, {day: 'numeric', month: 'short', year});
}

export const clock = (at: number): string => new Date(at).toLocaleTimeString(undefined, {hour: '2-digit', minute: '2-digit'});
export const exactTime = (at: number): string => new Date(at).toLocaleString(undefined, {dateStyle: 'medium', timeStyle: 'medium'});
