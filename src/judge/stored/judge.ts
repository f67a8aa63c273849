import { median } from '../../foundation/statistics.ts';
import { type CellKey, cellPlace, METRICS, type MetricName } from '../../model/metric.ts';
import { isGate, type Policy } from '../../model/policy.ts';
import type { Run } from '../../model/run/run.ts';
import { presentNames } from '../../model/suite/former-names.ts';
import {
  ADVISORY_RUNS,
  boundOf,
  criticalValue,
  driftOf,
  FIRM_RUNS,
  levelOf,
  type StoredLevel,
  type StoredValue,
  windowOf,
} from './bound.ts';
import { acceptedRuns, byStratum, type Candidate, candidatesOf, worseUp } from './candidates.ts';
import { historyRows, type MeasuredCell, measuredCells, usableValues } from './cells.ts';
import {
  type HistoryResult,
  type HistoryVerdict,
  type JudgedByHistory,
  type StoredComparison,
  type Unmeasured,
  unlikeRuns,
} from './comparison.ts';
import { storedCountsFor } from './counted.ts';
import {
  configurationDifferences,
  configurationOf,
  controlMsOf,
  isErrorsOnly,
  type StoredRun,
  stratumOf,
} from './stored-run.ts';

/**
 * Run compared with earlier stored runs of its suite and configuration, by cell and metric. The same runs always give the same verdicts: neither
 * later runs nor the stored run itself change them.
 */
export function judgeByStored(run: Run, stored: readonly StoredRun[], policy: Policy): HistoryResult {
  const before = underNamesOf(run, stored).filter((one) => Date.parse(one.startedAt) < Date.parse(run.startedAt));
  const configuration = configurationOf(run);
  const past = before.filter((one) => configurationDifferences(configuration, one.configuration).length === 0);
  const stratum = stratumOf(run.runner);
  const strata = byStratum(past, stratum);
  const cells = measuredCells(run, policy);
  const candidates = cells
    .filter(({ cell }) => runsWith(past, cell) > 0)
    .flatMap((cell) => candidatesOf({ ...cell, values: usableValues(cell) }, strata, policy));
  const newest = past.at(-1);
  return {
    past: {
      stored: before.length,
      configured: past.length,
      onMachine: strata.own.length,
      stratum,
      unlike: strata.own.length === 0 ? unlikeRuns(run, before) : [],
      newest: newest && { startedAt: newest.startedAt, commit: newest.commit, note: newest.note },
    },
    verdicts: [
      ...cells.flatMap((cell) => errorVerdict(cell, past, policy)),
      ...judgeFamilies(candidates, { alpha: policy.alpha, controlMs: controlMsOf(run) }),
      ...unmeasuredOf(run, cells, past),
    ],
    counts: storedCountsFor(run, before),
    confirmationBase: confirmationBase(before),
  };
}

/** Full commit hash. It becomes part of a command, so no other text may pass. */
const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/**
 * Commit to compare a suspicious run with: that of the newest run in which nothing was suspicious. Undefined if there is none, or only runs whose
 * files had been changed since their commit.
 */
export function confirmationBase(runs: readonly StoredRun[]): string | undefined {
  const clean = runs.filter(({ suspicious, dirty }) => suspicious.length === 0 && !dirty);
  return clean.findLast(({ commit }) => commit !== undefined && COMMIT.test(commit))?.commit;
}

/**
 * Verdict for every candidate, in their order. Metrics that may alarm form a family, watched ones another, and each has a separate one for candidates
 * with too few runs for more than advice; all are fixed by the amount of past data, before its values are read.
 */
export function judgeFamilies(
  candidates: readonly Candidate[],
  rule: { readonly alpha: number; readonly controlMs: number | undefined },
): readonly HistoryVerdict[] {
  const members = candidates.map((candidate) => memberOf(candidate, rule.controlMs));
  const families = Map.groupBy(
    members.flatMap((member) => member ?? []),
    ({ family }) => family,
  );
  const levelsOf = (own: readonly Member[]) => own.map(({ level }) => level);
  const criticals = new Map([...families].map(([name, own]) => [name, criticalValue(levelsOf(own), rule.alpha)]));
  return candidates.flatMap((candidate, index): readonly HistoryVerdict[] => {
    const member = members[index];
    const critical = criticals.get(member?.family ?? '');
    return member === undefined || critical === undefined
      ? differenceOf(candidate)
      : [graded(candidate, member.window, judged(candidate, member, critical))];
  });
}

interface Member {
  readonly window: Window;
  readonly level: StoredLevel;
  /** Name of the family, which shares the error rate. */
  readonly family: string;
}

function memberOf({ family, values }: Candidate, controlMs: number | undefined): Member | undefined {
  const window = family === undefined ? [] : windowOf(values);
  if (window.length === 0) {
    return undefined;
  }
  const level = levelOf(window, controlMs === undefined ? undefined : Math.log(controlMs));
  return {
    window,
    level,
    family: `${family} ${level.runs < FIRM_RUNS ? 'advice' : 'firm'}`,
  };
}

type Window = readonly (readonly StoredValue[])[];

/** Difference without a verdict; none if the value is always 0. */
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

