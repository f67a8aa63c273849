import { median, standardDeviation } from '../../foundation/statistics.ts';
import { ALL_OPERATIONS, LEAST_GROWTH, SATURATION } from '../../model/metric.ts';
import { ALL_TIERS, type Policy, thresholdOf } from '../../model/policy.ts';
import { keptCells } from '../../model/run/comparison.ts';
import type { MemoryStart } from '../../model/run/memory-growth.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { Sample } from '../../model/run/sample.ts';
import { type Point, slopesOf } from '../inference/location.ts';
import type { Finding, HeadReading } from '../verdict/finding.ts';
import { ruledFinding } from './ruled.ts';

const METRIC = 'memoryGrowthPerRequest';

const MIB = 2 ** 20;

/** Requests in a part of a series: a leak of 400 B then adds 1 MiB in a round, and 0.4 MiB in a part of a long load. */
const LEAST_REQUESTS = { round: 2500, long: 1000 };

/** Drift of steady memory that Go, Python and Node.js services without a leak showed during a long load. */
export const DRIFT_MIB = 0.5;

/** Parts of a long load whose growth is compared, after its first half: a cache that fills grows in one of them, a leak in all. */
export const PARTS = 2;

/** Share of the rounds with the most and with the least growth that is left out: a leak grows in every round, an allocator takes a step in one. */
const LEFT_OUT = 0.2;

/** Starts of each version that a regression requires. */
const STARTS = 2;

/** Requests per version of the shortest load that can show growth. */
export const LEAST_LONG = 2 * PARTS * LEAST_REQUESTS.long;

type Series = Pick<MemoryStart, 'requests' | 'memoryMiB'>;

/** Growth of both versions in bytes per request at the same place, and the additional memory that head keeps. */
interface Pair {
  readonly base: number;
  readonly head: number;
  readonly moreMiB: number;
  /** Largest drop of either version in the second half of the load, caused by a collector. */
  readonly fallMiB: number;
}

interface Growth extends Pick<Finding, 'cell' | 'metric'> {
  readonly pairs: readonly Pair[];
  /** True if it suffices for a regression: rounds are too short to distinguish a leak from a cache that fills. */
  readonly isInformative: boolean;
}

/** Services whose rounds, or long load so far, do not show that the memory of head grows like that of base, and their lowest rate. */
export function unclearGrowth(run: RunInRounds): readonly { readonly service: string; readonly rps: number }[] {
  const { policy } = run.rounds;
  const clear = growthsOf(run).filter((one) => verdictOf(one, thresholdOf(policy, one)) === 'unchanged');
  return cellsOf(run)
    .filter(({ cell }) => !clear.some((one) => one.cell.service === cell.service))
    .map(({ cell: { service }, base, head }) => ({
      service,
      rps: Math.min(...[...base, ...head].flatMap((sample) => sample?.values.achievedRps ?? [])),
    }));
}

/** Verdicts on the memory that services keep per request, from the rounds or a long load. */
export function judgedGrowth(
  run: RunInRounds,
  policy: Policy,
): { readonly findings: readonly Finding[]; readonly readings: readonly HeadReading[] } {
  const growths = growthsOf(run);
  return {
    findings: growths.map((growth) => findingOf(growth, policy)),
    readings: growths.map(({ cell, metric, pairs }) => ({
      ...{ cell, metric, better: 'lower' },
      // Growth below the detectable minimum counts as none: a smaller budget is met.
      values: pairs.map(({ head }) => (head > LEAST_GROWTH ? head : 0)),
    })),
  };
}

function findingOf(growth: Growth, policy: Policy): Finding {
  const { cell, metric, pairs } = growth;
  return ruledFinding({ cell, metric }, policy, {
    ...{ base: pairs.map((one) => one.base), head: pairs.map((one) => one.head) },
    change: changesOf(growth),
    sd: standardDeviation(pairs.map((one) => Math.log(one.head / one.base))) ?? 0,
    verdict: verdictOf(growth, thresholdOf(policy, growth)),
  });
}

/** Only a difference in every part of every start counts. */
function verdictOf(growth: Growth, threshold: number) {
  const { pairs, isInformative } = growth;
  const { low, high } = changesOf(growth);
  if (isInformative && pairs.length >= STARTS * PARTS) {
    const isClear = pairs.every(({ moreMiB, fallMiB }) => Math.abs(moreMiB) >= Math.max(DRIFT_MIB, fallMiB));
    if (isClear && low >= threshold) {
      return 'regressed';
    }
    if (isClear && 1 / (1 + high) - 1 >= threshold) {
      return 'improved';
    }
  }
  return high < threshold ? 'unchanged' : 'inconclusive';
}

