import type { HistoryIndex, SegmentRow } from '../../src/history/store/index-file.ts';
import { pathOf } from '../../src/history/store/segments.ts';
import type { ChartEvent } from './events.ts';
import type { RunFacts } from './runs.ts';
import { runsIn } from './segments.ts';
import { counted, dayText } from './words.ts';

/** File that could not be read completely. */
export interface Loss {
  readonly file: string;
  /** Number of missing runs of a segment: all if undefined. */
  readonly lacking?: number;
}

/** Parts of a history that show which of its runs cannot be read. */
export interface Losses {
  readonly index: Pick<HistoryIndex, 'segments'>;
  readonly problems: readonly Loss[];
}

/** Segments with unreadable runs, oldest first, with the number of those runs. */
export function lostSegments({ index, problems }: Losses): readonly SegmentRow[] {
  const losses = new Map(problems.map((problem) => [problem.file, problem]));
  return index.segments
    .flatMap((row) => {
      const loss = losses.get(pathOf(row.file));
      return loss === undefined ? [] : [{ ...row, runs: loss.lacking ?? row.runs }];
    })
    .filter(({ runs }) => runs > 0)
    .sort((left, right) => Date.parse(left.to) - Date.parse(right.to));
}

/** True if a time is in one of the segments. */
export function isWithin(segments: readonly SegmentRow[], at: string): boolean {
  const time = Date.parse(at);
  return segments.some(({ from, to }) => time >= Date.parse(from) && time <= Date.parse(to));
}

/** True if runs after this time cannot be read: then the present status is unknown. */
export function lacksNewer(segments: readonly SegmentRow[], at: number): boolean {
  return segments.some(({ to }) => Date.parse(to) > at);
}

/** Runs that a chart lacks, as sentences: the newest, and those within it or before it. */
export function gapTexts(segments: readonly SegmentRow[], runs: readonly RunFacts[]): readonly string[] {
  const end = runs.at(-1)?.at;
  if (end === undefined) {
    return [];
  }
  const newer = segments.filter(({ to }) => Date.parse(to) > end);
  const older = segments.filter(({ to }) => Date.parse(to) <= end);
  return [
    ...(newer.length === 0
      ? []
      : [`The newest runs cannot be read (${spanText(newer)}): this chart ends on ${dayText(end)}, before them.`]),
    ...(older.length === 0 ? [] : [`Runs in between are missing, because they cannot be read (${spanText(older)}).`]),
  ];
}

/** Positions of missing runs among those of a chart, or after its last one. */
export function gapEvents(segments: readonly SegmentRow[], runs: readonly RunFacts[]): readonly ChartEvent[] {
  const places = segments.map(({ to }) => runs.findLastIndex(({ at }) => at <= Date.parse(to)) + 1);
  return [...new Set(places)].flatMap((place) =>
    place === 0 ? [] : [{ kind: 'gap' as const, place, text: 'runs that cannot be read' }],
  );
}

/** "57 runs from 2026-11-01 to 2026-11-21". */
function spanText(segments: readonly SegmentRow[]): string {
  const from = Math.min(...segments.map((one) => Date.parse(one.from)));
  const to = Math.max(...segments.map((one) => Date.parse(one.to)));
  return `${counted(runsIn(segments), 'run')} from ${dayText(from)} to ${dayText(to)}`;
}
