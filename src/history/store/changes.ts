import * as z from 'zod/mini';
import { rounded } from '../../judge/stored/stored-run.ts';
import { LEAST_MS } from '../../model/policy.ts';
import {
  type ChangePoint,
  changePoints,
  rescan,
  searchedPoint,
  searchedValue,
  shownPoint,
} from '../change-points/change-points.ts';
import {
  type EnvironmentReason,
  reasonSchema,
  reasonsAt,
  SEEN_BEFORE,
  withTogether,
} from '../change-points/environment.ts';
import { smallestIn, stratumIn } from '../change-points/strata.ts';
import { type HistoryEntry, oldestFirst, plainSeries, type Series, seriesKey, seriesSchema } from './entry.ts';
import { count, figure, flag, list, name, object, runId, type Stored, text, time } from './fields.ts';
import { documentOf, documentText } from './index-file.ts';

/** Number of runs that `updatedChanges` needs: older ones cannot move a change point any more. */
export const TAIL_RUNS = 300;

/** A series that none of this many newest runs of its suite has is over: its badges are deleted, and it has no alerts. */
export const ALIVE_RUNS = 30;

/** Change points of every series of a whole history: runs of the default branch, in any order. */
export function changesOf(entries: readonly HistoryEntry[]): readonly HistoryChange[] {
  const found = lines(entries).flatMap((line) =>
    changePoints(line.values, line.strata, smallestIn(line)).map((point) => changeAt(line, point)),
  );
  return withTogether(found.filter(isLongEnough), entries);
}

/**
 * Change points after a run was added, from those before. `entries` are the newest runs of the default branch, including the added one.
 * Only the end of its own series is searched again, so older points are unchanged.
 */
export function updatedChanges(
  previous: readonly HistoryChange[],
  entries: readonly HistoryEntry[],
  added: HistoryEntry,
): readonly HistoryChange[] {
  const own = new Set(added.series.map(seriesKey));
  const looked = lines(entries).filter(({ series }) => own.has(seriesKey(series)));
  const keys = new Set(looked.map(({ series }) => seriesKey(series)));
  const changes = [
    ...previous.filter(({ series }) => !keys.has(seriesKey(series))),
    ...looked.flatMap((line) => updatedLine(previous, line, added)),
  ];
  return withTogether(changes.filter(isLongEnough), entries);
}

/** True unless both levels are start-ups or first requests so short that a comparison leaves them out, too. */
function isLongEnough({ series, before, after }: HistoryChange): boolean {
  return Math.max(before, after) >= (LEAST_MS.get(series.metric) ?? Number.NEGATIVE_INFINITY);
}

interface Line {
  readonly series: Series;
  readonly runs: HistoryEntry[];
  /** Values in the form that is searched. */
  readonly values: (number | null)[];
  readonly strata: string[];
}

function lines(entries: readonly HistoryEntry[]): readonly Line[] {
  const found = new Map<string, Line>();
  const keys = new Map<readonly Series[], readonly string[]>();
  for (const entry of entries.toSorted(oldestFirst)) {
    const names = keys.get(entry.series) ?? entry.series.map(seriesKey);
    keys.set(entry.series, names);
    const stratum = stratumIn(entry);
    for (const [place, series] of entry.series.entries()) {
      const value = entry.values[place] ?? null;
      const name = names[place] ?? '';
      if (value !== null) {
        const line = found.get(name) ?? { series, runs: [], values: [], strata: [] };
        found.set(name, line);
        line.runs.push(entry);
        line.values.push(searchedValue(series, value));
        line.strata.push(stratum(series));
      }
    }
  }
  return [...found.values()];
}

/** A run that was published late is not the last of its series, so the whole series is searched again. */
function updatedLine(previous: readonly HistoryChange[], line: Line, added: HistoryEntry): readonly HistoryChange[] {
  const key = seriesKey(line.series);
  const places = new Map(line.runs.map(({ run }, place) => [run, place]));
  const own = previous.filter(({ series }) => seriesKey(series) === key);
  const older = own.filter(({ run }) => !places.has(run));
  const known = own.flatMap((change) => {
    const index = places.get(change.run);
    return index === undefined ? [] : [pointOf(change, places)];
  });
  const isLast = line.runs.at(-1)?.run === added.run;
  const { values, strata } = line;
  const smallest = smallestIn(line);
  const points = isLast ? rescan(known, values, { strata, smallest }) : changePoints(values, strata, smallest);
  const later = older.map((change) => ({ ...change, runsAfter: change.runsAfter + (places.has(added.run) ? 1 : 0) }));
  return [...later, ...points.map((point) => withKnown(changeAt(line, point), own, line))];
}

/** A settled change near the oldest run keeps its doubts, which depend on older runs. */
function withKnown(change: HistoryChange, own: readonly HistoryChange[], { runs }: Line): HistoryChange {
  const known = own.find(({ run }) => run === change.run);
  const isNearOldest = runs.slice(0, SEEN_BEFORE).some(({ run }) => run === change.run);
  if (known === undefined || !isNearOldest || change.runsAfter < SETTLED_RUNS) {
    return change;
  }
  const { neighbor, environment } = known;
  return { ...change, ...(neighbor !== undefined && { neighbor }), ...(environment !== undefined && { environment }) };
}

