import { MeasurementError } from '../../foundation/errors.ts';
import { ALL_OPERATIONS, SATURATION, type Sample } from '../../model/metric.ts';
import { type RoundOrder, roundOrder, roundSeconds, type Side, tiersFor } from '../../model/rounds.ts';
import type { RoundRecord } from '../../model/run/rounds.ts';
import { warmupSecondsOf } from '../../model/suite/suite.ts';
import { blaming, SubjectFailure } from '../trial/blame.ts';
import { blamingMembers } from '../trial/early-exit.ts';
import { failureRecord } from '../trial/failure.ts';
import { playAllBlocks, type RoundLoad, saturationLoad, tierLoad } from '../trial/load/blocks.ts';
import { warmUp, warmUpLong } from '../trial/load/warm.ts';
import { WrongPathError } from '../trial/ready/wrong-path.ts';
import { type ReadySubject, runTrial } from '../trial/runner.ts';
import { underOneClock } from '../trial/set-clock.ts';
import { WallTime } from '../trial/wall-time.ts';
import { benchFor, type RoundBench, startedTogether, verifiedSubjects } from './versions.ts';

/** One attempt at a round of one service: what is noted of it, and its samples, discarded ones too. */
export interface Attempt {
  readonly record: RoundRecord;
  readonly samples: readonly Sample[];
}

/** Which attempt. */
export interface AttemptName {
  readonly service: string;
  /** Counts the attempts of the service from 1. */
  readonly round: number;
  readonly mayDiscard: boolean;
}

/** What an attempt is about to do, for the display. */
export type ShowStep = (step: string) => void;

/**
 * Starts both versions of a service anew, loads them in turns, and stops them. A round in which the machine changed between the
 * versions' shares comes back as discarded, one in which a version or the clock failed as failed. Rejects if the machine
 * cannot go on (EnvironmentError) and with the signal's reason.
 */
export async function attemptRound(roundBench: RoundBench, name: AttemptName, show: ShowStep): Promise<Attempt> {
  const { service, round } = name;
  const bench: AttemptBench = { ...benchFor(roundBench, service), wallTime: new WallTime(roundBench.clock) };
  const tiers = tiersFor(bench.profile, roundBench.suite, service).map((tier) => tier.name);
  const order = roundOrder({ seed: bench.seed, service, round }, tiers);
  const { first, loads } = order;
  const { runtime, services } = bench.versions.head;
  const suite = { ...roundBench.suite, services: [service] };
  const plannedSeconds = roundSeconds(bench.profile, suite, { runtime: runtime.name, services });
  const startedAt = new Date(bench.clock.nowMs()).toISOString();
  const noted = { service, round, startedAt, plannedSeconds, first, loads };
  try {
    const { samples, controlMs } = await measured(bench, { name, order }, show);
    const contamination = contaminationOf(...conditionsOf(samples, first, controlMs), turnsOf(bench, samples));
    const isDiscarded = name.mayDiscard && contamination > MOST_CONTAMINATION;
    const outcome = isDiscarded ? 'discarded' : 'kept';
    const seconds = bench.wallTime.split(samples);
    return { record: { ...noted, controlMs, contamination, outcome, seconds }, samples };
  } catch (thrown) {
    bench.signal.throwIfAborted();
    if (!(thrown instanceof SubjectFailure || thrown instanceof MeasurementError)) {
      throw thrown;
    }
    const side = thrown instanceof SubjectFailure ? { side: thrown.side } : {};
    const failure = { ...side, ...failureRecord(thrown, bench) };
    return { record: { ...noted, outcome: 'failed', failure }, samples: [] };
  }
}

/** What an attempt works with. */
interface AttemptBench extends RoundBench {
  readonly wallTime: WallTime;
}

interface Round {
  readonly name: AttemptName;
  readonly order: RoundOrder;
}

interface Measured {
  readonly samples: readonly Sample[];
  readonly controlMs: { readonly before: number; readonly after: number };
}

async function measured(bench: AttemptBench, round: Round, show: ShowStep): Promise<Measured> {
  const { clock, versions, signal, wallTime } = bench;
  return await underOneClock(clock, 'round', async () => {
    show('control');
    const before = await wallTime.spend('control', () => versions.head.runtime.control(signal));
    const samples = await playSides(bench, round, show);
    show('control');
    const after = await wallTime.spend('control', () => versions.head.runtime.control(signal));
    return { samples, controlMs: { before, after } };
  });
}

/** Loads both versions in turns, or one after the other if they cannot run side by side. */
async function playSides(bench: AttemptBench, { name, order }: Round, show: ShowStep): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const sides of startedTogether(bench, [order.first, otherSide(order.first)])) {
    show('start');
    const ofStart = await runTrial(bench, {
      ...verifiedSubjects(bench, name.service, sides),
      during: 'under load',
      blame: blaming,
      wallTime: bench.wallTime,
      use: (ready) => playAll(bench, { ready, name, order }, show),
    });
    samples.push(...ofStart);
  }
  return samples;
}

interface Stage extends Round {
  readonly ready: readonly ReadySubject[];
}

