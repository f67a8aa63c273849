import type { HistoryIndex, SegmentRow } from '../../src/history/store/index-file.ts';

/** Minimum number of runs in the first view, if available. */
export const FIRST_RUNS = 80;

export function newestFirst({ segments }: HistoryIndex): readonly SegmentRow[] {
  return [...segments].sort(
    (left, right) => compare(right.to, left.to) || compare(right.from, left.from) || compare(right.file, left.file),
  );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** Segments of the first view: the newest ones with enough runs. */
export function firstSegments(segments: readonly SegmentRow[], enough = FIRST_RUNS): readonly SegmentRow[] {
  const first: SegmentRow[] = [];
  let runs = 0;
  for (const segment of segments) {
    if (runs >= enough) {
      break;
    }
    first.push(segment);
    runs += segment.runs;
  }
  return first;
}

export function runsIn(segments: readonly SegmentRow[]): number {
  return segments.reduce((sum, { runs }) => sum + runs, 0);
}