function judged(candidate: Candidate, { level }: Member, critical: number): JudgedByHistory {
  const { metric, now, threshold, family = 'watch' } = candidate;
  const { status, bound, detectable } = boundOf(worseUp(metric, now), level, { critical, threshold });
  return {
    comparison: comparisonOf(candidate, inUnit(metric, level.center)),
    status,
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
 * Firm or only advice. A run with far fewer rounds than its past is noisier than the bound assumes, and one with fewer than 3 depends on a single
 * start. A past with few rounds only widens the bound; the verdict remains reliable.
 */
function graded({ rounds }: Candidate, window: Window, found: JudgedByHistory): HistoryVerdict {
  const values = window.flat();
  const usual = median(values.map((value) => value.rounds)) ?? 0;
  if (rounds < Math.max(3, usual / 2)) {
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

function unmeasuredOf(run: Run, cells: readonly MeasuredCell[], past: readonly StoredRun[]): readonly Unmeasured[] {
  const measured = new Set(cells.map(({ cell }) => cellPlace(cell)));
  const whole = past
    .flatMap(({ cells: stored }) => Object.entries(stored))
    .filter(([, values]) => !isErrorsOnly(values));
  const places = [...new Set(whole.map(([place]) => place))];
  return [
    ...cells.flatMap((cell) => lacksOf(cell, past)),
    ...places.filter((place) => !measured.has(place)).map((place) => absent(run, place, past)),
  ];
}

function lacksOf({ cell, values, spoiled }: MeasuredCell, past: readonly StoredRun[]): readonly Unmeasured[] {
  const runs = runsWith(past, cell);
  const reason = spoiled ?? (runs === 0 ? 'new' : undefined);
  if (reason !== undefined) {
    return [{ kind: 'unmeasured', cell, reason, runs }];
  }
  return historyRows(cell)
    .filter(({ metric }) => values[metric] === undefined && runsWith(past, cell, metric) > 0)
    .map(({ metric }) => ({
      kind: 'unmeasured',
      cell,
      metric,
      reason: 'missing',
      runs: runsWith(past, cell, metric),
    }));
}

/** Number of past runs that have a cell with more than its error rate, or one metric of it. */
function runsWith(past: readonly StoredRun[], cell: CellKey, metric?: MetricName): number {
  return past.filter(({ cells }) => {
    const values = cells[cellPlace(cell)];
    return values !== undefined && (metric === undefined ? !isErrorsOnly(values) : values[metric] !== undefined);
  }).length;
}

function absent(run: Run, place: string, past: readonly StoredRun[]): Unmeasured {
  const cell = { suite: run.suite.name, ...placeIn(place) };
  const failed = run.failures.some((failure) => failure.service === cell.service && failure.tier === cell.tier);
  return { kind: 'unmeasured', cell, reason: failed ? 'failed' : 'gone', runs: runsWith(past, cell) };
}

/** Fewer failed requests do not make a rate. */
const FEWEST_FAILED = 10;

/** Error rate from which a run is suspicious: 5%, and ten times the largest one of the past, or half the way from there to 100% if that is less. */
export function errorRateLimit(largest: number): number {
  return Math.max(0.05, Math.min(10 * largest, (1 + largest) / 2));
}

/**
 * Error rate of a cell against the past. The rule uses neither logarithms nor a spread, so one earlier run suffices, also from another kind of
 * machine: a fast machine fails no more requests than a slow one. Empty if no request failed, now or in most past runs.
 */
function errorVerdict(
  { cell, values, failed }: MeasuredCell,
  past: readonly StoredRun[],
  policy: Policy,
): readonly HistoryVerdict[] {
  const now = values.errorRate;
  const name = { cell, metric: 'errorRate' } as const;
  const rates = acceptedRuns(past, name)
    .flatMap(({ cells }) => cells[cellPlace(cell)]?.errorRate ?? [])
    .slice(-30);
  const before = median(rates);
  if (now === undefined || before === undefined || (before === 0 && now === 0)) {
    return [];
  }
  const comparison = { ...name, before, now, change: undefined };
  const largest = Math.max(...rates);
  const limit = errorRateLimit(largest);
  const isSuspicious = now >= limit && now > largest && failed >= FEWEST_FAILED;
  const family = isGate(policy, name, true) ? 'gate' : 'watch';
  return isSuspicious
    ? [{ kind: 'errors', comparison, status: 'suspicious', family, limit, runs: rates.length }]
    : [{ kind: 'stated', comparison }];
}

/** Stored runs under the run's names of services and operations. Configurations that differ only in names count as equal. */
function underNamesOf({ suite: { wasNamed }, configHash }: Run, runs: readonly StoredRun[]): readonly StoredRun[] {
  return wasNamed === undefined ? runs : runs.map((stored) => renamedRun(stored, wasNamed, configHash));
}

function renamedRun(stored: StoredRun, wasNamed: NonNullable<Run['suite']['wasNamed']>, configHash: string): StoredRun {
  const { cells, configuration, suspicious } = stored;
  const present = presentNames(wasNamed, Object.keys(cells).map(placeIn));
  const renamed = (cell: string): string => cellPlace(present(placeIn(cell)));
  return {
    ...stored,
    configuration: wasNamed.configHashes.includes(configuration.configHash)
      ? { ...configuration, configHash }
      : configuration,
    cells: Object.fromEntries(Object.entries(cells).map(([cell, values]) => [renamed(cell), values])),
    suspicious: suspicious.map((text) => {
      const [cell = '', ...metric] = text.split(' ');
      return [renamed(cell), ...metric].join(' ');
    }),
  };
}

function placeIn(cell: string) {
  const [service = '', operation = '', tier = ''] = cell.split('/');
  return { service, operation, tier };
}
