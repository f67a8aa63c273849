import { hashOf } from '../../host/files/repository.ts';
import { searchedPoint } from '../change-points/change-points.ts';
import { SMALLEST_CHANGE } from '../change-points/levels.ts';
import { smallestIn } from '../change-points/strata.ts';
import { historyIndex, suiteEntries } from '../reader.ts';
import { ALIVE_RUNS, type HistoryChange, namedRun, type ReadHistory, readChanges } from '../store/changes.ts';
import { anchorOf, type HistoryEntry, oldestFirst, type Series, seriesKey } from '../store/entry.ts';
import type { HistoryIndex } from '../store/index-file.ts';
import { formerKeys } from '../store/names.ts';
import { CHANGES_PATH } from '../store/segments.ts';

/** Id of an alert across runs, without names. */
interface AlertId {
  readonly series: string;
  /** First run after the change; "drift" and "plant" for those, of which a series has at most one. */
  readonly run: string;
}

/**
 * Figure of the default branch with a lasting regression, over its limit of drift, or a plant not found: then its run is the newest one of
 * those, `before` is 1 and `after` the ratio. Names are untrusted text.
 */
export interface Alert extends Omit<HistoryChange, 'p' | 'pending' | 'runsAfter'> {
  readonly id: AlertId;
  /** Values of `id.series` under former names of its service and operation; absent without any. */
  readonly formerIds?: readonly string[];
  readonly kind: 'change' | 'drift' | 'plant';
  /** Number of runs since then, including that one. */
  readonly runs: number;
}

export interface AlertStatus {
  /** Sorted by time, the newest first, then by size. */
  readonly alerts: readonly Alert[];
  /** All change points of the suite, as "series run": one that is missing has moved to another run. */
  readonly places: ReadonlySet<string>;
}

/** Limits the alerts: more of them have one common cause. */
const MAX_ALERTS = 400;

/** A drift is over after this many runs within the limit, the number that a change point needs. */
const CALM_RUNS = 5;

/**
 * Alerts of a suite on the default branch: confirmed regressions that no later change reverted, in series that continue, figures over
 * their limit of drift in one of the newest five anchored runs, and slowdowns that the newest plant did not find. Throws HistoryError if the history cannot be read.
 */
export async function statusOf(read: ReadHistory, suite: string): Promise<AlertStatus> {
  const index = await historyIndex(read);
  const text = await read(CHANGES_PATH);
  if (index === undefined || text === undefined) {
    return { alerts: [], places: new Set() };
  }
  const changes = readChanges(text, CHANGES_PATH).filter(({ series }) => series.suite === suite);
  return statusIn(await suiteEntries(read, suite), changes, index);
}

/** Alerts by the runs of one suite, the newest first, and its change points in order of time. */
export function statusIn(
  entries: readonly HistoryEntry[],
  changes: readonly HistoryChange[],
  index: Pick<HistoryIndex, 'names'> = {},
): AlertStatus {
  const anchor = entries.find(({ kind }) => kind === 'anchored')?.anchor?.name;
  const newest = entries.slice(0, ALIVE_RUNS).flatMap((entry) => entry.series);
  const alive = new Set(newest.filter((one) => (anchorOf(one) ?? anchor) === anchor).map(seriesKey));
  const lines = Map.groupBy(
    changes.filter(({ series }) => alive.has(seriesKey(series))),
    ({ series }) => seriesKey(series),
  );
  const shifted = [...lines.values()].flatMap(alertOf);
  const plant = entries.filter(({ kind }) => kind === 'plant').slice(0, 1);
  const found = [...shifted, ...driftsOf(entries), ...plant.flatMap((entry) => regressionsIn(entry, 'plant', 1))]
    .toSorted((one, other) => oldestFirst(other, one) || Math.abs(other.shift) - Math.abs(one.shift))
    .slice(0, MAX_ALERTS);
  const alerts = found.map((alert) => {
    const formerIds = formerKeys(alert.series, index).map(hashedKey);
    return formerIds.length === 0 ? alert : { ...alert, formerIds };
  });
  return { alerts, places: new Set(changes.map(({ series, run }) => placeOf({ series: hashed(series), run }))) };
}

/**
 * True if an alert was reported before. A change point may move to a neighboring run as more runs follow: if the earlier change point of
 * the series is gone, the alert is still the same.
 */
export function isReportedAlert(
  { id, formerIds = [] }: Alert,
  reported: readonly AlertId[],
  { places }: Pick<AlertStatus, 'places'>,
): boolean {
  const own = reported.filter(({ series }) => series === id.series || formerIds.includes(series));
  const isChange = ({ run }: AlertId) => run !== 'drift' && run !== 'plant';
  const hasMoved = (one: AlertId) => isChange(id) && isChange(one) && !places.has(placeOf(one));
  return own.some((one) => one.run === id.run || hasMoved(one));
}

function placeOf({ series, run }: AlertId): string {
  return `${series} ${run}`;
}

const HASH_LENGTH = 12;

function hashed(series: Series): string {
  return hashedKey(seriesKey(series));
}

function hashedKey(key: string): string {
  return hashOf([key]).slice(0, HASH_LENGTH);
}

/** Newest regression of one series as an alert, unless later changes reverted all but a negligible part of it. */
function alertOf(changes: readonly HistoryChange[]): readonly Alert[] {
  let risen = 0;
  let worse: HistoryChange | undefined;
  for (const change of changes.filter(({ pending }) => !pending)) {
    const step = worsening(change);
    worse = step > 0 ? change : worse;
    risen = worse === undefined ? 0 : risen + step;
    if (risen < Math.log1p(smallestIn(change) ?? SMALLEST_CHANGE)) {
      worse = undefined;
      risen = 0;
    }
  }
  if (worse === undefined) {
    return [];
  }
  const { p: _p, pending: _pending, runsAfter: runs, ...change } = worse;
  return [{ ...change, id: { series: hashed(change.series), run: change.run }, kind: 'change', runs }];
}

/** Logarithm of a change, positive if it is for the worse; 0 if the direction is unknown. */
function worsening(change: HistoryChange): number {
  const { better } = change.series;
  const { shift } = searchedPoint(change.series, change);
  return better === 'unknown' ? 0 : Math.log1p(shift) * (better === 'higher' ? -1 : 1);
}

function driftsOf(entries: readonly HistoryEntry[]): readonly Alert[] {
  const anchored = entries.filter(({ kind }) => kind === 'anchored');
  const [newest] = anchored;
  const own = anchored.slice(0, CALM_RUNS).filter(({ anchor }) => anchor?.name === newest?.anchor?.name);
  const over = own.flatMap((entry, place) => regressionsIn(entry, 'drift', place + 1));
  return over.filter(({ id }, place) => over.findIndex((one) => one.id.series === id.series) === place);
}

function regressionsIn(entry: HistoryEntry, kind: 'drift' | 'plant', runs: number): readonly Alert[] {
  return entry.verdicts.flatMap(({ series: place, verdict }) => {
    const series = entry.series[place];
    const value = entry.values[place] ?? undefined;
    const shift = kind === 'plant' ? (entry.plant?.cpu ?? 0) : value === undefined ? undefined : value - 1;
    if (verdict !== 'regressed' || series === undefined || shift === undefined) {
      return [];
    }
    const after = kind === 'drift' && value !== undefined ? value : 1 + shift;
    return [
      { ...namedRun(entry), id: { series: hashed(series), run: kind }, kind, series, before: 1, after, shift, runs },
    ];
  });
}
