import { median } from '../../foundation/statistics.ts';
import { plainText } from '../../foundation/text.ts';
import { allocatedFigures } from '../../judge/counts/allocated.ts';
import { countedValues } from '../../judge/counts/figures.ts';
import { judgedGrowth } from '../../judge/counts/memory-growth.ts';
import { headCalls } from '../../judge/counts/need-calls.ts';
import { headSizes } from '../../judge/counts/sizes.ts';
import { noiseOf } from '../../judge/inference/detectable.ts';
import {
  historyRows,
  keptSamples,
  type MeasuredCell,
  measuredCells,
  memberSamples,
  memoryPeaks,
  usableValues,
} from '../../judge/stored/cells.ts';
import { type HistoryResult, isFirm, suspicionsOf } from '../../judge/stored/comparison.ts';
import { configurationOf, controlMsOf, rounded } from '../../judge/stored/stored-run.ts';
import type { Answer, Finding } from '../../judge/verdict/finding.ts';
import { judgeRun } from '../../judge/verdict/judge.ts';
import { ALL_OPERATIONS, type CellKey, cellName, METRICS, type MetricName, memberOf } from '../../model/metric.ts';
import { ALL_TIERS, DEFAULT_POLICY, type Policy } from '../../model/policy.ts';
import { isInRounds } from '../../model/run/comparison.ts';
import { keptCounts } from '../../model/run/kept-counts.ts';
import type { Run, RunInRounds } from '../../model/run/run.ts';
import type { Sample } from '../../model/run/sample.ts';
import {
  type EntryCommit,
  type EntryRunner,
  type EntryVerdict,
  type HistoryEntry,
  type Series,
  withLoads,
} from './entry.ts';
import { LONGEST_NAME, LONGEST_TEXT, MAX_TAGS, timeText } from './fields.ts';

/** Facts about a run that a run.json lacks. */
export interface EntryFacts {
  /** Id of the run, derived from `identityOf`. */
  readonly run: string;
  /** Subject and time of the commit in git. */
  readonly subject?: string | undefined;
  readonly committedAt?: string | undefined;
  readonly branch?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly pullRequest?: number | undefined;
  readonly links?: { readonly run?: string | undefined; readonly report?: string | undefined } | undefined;
  /** Policy for failed requests; that of a comparison takes precedence, and there is a default. */
  readonly policy?: Policy | undefined;
  /** Comparison of a single run with the runs before it, if there was one. */
  readonly against?: HistoryResult | undefined;
}

/** Identity of a run, which does not depend on the folder of its file. */
export function identityOf(run: Run): string {
  const { startedAt, commit, suite, seed, configHash, runner, runtime } = run;
  const versions = isInRounds(run) ? [run.rounds.base.commit, run.rounds.head.commit] : [];
  return JSON.stringify([startedAt, commit, suite.name, seed, configHash, runner.cpuModel, runtime.name, versions]);
}

/** History entry of a run. Figures of a comparison are the head's, in the rounds that were kept. */
export function entryOf(run: Run, facts: EntryFacts): HistoryEntry {
  const policy = run.rounds?.policy ?? facts.policy ?? DEFAULT_POLICY;
  const measured = measuredCells(run, policy);
  const figures = figuresOf(run, measured);
  const rounds = measured.flatMap((cell) => (cell.spoiled === undefined ? cell.rounds : []));
  const { runtime, profile, configHash } = configurationOf(run);
  const commit = commitOf(run, facts);
  const controlMs = controlMsOf(run);
  const { wasNamed } = run.suite;
  const series = withLoads(
    figures.map((figure) => figure.series),
    run.suite.tiers,
  );
  const counts = run.instructions === undefined ? [] : keptCounts(run.instructions);
  return {
    run: facts.run,
    at: new Date(run.startedAt).toISOString(),
    suite: run.suite.name,
    kind: isInRounds(run) ? 'compare' : 'run',
    series,
    values: figures.map(({ value }) => value),
    spreads: figures.map(({ spread }) => spread),
    ...(commit !== undefined && { commit }),
    ...(facts.branch !== undefined && { branch: plainText(facts.branch, LONGEST_TEXT) }),
    tags: (facts.tags ?? []).slice(0, MAX_TAGS).map((tag) => plainText(tag, LONGEST_NAME)),
    ...(facts.pullRequest !== undefined && { pullRequest: facts.pullRequest }),
    runner: runnerOf(run),
    tools: run.tools,
    settings: { runtime, profile, configHash },
    ...(controlMs !== undefined && { controlMs: rounded(controlMs) }),
    rounds: rounds.length === 0 ? 0 : Math.min(...rounds),
    ...(counts.length > 0 && { counts }),
    ...(wasNamed !== undefined && { wasNamed: { services: wasNamed.services, operations: wasNamed.operations } }),
    ...(isInRounds(run) ? comparisonOf(run, series) : statusOf(run, facts, series)),
    links: {
      ...(facts.links?.run !== undefined && { run: plainText(facts.links.run, LONGEST_TEXT) }),
      ...(facts.links?.report !== undefined && { report: plainText(facts.links.report, LONGEST_TEXT) }),
    },
  };
}