/** Smallest and largest change; for rounds, without the extreme fifth at each end. */
function changesOf({ pairs, isInformative }: Growth): { readonly low: number; readonly high: number } {
  const changes = pairs.map(({ base, head }) => head / base - 1).toSorted((left, right) => left - right);
  const leftOut = isInformative ? 0 : Math.floor(LEFT_OUT * changes.length);
  const [low = 0, high = low] = [changes[leftOut], changes.at(-1 - leftOut)];
  return { low, high };
}

function growthsOf(run: RunInRounds): readonly Growth[] {
  return cellsOf(run).flatMap(({ cell }) => {
    const { service } = cell;
    const starts = (run.memoryGrowth?.starts ?? []).filter((one) => one.service === service);
    const isInformative = starts.length > 0;
    const pairs = isInformative ? pairsOfStarts(starts) : pairsOfRounds(run, service);
    return pairs.length === 0 ? [] : [{ cell: { ...cell, tier: ALL_TIERS }, metric: METRIC, pairs, isInformative }];
  });
}

function cellsOf(run: RunInRounds) {
  return run.rounds.versus === undefined
    ? keptCells(run).filter(
        ({ cell, base, head }) =>
          cell.operation === ALL_OPERATIONS &&
          cell.tier === SATURATION &&
          [base, head].every((side) => side.some((one) => one !== undefined)),
      )
    : [];
}

function pairsOfStarts(starts: readonly MemoryStart[]): readonly Pair[] {
  const bases = starts.filter(({ side }) => side === 'base');
  return bases.flatMap((base) =>
    starts
      .filter(({ side, start }) => side === 'head' && start === base.start)
      .flatMap((head) => pairsOf([base, head], PARTS, LEAST_REQUESTS.long)),
  );
}

/** One pair per round: its blocks in order of time. */
function pairsOfRounds(run: RunInRounds, service: string): readonly Pair[] {
  const kept = run.rounds.rounds.filter((round) => round.service === service && round.outcome === 'kept');
  const whole = run.samples.filter(({ cell }) => cell.service === service && cell.operation === ALL_OPERATIONS);
  const byRound = Map.groupBy(whole, ({ round, side }) => `${round} ${side}`);
  return kept.flatMap(({ round, loads }) => {
    const seriesOf = (side: Sample['side']): Series => {
      const samples = byRound.get(`${round} ${side}`) ?? [];
      const sums = loads.flatMap((tier) =>
        samples.flatMap(({ cell, blockSums = [] }) => (cell.tier === tier ? blockSums : [])),
      );
      const isRead = sums.every(({ memoryMiB, answers }) => memoryMiB !== undefined && answers !== undefined);
      return {
        requests: isRead ? sums.flatMap(({ answers }) => answers ?? []) : [],
        memoryMiB: isRead ? sums.flatMap(({ memoryMiB }) => memoryMiB ?? []) : [],
      };
    };
    return pairsOf([seriesOf('base'), seriesOf('head')], 1, LEAST_REQUESTS.round);
  });
}

function pairsOf(series: readonly [Series, Series], parts: number, least: number): readonly Pair[] {
  const [bases, heads] = series.map((one) => growthIn(one, parts, least));
  return (bases ?? []).flatMap(({ growth: base, requests, fallMiB }, part) => {
    const head = heads?.[part];
    return head === undefined
      ? []
      : [
          {
            ...{ base, head: head.growth, fallMiB: Math.max(fallMiB, head.fallMiB) },
            moreMiB: ((head.growth - base) * Math.min(requests, head.requests)) / MIB,
          },
        ];
  });
}

/** Growth in each part of the second half of the requests, at least LEAST_GROWTH; none if a part has fewer than `least` requests. */
function growthIn({ requests, memoryMiB }: Series, parts: number, least: number) {
  let sum = 0;
  const points = memoryMiB.map((memory, block) => {
    sum += requests[block] ?? 0;
    return { at: sum, value: memory * MIB };
  });
  const length = sum / 2 / parts;
  const late = points.filter(({ at }) => at >= sum / 2).map(({ value }) => value);
  const fallMiB = Math.max(0, ...late.slice(1).map((value, place) => (late[place] ?? 0) - value)) / MIB;
  return length < least
    ? []
    : Array.from({ length: parts }, (_, part) => {
        const from = sum / 2 + part * length;
        const growth = slopeOf(points.filter(({ at }) => at >= from && at <= from + length));
        return { growth: Math.max(LEAST_GROWTH, growth), requests: length, fallMiB };
      });
}

/** Theil–Sen slope: the median of the slopes of all pairs, which a step of the collector hardly affects. */
export function slopeOf(points: readonly Point[]): number {
  return median(slopesOf(points)) ?? 0;
}
