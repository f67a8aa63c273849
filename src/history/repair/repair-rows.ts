import type { SegmentRow } from '../store/index-file.ts';
import type { ReadableSegment } from './repair-read.ts';

/** How the rows of an index differ from those that the segments have now. */
export interface MovedRows {
  /** Of segments that it did not name. */
  readonly found: readonly SegmentRow[];
  /** Of segments that are not there. */
  readonly lost: readonly SegmentRow[];
  /** Segments that have fewer runs, bytes or distributions than it says. */
  readonly shorter: readonly ShorterSegment[];
}

/** What is there of a segment, and what there was by the index. */
export interface ShorterSegment {
  readonly now: SegmentRow;
  readonly before: SegmentRow;
  /** Its measured runs without distributions, where fewer have some than before; imported ones never have any. */
  readonly undistributed: readonly string[];
}

/** What became of the rows of an index. */
export function movedRows(
  before: readonly SegmentRow[],
  after: readonly SegmentRow[],
  segments: readonly ReadableSegment[],
): MovedRows {
  const rows = new Map(before.map((row) => [row.file, row]));
  const files = new Set(after.map(({ file }) => file));
  return {
    found: after.filter(({ file }) => !rows.has(file)),
    lost: before.filter(({ file }) => !files.has(file)),
    shorter: after.flatMap((now) => {
      const segment = segments.find(({ file }) => file === now.file);
      return shorterSegment(now, rows.get(now.file), segment);
    }),
  };
}

function shorterSegment(
  now: SegmentRow,
  before: SegmentRow | undefined,
  segment: ReadableSegment | undefined,
): readonly ShorterSegment[] {
  if (before === undefined) {
    return [];
  }
  const hasFewer = (now.distributions ?? 0) < (before.distributions ?? 0);
  const undistributed = hasFewer && segment !== undefined ? undistributedRuns(segment) : [];
  const isShorter = now.runs < before.runs || now.bytes < before.bytes || hasFewer;
  return isShorter ? [{ now, before, undistributed }] : [];
}

function undistributedRuns({ entries, distributions }: ReadableSegment): readonly string[] {
  return entries.filter(({ kind, run }) => kind !== 'import' && !distributions.runs.has(run)).map(({ run }) => run);
}
