import { rounded } from '../../judge/stored/stored-run.ts';
import { type ChangePoint, changePoints, rescan } from '../change-points/change-points.ts';
import type { HistoryChange } from './changes.ts';
import type { HistoryEntry } from './entry.ts';
import { type Series, seriesKey } from './series.ts';

/** The runs that `updatedChanges` wants to see: older ones cannot move a change point any more. */
export const TAIL_RUNS = 300;

/** The change points of every series of a whole history: runs of the default branch, in any order. */
export function changesOf(entries: readonly HistoryEntry[]): readonly HistoryChange[] {
  return lines(entries).flatMap((line) => changePoints(line.values, line.strata).map((point) => changeAt(line, point)));
}

/**
 * The change points after a run was added, from those before. `entries` are the newest runs of the default branch, the
 * added one among them: only the end of its own series is looked at again, so points from before them stay as they are.
 */
export function updatedChanges(
  previous: readonly HistoryChange[],
  entries: readonly HistoryEntry[],
  added: HistoryEntry,
): readonly HistoryChange[] {
  const own = new Set(added.series.map(seriesKey));
  const looked = lines(entries).filter(({ series }) => own.has(seriesKey(series)));
  const keys = new Set(looked.map(({ series }) => seriesKey(series)));
  return [
    ...previous.filter(({ series }) => !keys.has(seriesKey(series))),
    ...looked.flatMap((line) => updatedLine(previous, line, added)),
  ];
}

/** One series over the runs that have it, in order of time. */
interface Line {
  readonly series: Series;
  readonly runs: readonly HistoryEntry[];
  /** Without those that have no logarithm. */
  readonly values: readonly (number | null)[];
  readonly strata: readonly string[];
}

function lines(entries: readonly HistoryEntry[]): readonly Line[] {
  const ordered = [...entries].sort((left, right) => (left.at === right.at ? 0 : left.at < right.at ? -1 : 1));
  const found = new Map<string, GrowingLine>();
  const keys = new Map<readonly Series[], readonly string[]>();
  for (const entry of ordered) {
    const names = keys.get(entry.series) ?? entry.series.map(seriesKey);
    keys.set(entry.series, names);
    addTo(found, entry, names);
  }
  return [...found.values()];
}

interface GrowingLine {
  readonly series: Series;
  readonly runs: HistoryEntry[];
  readonly values: (number | null)[];
  readonly strata: string[];
}

function addTo(found: Map<string, GrowingLine>, entry: HistoryEntry, names: readonly string[]): void {
  const stratum = stratumName(entry);
  for (const [place, series] of entry.series.entries()) {
    const value = entry.values[place] ?? null;
    const name = names[place] ?? '';
    if (value !== null) {
      const line = found.get(name) ?? { series, runs: [], values: [], strata: [] };
      found.set(name, line);
      line.runs.push(entry);
      line.values.push(value > 0 ? value : null);
      line.strata.push(stratum);
    }
  }
}

function stratumName({ runner }: HistoryEntry): string {
  return runner === undefined ? '' : JSON.stringify([runner.cpuModel, runner.cores, runner.kernel.split('.')[0]]);
}

/** A run that was published late is not the last of its series, so nothing can be taken over. */
function updatedLine(previous: readonly HistoryChange[], line: Line, added: HistoryEntry): readonly HistoryChange[] {
  const key = seriesKey(line.series);
  const places = new Map(line.runs.map(({ run }, place) => [run, place]));
  const own = previous.filter(({ series }) => seriesKey(series) === key);
  const older = own.filter(({ run }) => !places.has(run));
  const known = own.flatMap((change) => {
    const index = places.get(change.run);
    return index === undefined ? [] : [pointOf(change, index)];
  });
  const isLast = line.runs.at(-1)?.run === added.run;
  const points = isLast ? rescan(known, line.values, line.strata) : changePoints(line.values, line.strata);
  return [
    ...older.map((change) => ({ ...change, runsAfter: change.runsAfter + (places.has(added.run) ? 1 : 0) })),
    ...points.map((point) => changeAt(line, point)),
  ];
}

function pointOf({ before, after, shift, p, runsAfter, pending }: HistoryChange, index: number): ChangePoint {
  return { index, before, after, shift, p, valuesAfter: runsAfter, pending };
}

const P_DIGITS = 3;

function changeAt({ series, runs }: Line, point: ChangePoint): HistoryChange {
  const { index, before, after, shift, p, valuesAfter, pending } = point;
  const entry = runs[index];
  if (entry === undefined) {
    throw new RangeError(`a change point at ${index} of ${runs.length} runs`);
  }
  const { commit } = entry;
  return {
    series,
    run: entry.run,
    at: entry.at,
    ...(commit !== undefined && { commit: commit.sha }),
    ...(commit?.subject !== undefined && { subject: commit.subject }),
    before: rounded(before),
    after: rounded(after),
    shift: rounded(shift),
    p: Number(p.toPrecision(P_DIGITS)),
    runsAfter: valuesAfter,
    pending,
  };
}
