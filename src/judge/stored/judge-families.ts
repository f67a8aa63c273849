import { median } from '../../foundation/statistics.ts';
import { METRICS, type MetricName } from '../../model/metric.ts';
import { boundOf } from './bound.ts';
import { type Candidate, worseUp } from './candidates.ts';
import type { HistoryVerdict, JudgedByHistory, StoredComparison } from './comparison.ts';
import { driftOf } from './drift.ts';
import { levelOf } from './level.ts';
import { ADVISORY_RUNS, FIRM_RUNS, type PastValue, windowOf } from './window.ts';

/** What all comparisons of a run are judged by. */
export interface StoredFamilyRule {
  /** The share of unchanged runs that may show any suspicion in a family. */
  readonly alpha: number;
  /** The time of the run's control loop. */
  readonly controlMs: number | undefined;
}

/** Rounds below which one odd start decides a run's median. */
const FEWEST_ROUNDS = 3;

/**
 * A verdict for every candidate, in their order. The comparisons that may alarm are one family, the others a second;
 * both are fixed by how much past there is, before any of it is looked at.
 */
export function judgeFamilies(candidates: readonly Candidate[], rule: StoredFamilyRule): readonly HistoryVerdict[] {
  const windows = candidates.map(({ family, values }) => (family === undefined ? [] : windowOf(values)));
  const sizeOf = (family: Candidate['family']) =>
    candidates.filter((one, index) => one.family === family && windows[index]?.length !== 0).length;
  const sizes = { gate: sizeOf('gate'), watch: sizeOf('watch') };
  return candidates.flatMap((candidate, index): readonly HistoryVerdict[] => {
    const window = windows[index] ?? [];
    const { family } = candidate;
    return family === undefined || window.length === 0
      ? differenceOf(candidate)
      : [graded(candidate, window, judged({ candidate, family, window, familySize: sizes[family] }, rule))];
  });
}

type Window = readonly (readonly PastValue[])[];

/** What is stated where nothing can be judged; nothing where it is 0 as it always was. */
function differenceOf(candidate: Candidate): readonly HistoryVerdict[] {
  const { own, others } = candidate.past;
  const comparison = comparisonOf(candidate, median(own) ?? median(others));
  if (comparison.before === 0 && comparison.now === 0) {
    return [];
  }
  if (own.length === 0 && others.length > 0) {
    return [{ kind: 'other-runner', comparison }];
  }
  return candidate.family === undefined
    ? [{ kind: 'stated', comparison }]
    : [{ kind: 'collecting', comparison, runs: candidate.values.own.length }];
}

interface Member {
  readonly candidate: Candidate;
  readonly family: JudgedByHistory['family'];
  readonly window: Window;
  readonly familySize: number;
}

function judged(
  { candidate, family, window, familySize }: Member,
  { alpha, controlMs }: StoredFamilyRule,
): JudgedByHistory {
  const { metric, now, threshold } = candidate;
  const level = levelOf(window, controlMs === undefined ? undefined : Math.log(controlMs));
  const { standing, bound, detectable } = boundOf(worseUp(metric, now), level, { alpha, familySize, threshold });
  return {
    comparison: comparisonOf(candidate, inUnit(metric, level.centre)),
    standing,
    family,
    threshold,
    bound: inUnit(metric, bound),
    detectable,
    runs: level.runs,
    strata: level.strata,
    drift: level.own.length < ADVISORY_RUNS ? undefined : driftOf(level.own),
  };
}

/**
 * Firm or only advice. A run with far fewer rounds than its past had is noisier than the bound knows, and one with fewer
 * than 3 hangs on a single start. A past with few rounds only makes the bound wide, so it is none the less firm.
 */
function graded({ rounds }: Candidate, window: Window, found: JudgedByHistory): HistoryVerdict {
  const values = window.flat();
  const usual = median(values.map((value) => value.rounds)) ?? 0;
  if (rounds < Math.max(FEWEST_ROUNDS, usual / 2)) {
    return { kind: 'advisory', reason: 'few-rounds', ...found };
  }
  return values.length < FIRM_RUNS ? { kind: 'advisory', reason: 'few-runs', ...found } : { kind: 'judged', ...found };
}

function comparisonOf({ cell, metric, now }: Candidate, before: number | undefined): StoredComparison {
  return { cell, metric, before, now, change: before === undefined || before === 0 ? undefined : now / before - 1 };
}

function inUnit(metric: MetricName, y: number): number {
  return Math.exp(METRICS[metric].better === 'lower' ? y : -y);
}