function commitOf(run: Run, { subject, committedAt }: EntryFacts): EntryCommit | undefined {
  const head = isInRounds(run) ? run.rounds.head : undefined;
  const sha = head?.commit ?? run.commit.head;
  const dirty = head?.dirty ?? run.commit.dirty;
  const said = subject ?? head?.subject;
  // git accepts invalid times of commits.
  const at = committedAt === undefined ? undefined : timeText(committedAt);
  return sha === undefined
    ? undefined
    : {
        sha: plainText(sha, LONGEST_NAME),
        ...(said !== undefined && { subject: plainText(said, LONGEST_TEXT) }),
        ...(at !== undefined && { at }),
        ...(dirty && { dirty: true as const }),
      };
}

function runnerOf({ runner }: Run): EntryRunner {
  const { cpuModel, cores, kernel, platform, image } = runner;
  const system = image !== undefined && { image: plainText(image, LONGEST_NAME) };
  return { cpuModel, cores, kernel, platform, ...system };
}

type Said = Pick<HistoryEntry, 'outcome' | 'verdicts'>;

/** Outcome of a single run by its firm suspicions; none if it was not compared with anything. */
function statusOf({ complete, failures }: Run, { against }: EntryFacts, series: readonly Series[]): Said {
  if (!complete || failures.length > 0) {
    return { outcome: 'incomplete', verdicts: [] };
  }
  if (against === undefined || !against.verdicts.some(isFirm)) {
    return { verdicts: [] };
  }
  const verdicts = suspicionsOf(against).flatMap(({ comparison: { cell, metric, change } }) =>
    placesOf(series, { cell, metric }).map((place) => ({
      series: place,
      verdict: 'suspicious' as const,
      ...(change !== undefined && { change: shareOf(change) }),
    })),
  );
  return { outcome: verdicts.length === 0 ? 'passed' : 'suspicious', verdicts };
}

function comparisonOf(run: RunInRounds, series: readonly Series[]): Said {
  const { outcome, answers } = judgeRun(run);
  return {
    outcome,
    verdicts: [
      ...answers.flatMap((one) => (one.by === 'change' ? verdictOf(one.of, series) : [])),
      ...answers.flatMap((one) => (one.by === 'errors' ? verdictOnErrors(one, series) : [])),
    ],
  };
}

/** Verdict on errors, without a relative change: a base without errors has none. */
function verdictOnErrors({ cell, verdict }: Answer, series: readonly Series[]): readonly EntryVerdict[] {
  return verdict === 'same'
    ? []
    : placesOf(series, { cell, metric: 'errorRate' }).map((place) => ({
        series: place,
        verdict: verdict === 'worse' ? 'regressed' : 'improved',
      }));
}

function verdictOf(finding: Finding, series: readonly Series[]): readonly EntryVerdict[] {
  const { verdict, change } = finding;
  if (verdict === 'unchanged') {
    return [];
  }
  return placesOf(series, finding).map((place) => ({
    series: place,
    verdict,
    change: shareOf(change.estimate),
    ...(change.low !== undefined && { low: shareOf(change.low) }),
    ...(change.high !== undefined && { high: shareOf(change.high) }),
    ...(finding.accepted && { accepted: plainText(finding.accepted.why, LONGEST_TEXT) }),
  }));
}

/** Index of a cell's series as a list; empty if the run has no such series. */
function placesOf(series: readonly Series[], { cell, metric }: Pick<Finding, 'cell' | 'metric'>): readonly number[] {
  const place = series.findIndex(
    (one) =>
      one.service === cell.service &&
      one.operation === cell.operation &&
      one.tier === cell.tier &&
      one.metric === metric,
  );
  return place < 0 ? [] : [place];
}

const SHARE_DIGITS = 4;

function shareOf(change: number): number {
  return Number(change.toPrecision(SHARE_DIGITS));
}

interface SeriesFigure {
  readonly series: Series;
  readonly value: number;
  readonly spread: number | null;
}

/** Metrics of all operations together that only the page shows. */
const SHOWN: readonly MetricName[] = ['achievedRps', 'latencyP50Ms', 'latencyP95Ms', 'latencyP99Ms', 'errorRate'];

