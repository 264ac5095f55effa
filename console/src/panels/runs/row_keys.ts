// Arrow keys in a table whose rows can have the focus: up and down move it, Home and End go to the ends. Enter is the row's own.
export function moveBetweenRows(key: KeyboardEvent): void {
  const row = (key.target as HTMLElement).closest<HTMLElement>('[data-row]');
  const rows = [...(key.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[data-row]')];
  if (!row || key.target !== row || rows.length === 0) return;
  const at = rows.indexOf(row);
  const to = {ArrowDown: at + 1, ArrowUp: at - 1, j: at + 1, k: at - 1, Home: 0, End: rows.length - 1}[key.key];
  if (to === undefined || key.ctrlKey || key.metaKey || key.altKey) return;
  key.preventDefault();
  rows[Math.max(0, Math.min(rows.length - 1, to))]!.focus();
}
