import { gabDirection } from '../../adapters/github-action-benchmark.ts';
import { type Direction, directionOf } from '../../adapters/units.ts';
import type { HistoryChange } from '../store/changes.ts';
import { type HistoryEntry, type Series, seriesKey } from '../store/entry.ts';
import { withSeries } from '../store/segment.ts';
import { pathOf } from '../store/segments.ts';
import type { ReadableSegment } from './salvage.ts';

/** A series of an import whose direction was guessed, and is another. */
export interface CorrectedDirection {
  readonly file: string;
  readonly series: Series;
  readonly before: Direction;
}

/** A segment in which imported series have the directions that an import gives them now; everything else in it stays. */
export function withDirections(segment: ReadableSegment): ReadableSegment & {
  readonly corrected: readonly CorrectedDirection[];
} {
  const found = withSeries(segment.text, pathOf(segment.file), (series, entries) => {
    const [first] = entries;
    return first !== undefined && entries.every(({ kind }) => kind === 'import')
      ? series.map((one) => ({ ...one, better: directionNow(one, first) }))
      : series;
  });
  const corrected = found.changed.map(({ before, after }) => ({
    ...{ file: segment.file, series: after, before: before.better },
  }));
  return { ...segment, text: found.text, entries: found.entries, corrected };
}

/**
 * Of a data.js by tool and unit. Of Go by the unit, as far as that says it: a line of its file may have said it otherwise. All other files
 * said it themselves.
 */
function directionNow({ better, service, unit, metric }: Series, { imported }: HistoryEntry): Direction {
  if (imported?.tool === service) {
    return gabDirection(service, unit);
  }
  const byUnit = service === 'go-test' ? directionOf(unit, metric) : 'unknown';
  return byUnit === 'unknown' ? better : byUnit;
}

/** Change points with the directions that their series have now. */
export function turned(
  changes: readonly HistoryChange[],
  corrected: readonly CorrectedDirection[],
): readonly HistoryChange[] {
  const now = new Map(corrected.map(({ series }) => [seriesKey(series), series.better]));
  return changes.map((change) => {
    const better = now.get(seriesKey(change.series));
    return better === undefined ? change : { ...change, series: { ...change.series, better } };
  });
}
