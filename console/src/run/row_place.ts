// Rows that each stand for some of a run's events, in their order.
export interface EventSpan {first: number; count: number}

// The place among the rows of the row with the event at this index, or of the next one after it.
export function placeOf(rows: readonly EventSpan[], index: number): number {
  let low = 0, high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1, row = rows[middle]!;
    if (row.first + row.count <= index) low = middle + 1;
    else high = middle;
  }
  return low;
}