/** Number of runs after which a change is settled. */
const SETTLED_RUNS = 91;

function pointOf(change: HistoryChange, places: ReadonlyMap<string, number>): ChangePoint {
  const { series, before, after, shift, p, runsAfter, pending, neighbor } = change;
  const point = { index: places.get(change.run) ?? 0, before, after, shift, p, valuesAfter: runsAfter, pending };
  const near = neighbor && places.get(neighbor.run);
  return searchedPoint(series, near === undefined ? point : { ...point, neighbor: near });
}

const P_DIGITS = 3;

function changeAt(line: Line, point: ChangePoint): HistoryChange {
  const { series, runs } = line;
  const { index, before, after, shift, p, valuesAfter, pending, neighbor } = shownPoint(series, point);
  const entry = runs[index];
  if (entry === undefined) {
    throw new RangeError(`a change point at ${index} of ${runs.length} runs`);
  }
  const near = neighbor === undefined ? undefined : runs[neighbor];
  const environment = reasonsAt(line, index, neighbor);
  return {
    series,
    ...namedRun(entry),
    before: rounded(before),
    after: rounded(after),
    shift: rounded(shift),
    p: Number(p.toPrecision(P_DIGITS)),
    runsAfter: valuesAfter,
    pending,
    ...(near !== undefined && { neighbor: namedRun(near) }),
    ...(environment.length > 0 && { environment }),
  };
}

export function namedRun({ run, at, commit }: HistoryEntry): NonNullable<HistoryChange['neighbor']> {
  return {
    run,
    at,
    ...(commit !== undefined && { commit: commit.sha }),
    ...(commit?.subject !== undefined && { subject: commit.subject }),
  };
}

/** Run that a change may begin with, and its commit. Untrusted texts. */
const changeRun = { run: runId, at: time, commit: z.exactOptional(name), subject: z.exactOptional(text()) };

const changeSchema = object({
  series: seriesSchema,
  ...changeRun,
  /** Medians, in the unit of the series. */
  before: figure,
  after: figure,
  /** Relative change of the metric, or the difference of error rates; positive for an increase. */
  shift: figure,
  p: figure,
  runsAfter: count,
  /** True if too few runs follow to confirm it. */
  pending: flag,
  /** Run before or after it, if the change may equally begin there. */
  neighbor: z.exactOptional(object(changeRun)),
  /** Reasons why it may come from the environment; absent without any. */
  environment: z.exactOptional(list(reasonSchema, 20)),
});

type StoredChange = Stored<z.output<typeof changeSchema>>;

/** Lasting change of the level of a series; its run is the first one after the change. */
export type HistoryChange = Omit<StoredChange, 'environment'> & { readonly environment?: readonly EnvironmentReason[] };

const MAX_CHANGES = 20_000;

const changesSchema = object({ changes: list(changeSchema, MAX_CHANGES) });

/** Change points in the text of a file; throws HistoryError. */
export function readChanges(content: string, file: string): readonly HistoryChange[] {
  return documentOf(changesSchema, content, file).changes.map(({ environment = [], ...change }) => {
    const reasons = environment.filter((reason) => reason !== undefined);
    return reasons.length === 0 ? change : { ...change, environment: reasons };
  });
}

/** Text of a file of change points, sorted by time, one per line; only the newest, up to the limit for reading. */
export function formatChanges(changes: readonly HistoryChange[]): string {
  const lines = changes
    .toSorted(byTime)
    .slice(-MAX_CHANGES)
    .map((change) => {
      const fields: Readonly<Record<string, unknown>> = { ...change, series: plainSeries(change.series) };
      return Object.fromEntries(Object.keys(changeSchema.shape).map((name) => [name, fields[name]]));
    });
  return documentText({}, 'changes', lines);
}

export function byTime(left: HistoryChange, right: HistoryChange): number {
  const [one, other] = [`${left.at} ${seriesKey(left.series)}`, `${right.at} ${seriesKey(right.series)}`];
  return one === other ? 0 : one < other ? -1 : 1;
}

/** Reads a file of the history by its path, for example "history/index.json"; undefined if it is missing. */
export type ReadHistory = (path: string) => Promise<string | undefined>;

/** New content of a file of the history. */
export interface FileChange {
  /** Path below the folder of the history, with slashes: "history/index.json". */
  readonly path: string;
  /** Whole new text; undefined to delete the file. */
  readonly text: string | undefined;
}

/**
 * True if a run is of the default branch, and not of a pull request. If the branch of the run or of the repository is unknown, it counts,
 * for users without GitHub.
 */
export function isOfDefaultBranch(entry: HistoryEntry, branch: string | undefined): boolean {
  const isKnown = branch !== undefined && entry.branch !== undefined;
  return entry.pullRequest === undefined && (!isKnown || entry.branch === branch);
}