async function playAll(bench: AttemptBench, { ready, name, order }: Stage, show: ShowStep): Promise<Sample[]> {
  const lengthOf = async (load: (blockSeconds: number) => RoundLoad): Promise<number> => {
    show('warm-up');
    return await bench.wallTime.spend('warmUp', () => warmUp(bench, ready, load));
  };
  const saturation = (blockSeconds: number) => saturationLoad(bench, blockSeconds);
  const leastSeconds = warmupSecondsOf(bench.suite, bench.profile.name);
  if (leastSeconds > 0) {
    show('warm-up');
    await bench.wallTime.spend('warmUp', () => warmUpLong(bench, ready, saturation(leastSeconds)));
  }
  const samples: Sample[] = [];
  for (const load of order.loads) {
    const kind = load === SATURATION ? saturation(await lengthOf(saturation)) : await tierLoad(bench, load, lengthOf);
    show(load);
    const place = { ...name, first: order.first };
    samples.push(...(await playAllBlocks(bench, kind, { ready, place })));
  }
  for (const { side, running } of ready) {
    const isFailing = (one: Sample) => one.side === side && one.marks.includes('failing');
    await blaming(side, () =>
      blamingMembers(
        running,
        async () => samples,
        (all) => all.some(isFailing),
      ),
    );
  }
  const startUps = new Map(ready.map(({ side, startUpMs }) => [side, startUpMs]));
  return samples.map((sample) => {
    const startUpMs = startUps.get(sample.side);
    const isWhole = sample.cell.operation === ALL_OPERATIONS && startUpMs !== undefined;
    return isWhole ? { ...sample, values: { ...sample.values, startUpMs } } : sample;
  });
}

/** How often each version had its turn, under the load with the fewest blocks. */
function turnsOf({ interleave }: RoundBench, samples: readonly Sample[]): number {
  return interleave === 'blocks' ? Math.min(...samples.map(({ blocks }) => blocks ?? 1)) : 1;
}

function conditionsOf(
  samples: readonly Sample[],
  first: Side,
  controlMs: Measured['controlMs'],
): readonly [Conditions, Conditions] {
  return [
    { controlMs: controlMs.before, stealShare: stealOf(samples, first) },
    { controlMs: controlMs.after, stealShare: stealOf(samples, otherSide(first)) },
  ];
}

/** Weighted by how long each load was measured. */
function stealOf(samples: readonly Sample[], side: Side): number {
  const whole = samples.filter((sample) => sample.side === side && sample.cell.operation === ALL_OPERATIONS);
  const seconds = whole.reduce((sum, { measuredSeconds }) => sum + measuredSeconds, 0);
  const stolen = whole.reduce((sum, { host, measuredSeconds }) => sum + host.stealShare * measuredSeconds, 0);
  return seconds === 0 ? 0 : stolen / seconds;
}

function otherSide(side: Side): Side {
  return side === 'base' ? 'head' : 'base';
}

/** How the machine was while one version was loaded. */
export interface Conditions {
  /** Wall time of the fixed CPU loop: before the round for the first version, after it for the second. */
  readonly controlMs: number;
  /** Share of a core that the hypervisor gave to others during the version's blocks. */
  readonly stealShare: number;
}

/** A round whose two versions had machines that differ by more than this is discarded and run again. */
export const MOST_CONTAMINATION = 0.1;

/**
 * How far the machine differed between the first and the second version of a round that had so many blocks each, in turns: the
 * difference of log control time plus steal share. A machine that changes from before the round to after it can favour one
 * version by one block at most, since the blocks are mirrored; with one block each it is all of the change.
 * It knows neither which version is which nor any result, so that discarding by it keeps the test exact.
 */
export function contaminationOf(first: Conditions, second: Conditions, blocks: number): number {
  const changed = Math.log(first.controlMs) - Math.log(second.controlMs);
  return Math.abs(changed / Math.max(1, blocks) + (first.stealShare - second.stealShare));
}

/** Whether a further round may still be discarded: at most 40% on top of those that are wanted. */
export function mayDiscard(discarded: number, wanted: number): boolean {
  return discarded < Math.floor(0.4 * wanted);
}

/** A version that failed so often is not tried again; so is a service that failed so often in all. */
const MOST_FAILURES_OF_A_VERSION = 2;

const MOST_FAILURES = 4;

/** Whether a service is tried no more: one version failed again on the repeat, both lack the path that is asked for, or failures do not end. */
export function isGivenUp(records: readonly RoundRecord[], service: string): boolean {
  const failures = records.filter((record) => record.service === service && record.outcome === 'failed');
  const of = (side: 'base' | 'head') => failures.filter(({ failure }) => failure?.side === side).length;
  // What neither version has is not there at the next try, either.
  const missing = failures.filter(
    ({ failure }) => failure?.side === undefined && failure?.code === WrongPathError.code,
  );
  const worst = Math.max(of('base'), of('head'), missing.length);
  return worst >= MOST_FAILURES_OF_A_VERSION || failures.length >= MOST_FAILURES;
}
