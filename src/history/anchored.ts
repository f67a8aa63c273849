import { median } from '../foundation/statistics.ts';
import { studentQuantile } from '../judge/inference/distributions.ts';
import { isSameStratum, rounded, stratumOf } from '../judge/stored/stored-run.ts';
import { judgeRun } from '../judge/verdict/judge.ts';
import { ALL_OPERATIONS, isMetric } from '../model/metric.ts';
import type { AnchoredRatio, AnchorRecord, StoredDrift } from '../model/run/anchor.ts';
import type { KnownNoise, NoisePlace } from '../model/run/calibration.ts';
import type { RunInRounds } from '../model/run/run.ts';
import { type FormerNames, presentNames } from '../model/suite/former-names.ts';
import { suiteEntries } from './reader.ts';
import type { ReadHistory } from './store/changes.ts';
import { anchorUnit, type HistoryEntry, withLoads } from './store/entry.ts';
import { type EntryFacts, entryOf } from './store/run-entry.ts';

const SPREAD_DIGITS = 3;

/**
 * History entry of a comparison with an anchor: the ratios of head and anchor, which do not depend on the machine, each with half of the 95
 * % interval of its logarithm.
 */
export function anchoredEntryOf(run: RunInRounds, anchor: AnchorRecord, facts: EntryFacts): HistoryEntry {
  const { outcome, answers } = judgeRun(run);
  const known = answers.flatMap((one) => (one.by === 'drift' && isMetric(one.of.metric) ? [one] : []));
  const { counts: _counts, ...entry } = entryOf(run, facts);
  const { name, commit, through } = anchor;
  return {
    ...entry,
    kind: 'anchored',
    series: withLoads(
      known.map(({ of: { cell, metric, better } }) => {
        const { suite, service, operation, tier } = cell;
        return { suite, service, operation, tier, metric, unit: anchorUnit(name), better };
      }),
      run.suite.tiers,
    ),
    values: known.map(({ of }) => rounded(of.ratio.ratio)),
    spreads: known.map(({ of }) => Number(of.ratio.spread.toPrecision(SPREAD_DIGITS))),
    outcome,
    verdicts: known.flatMap(({ fails, of: { change } }, series) => {
      const { estimate, low, high } = change;
      const figures = { change: rounded(estimate), low: rounded(low), high: rounded(high) };
      return fails ? [{ series, verdict: 'regressed' as const, ...figures }] : [];
    }),
    anchor: {
      name,
      commit,
      ...(through !== undefined && { through: through.commit }),
      limits: known.filter(({ of }) => of.limit !== undefined).length,
    },
  };
}

export interface AnchoredRun {
  readonly commit: string;
  readonly anchor: NonNullable<HistoryEntry['anchor']>;
  readonly ratios: readonly AnchoredRatio[];
  /** Machine, settings and number of rounds. */
  readonly measured: Pick<HistoryEntry, 'runner' | 'settings' | 'rounds'>;
}

/** Full SHA; nothing else is passed to git. */
const SHA = /^[0-9a-f]{40,64}$/;

const NAME = /^[A-Za-z0-9_.-]{1,80}$/;

/**
 * Newest anchored runs of a suite on the default branch, the oldest first; empty if there is no history. Invalid commits, names and ratios
 * are left out, because anyone with write access to the branch may have written them. `names` are former names that the history may not
 * have yet. Throws HistoryError if the history cannot be read.
 */
export async function anchoredRuns(
  read: ReadHistory,
  suite: string,
  names?: FormerNames,
): Promise<readonly AnchoredRun[]> {
  const runs = (await suiteEntries(read, suite)).flatMap(anchoredRun).toReversed();
  return runs.map((run) => ({ ...run, ratios: run.ratios.map(presentNames(names, run.ratios)) }));
}

function anchoredRun(entry: HistoryEntry): readonly AnchoredRun[] {
  const { anchor, commit, kind } = entry;
  const isWhole = kind === 'anchored' && anchor !== undefined && commit !== undefined && commit.dirty !== true;
  const isNamed = isWhole && [anchor.commit, commit.sha, anchor.through ?? commit.sha].every((sha) => SHA.test(sha));
  return isNamed && anchor.name !== '' && anchor.name.length <= MAX_NAME
    ? [{ commit: commit.sha, anchor, ratios: ratiosOf(entry), measured: entry }]
    : [];
}

const MAX_NAME = 100;

const MAX_RATIOS = 2000;

function ratiosOf({ series, values, spreads }: HistoryEntry): readonly AnchoredRatio[] {
  const found = series.flatMap(({ service, operation, tier, metric }, place) => {
    const [ratio, spread] = [values[place] ?? 0, spreads[place] ?? -1];
    const isNamed = [service, operation, tier, metric].every((name) => NAME.test(name));
    return isNamed && ratio > 0 && spread >= 0 ? [{ service, operation, tier, metric, ratio, spread }] : [];
  });
  return found.slice(0, MAX_RATIOS);
}

