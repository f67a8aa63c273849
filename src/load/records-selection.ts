/** The values of a column whose requests were answered as they should be, or whose requests failed. */
export function chosen(column: Float64Array, failure: Uint16Array, which: 'answered' | 'failed'): Float64Array {
  const wantsFailed = which === 'failed';
  const kept = new Float64Array(column.length);
  let count = 0;
  for (let index = 0; index < column.length; index += 1) {
    kept[count] = column[index] ?? 0;
    count += (failure[index] !== 0) === wantsFailed ? 1 : 0;
  }
  return kept.subarray(0, count);
}

/** All columns one after the other. */
export function joinedColumns(columns: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(columns.reduce((sum, column) => sum + column.length, 0));
  let at = 0;
  for (const column of columns) {
    all.set(column, at);
    at += column.length;
  }
  return all;
}