/** A spread needs at least this many rounds. */
const FEWEST_ROUNDS = 3;

const SPREAD_DIGITS = 2;

/** Figures of a run that the history keeps, in the order of its samples. */
function figuresOf(run: Run, cells: readonly MeasuredCell[]): readonly SeriesFigure[] {
  const kept = keptSamples(run);
  const samples = [...kept, ...memberSamples(kept)];
  const measured = cells.flatMap((one) =>
    one.cell.tier === ALL_TIERS
      ? figureOf(one.cell, 'peakMemoryMiB', memoryPeaks(kept.filter(({ cell }) => cell.service === one.cell.service)))
      : figuresOfCell(one, samples),
  );
  const spoiled = new Set(cells.flatMap((one) => (one.spoiled === undefined ? [] : cellName(one.cell))));
  const unspoiled = kept.filter(({ cell }) => !spoiled.has(cellName(cell)));
  return [...measured, ...startFigures(unspoiled), ...countedFigures(run)];
}

/** Start-up of each service, and the first request of each operation, one value per start: samples of a start share it. */
function startFigures(samples: readonly Sample[]): readonly SeriesFigure[] {
  const groups = Map.groupBy(samples, ({ cell }) => JSON.stringify([cell.service, cell.operation]));
  return [...groups.values()].flatMap((own) =>
    (['startUpMs', 'firstRequestMs'] as const).flatMap((metric) => {
      const values = new Set(own.flatMap(({ values: { [metric]: value } }) => value ?? []));
      return own.slice(0, 1).flatMap(({ cell }) => figureOf({ ...cell, tier: ALL_TIERS }, metric, [...values]));
    }),
  );
}

/** Counts of services and operations, one value per start; memory growth as a comparison measures it, and sizes of builds. */
function countedFigures(run: Run): readonly SeriesFigure[] {
  const executed = countedValues(run, run.instructions?.starts ?? [])
    .filter(({ cell }) => memberOf(cell) === undefined)
    .flatMap(({ cell, metric, value, means }) => seriesFigures(cell, metric, { value, values: means }));
  const growth = isInRounds(run) ? judgedGrowth(run, run.rounds.policy).findings : [];
  const others = [...headCalls(run), ...headSizes(run)];
  const allocated = allocatedFigures(run.suite, run.calls?.starts ?? []);
  return [
    ...executed,
    ...others.flatMap(({ cell, metric, values }) => figureOf(cell, metric, values)),
    ...growth.flatMap(({ cell, metric, head }) => figureOf(cell, metric as MetricName, [head])),
    ...allocated.flatMap(({ cell, head }) => figureOf(cell, 'allocatedBytesPerRequest', head)),
  ];
}

function figuresOfCell(measured: MeasuredCell, samples: readonly Sample[]): readonly SeriesFigure[] {
  const { cell } = measured;
  const own = samples.filter((sample) => cellName(sample.cell) === cellName(cell));
  return metricsOf(measured).flatMap((metric) =>
    figureOf(
      cell,
      metric,
      own.flatMap(({ values }) => values[metric] ?? []),
    ),
  );
}

function metricsOf(measured: MeasuredCell): readonly MetricName[] {
  const { cell, spoiled } = measured;
  if (spoiled !== undefined) {
    return Object.keys(usableValues(measured)) as MetricName[];
  }
  const shown = cell.operation === ALL_OPERATIONS ? SHOWN : [];
  return [...new Set([...historyRows(cell).map(({ metric }) => metric), ...shown])];
}

function figureOf(cell: CellKey, metric: MetricName, values: readonly number[]): readonly SeriesFigure[] {
  return seriesFigures(cell, metric, { value: median(values), values });
}

function seriesFigures(
  { suite, service, operation, tier }: CellKey,
  metric: MetricName,
  { value, values }: { readonly value: number | undefined; readonly values: readonly number[] },
): readonly SeriesFigure[] {
  const { unit, better } = METRICS[metric];
  return value === undefined || !Number.isFinite(value)
    ? []
    : [
        {
          series: { suite, service, operation, tier, metric, unit, better },
          value: rounded(value),
          spread: spreadOf(values),
        },
      ];
}

/** Robust standard deviation of the logarithms; null for fewer than 3 values, or if one is not above 0. */
export function spreadOf(values: readonly number[]): number | null {
  const isReportable = values.length >= FEWEST_ROUNDS && values.every((value) => value > 0);
  return isReportable ? Number(noiseOf(values.map(Math.log)).toPrecision(SPREAD_DIGITS)) : null;
}
