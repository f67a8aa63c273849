import { formatChange, formatPoints } from '../../src/foundation/numbers.ts';
import { isFromOrToZero } from '../../src/history/change-points/change-points.ts';
import { environmentText } from '../../src/history/change-points/doubts.ts';
import type { HistoryChange } from '../../src/history/store/changes.ts';
import type { Series } from '../../src/history/store/entry.ts';
import { seriesKey, turnOf } from '../../src/history/store/entry.ts';
import { ALL_OPERATIONS, errorRateChange, isErrorRate, SATURATION } from '../../src/model/metric.ts';
import { counted, figureTexts } from './words.ts';

/** Change points that begin with one commit, or with one run of an unknown one. */
export interface ChangeGroup {
  readonly run: string;
  readonly at: number;
  readonly commit: string | undefined;
  readonly subject: string | undefined;
  /** Settled ones before pending ones, regressions before improvements, then the largest first. */
  readonly changes: readonly HistoryChange[];
  /** Direction of the first of them. */
  readonly turn: ReturnType<typeof turnOf>;
  readonly isPending: boolean;
}

export function turnOfChange({ series, shift }: Pick<HistoryChange, 'series' | 'shift'>): ReturnType<typeof turnOf> {
  return turnOf(series, shift);
}

export function isWorse({ series, shift }: Pick<HistoryChange, 'series' | 'shift'>): boolean {
  return turnOf(series, shift) === 'worse';
}

/** Changes with the loads of their tiers from the newest runs: older runs, in which they were found, may lack them. */
export function withNewestLoads(
  changes: readonly HistoryChange[],
  known: ReadonlyMap<string, Series>,
): readonly HistoryChange[] {
  return changes.map((change) => {
    const load = known.get(seriesKey(change.series))?.load;
    return load === undefined ? change : { ...change, series: { ...change.series, load } };
  });
}

/** Change points by the commit that they begin with, newest first. */
export function changeGroups(changes: readonly HistoryChange[]): readonly ChangeGroup[] {
  const groups = new Map<string, HistoryChange[]>();
  for (const change of changes) {
    const key = change.commit ?? change.run;
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups.values()].flatMap(groupOf).sort((left, right) => right.at - left.at);
}

function groupOf(changes: readonly HistoryChange[]): readonly ChangeGroup[] {
  const sorted = [...changes].sort(
    (left, right) =>
      Number(left.pending) - Number(right.pending) ||
      Number(isWorse(right)) - Number(isWorse(left)) ||
      sizeOf(right) - sizeOf(left) ||
      wholeness(right) - wholeness(left),
  );
  const [first] = sorted;
  return first === undefined
    ? []
    : [
        {
          run: first.run,
          at: Math.max(...sorted.map(({ at }) => Date.parse(at))),
          commit: first.commit,
          subject: first.subject,
          changes: sorted,
          turn: turnOfChange(first),
          isPending: sorted.every(({ pending }) => pending),
        },
      ];
}

/** Environmental reasons for the changes of a run, each once. */
export function environmentOf({ changes }: Pick<ChangeGroup, 'changes'>): readonly string[] {
  return [...new Set(changes.flatMap((change) => environmentText(change) ?? []))];
}

/** Halving is as large as doubling; differences below 2% count as equal. Error rates, and changes from or to 0, come before all else. */
function sizeOf(change: HistoryChange): number {
  const size = Math.round(50 * Math.abs(Math.log(Math.max(1e-9, 1 + change.shift))));
  return isErrorRate(change.series) || isFromOrToZero(change) ? FIRST + size : size;
}

const FIRST = 1e6;

/** Rank of a series: all operations at saturation come before one operation at one rate. */
function wholeness({ series }: HistoryChange): number {
  return (series.operation === ALL_OPERATIONS ? 2 : 0) + (series.tier === SATURATION ? 1 : 0);
}

/** Size and direction of a change: "15% slower", "50 points worse"; "slower" only for times. */
export function sizeText(change: HistoryChange): string {
  const { series, before, after, shift } = change;
  if (!isErrorRate(series) && isFromOrToZero(change)) {
    return `${levelsText(change)}, ${directionWord(change)}`;
  }
  const size = isErrorRate(series) ? formatPoints(after - before) : formatChange(shift);
  return `${size.replace(/^[+\u2212]/, '')} ${directionWord(change)}`;
}

/** Short form of a change: "+15%"; for an error rate "0% → 50%". */
export function shiftText(change: HistoryChange): string {
  const { series, before, after, shift } = change;
  if (isErrorRate(series)) {
    return errorRateChange(before, after);
  }
  return isFromOrToZero(change) ? figureTexts(series, [before, after]).join(' → ') : formatChange(shift);
}

const TIMES = { worse: 'slower', better: 'faster', changed: 'changed' } as const;

function directionWord(change: Pick<HistoryChange, 'series' | 'shift'>): string {
  const turn = turnOfChange(change);
  return ['ms', 'µs', '1/s'].includes(change.series.unit) ? TIMES[turn] : turn;
}

/** "198 µs to 213 µs"; for an error rate "0% → 50%". */
export function levelsText({ series, before, after }: HistoryChange): string {
  if (isErrorRate(series)) {
    return errorRateChange(before, after);
  }
  return figureTexts(series, [before, after]).join(' to ');
}

/** Certainty of a change: "7 runs since", or that too few runs follow. */
export function statusText({ pending, runsAfter }: HistoryChange): string {
  return pending ? `pending: only ${counted(runsAfter, 'run')} since` : `${counted(runsAfter, 'run')} since`;
}

/** Newest change point of each series, by its key. */
export type LastChanges = ReadonlyMap<string, HistoryChange>;

export function lastChanges(changes: readonly HistoryChange[]): LastChanges {
  const sorted = [...changes].sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
  return new Map(sorted.map((change) => [seriesKey(change.series), change]));
}

/** Changes of the last days, in one sentence. */
export function lately(groups: readonly ChangeGroup[], since: number): string {
  const recent = groups.filter(({ at }) => at >= since);
  const settled = recent.filter(({ isPending }) => !isPending);
  const of = (turn: ChangeGroup['turn']) => settled.filter((group) => group.turn === turn);
  const [worse, better, changed] = [of('worse').length, of('better').length, of('changed').length];
  const parts = [
    ...(worse > 0 ? [`${counted(worse, 'change')} for the worse`] : []),
    ...(better > 0 ? [`${counted(better, 'change')} for the better`] : []),
    ...(changed > 0 ? [`${counted(changed, 'change')} without a direction`] : []),
    ...(recent.length > settled.length ? [`${recent.length - settled.length} pending`] : []),
  ];
  return parts.length === 0 ? 'no change' : parts.join(', ');
}