/**
 * Runs that a chain to an anchor can continue from, the best first: the newest one that was compared with the anchor itself, then the
 * newest one that is chained.
 */
export function chainLinks(
  runs: readonly AnchoredRun[],
  { commit, head }: { readonly commit: string; readonly head: string | undefined },
): readonly NonNullable<AnchorRecord['through']>[] {
  const own = runs.filter((run) => run.anchor.commit === commit && run.commit !== head && run.ratios.length > 0);
  const direct = own.filter(({ anchor }) => anchor.through === undefined).at(-1);
  const chained = own.filter(({ anchor }) => anchor.through !== undefined).at(-1);
  return [direct, chained].flatMap((run) => (run === undefined ? [] : [{ commit: run.commit, ratios: run.ratios }]));
}

/** Number of runs of the default branch whose medians are the usual drift and noise. */
const RECENT_RUNS = 20;

/**
 * Drift of the default branch from its newest anchor: that of the run of commit `base`, or else of the newest run. Without anchored runs
 * there is no anchor.
 */
export function storedDrift(runs: readonly AnchoredRun[], base: string | undefined): StoredDrift {
  const newest = runs.at(-1);
  if (newest === undefined) {
    return { ratios: [], recent: { runs: 0, ratios: [] } };
  }
  const { name, commit } = newest.anchor;
  const own = runs.filter(({ anchor }) => anchor.commit === commit);
  const start = own.findLast((run) => run.commit === base) ?? newest;
  const recent = own.slice(-RECENT_RUNS);
  return {
    anchor: { name, commit },
    commit: start.commit,
    ratios: start.ratios,
    recent: { runs: recent.length, ratios: start.ratios.map((ratio) => middleOf(ratio, recent)) },
  };
}

/** Median of a ratio over runs; its interval is derived from those of the runs. */
function middleOf(target: AnchoredRatio, runs: readonly AnchoredRun[]): AnchoredRatio {
  const key = (one: AnchoredRatio) => [one.service, one.operation, one.tier, one.metric].join(' ');
  const same = runs.flatMap(({ ratios }) => ratios.filter((one) => key(one) === key(target)));
  const [ratio, spread] = [median(same.map((one) => one.ratio)), median(same.map((one) => one.spread))];
  return {
    ...target,
    ratio: ratio ?? target.ratio,
    spread: rounded((MEDIAN_FACTOR * (spread ?? target.spread)) / Math.sqrt(Math.max(1, same.length))),
  };
}

/** Standard error of a median relative to that of a mean, for a normal distribution. */
const MEDIAN_FACTOR = Math.sqrt(Math.PI / 2);

/** True for a run on the same kind of machine, with the same runtime and profile. */
export function isAt(
  { runner, settings }: Pick<HistoryEntry, 'runner' | 'settings'>,
  { runner: here, runtime, profile, interleave }: NoisePlace,
): boolean {
  return (
    settings?.runtime === runtime &&
    settings.profile === `${profile}, ${interleave}` &&
    runner !== undefined &&
    isSameStratum(stratumOf(runner), stratumOf(here))
  );
}

const FEWEST_OF_NOISE = 3;

/**
 * Noise of one round by service, tier and metric: the median over the newest anchored runs on the same kind of machine. Undefined for fewer
 * than three such runs. Chained ratios are left out, because their intervals include the noise of the links.
 */
export function storedNoise(runs: readonly AnchoredRun[], place: NoisePlace): KnownNoise | undefined {
  const own = runs
    .filter(({ anchor, measured }) => anchor.through === undefined && measured.rounds > 1 && isAt(measured, place))
    .slice(-RECENT_RUNS);
  if (own.length < FEWEST_OF_NOISE) {
    return undefined;
  }
  const deviations = own.flatMap(({ ratios, measured: { rounds } }) =>
    ratios
      .filter(({ operation }) => operation === ALL_OPERATIONS)
      // From half of the 95% interval of all rounds, by Student's t.
      .map((one) => ({ ...one, sd: (one.spread * Math.sqrt(rounds)) / studentQuantile(0.975, rounds - 1) })),
  );
  const groups = Map.groupBy(deviations, ({ service, tier, metric }) => JSON.stringify([service, tier, metric]));
  const rows = [...groups.values()].flatMap((same) => {
    const sd = median(same.map((one) => one.sd)) ?? 0;
    return same.slice(0, 1).map(({ service, tier, metric }) => ({ service, tier, metric, sd }));
  });
  return { rows, source: `${own.length} stored runs on this kind of machine` };
}
