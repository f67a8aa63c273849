import { MeasurementError } from '../../foundation/errors.ts';
import { managedRuntimeOf } from '../../host/machine/managed-runtime.ts';
import { ALL_OPERATIONS, SATURATION } from '../../model/metric.ts';
import { roundOrder, roundSeconds, type Side, tiersFor } from '../../model/rounds.ts';
import type { RoundRecord } from '../../model/run/rounds.ts';
import type { Sample } from '../../model/run/sample.ts';
import { warmupSecondsOf } from '../../model/suite/suite.ts';
import {
  blocksAfter,
  type RoundLoad,
  runAllBlocks,
  saturationLoad,
  tierLoad,
  warmUp,
  warmUpLong,
} from '../trial/blocks.ts';
import { blamingMembers } from '../trial/early-exit.ts';
import { blaming, failureRecord, SubjectFailure } from '../trial/failure.ts';
import { type ReadySubject, runTrial } from '../trial/runner.ts';
import { underOneClock, WallTime } from '../trial/time.ts';
import { benchFor, type RoundBench, startedTogether, versionTrial } from '../trial/versions.ts';
import type { TimedRound } from './fit.ts';

interface RoundName extends Pick<RoundRecord, 'service' | 'round'> {
  readonly mayDiscard: boolean;
  readonly tiers: readonly string[];
  /** Multiple of the usual measuring time at saturation. */
  readonly times: number;
  /** Time of the control loop, if an earlier round has just measured it. */
  readonly controlMs?: number | undefined;
}

/** Starts both versions, loads them in turns, and stops them. Discarded if the machine changed, failed if a version or the clock failed. */
export async function measureRound(
  roundBench: RoundBench,
  { service, round, mayDiscard: isOneOfMany, tiers: loaded, times, controlMs: justMeasured }: RoundName,
  show: (step: string) => void,
): Promise<TimedRound & { readonly samples: readonly Sample[] }> {
  const usual = benchFor(roundBench, service);
  const longer = { ...usual.profile, saturationSeconds: times * usual.profile.saturationSeconds };
  const bench: OneRoundBench = { ...usual, profile: longer, wallTime: new WallTime(roundBench.clock), show };
  const { profile, seed, clock, wallTime, signal, interleave } = bench;
  const { runtime, services } = bench.versions.head;
  const own = tiersFor(profile, roundBench.suite, service).map(({ name }) => name);
  const tiers = own.filter((name) => loaded.includes(name));
  const plannedSeconds = roundSeconds(
    profile,
    { ...roundBench.suite, services: [service] },
    { runtime: runtime.name, services },
  );
  const startedAt = new Date(clock.nowMs()).toISOString();
  const noted = { service, round, startedAt, plannedSeconds, ...roundOrder({ seed, service, round }, tiers) };
  const control = (): Promise<number> => {
    show('control');
    return wallTime.spend('control', () => runtime.control(signal));
  };
  try {
    const { samples, slow, isOnC1, cold, loadSeconds, controlMs } = await underOneClock(clock, 'round', async () => {
      const before = justMeasured ?? (await control());
      const measured = await runSides(bench, noted);
      return { ...measured, controlMs: { before, after: await control() } };
    });
    const conditions = (ms: number, side: Side) => ({
      controlMs: ms,
      stealShare: stealShareOf(samples.filter((sample) => sample.side === side)),
    });
    const contamination = contaminationOf(
      conditions(controlMs.before, noted.first),
      conditions(controlMs.after, otherSide(noted.first)),
      // Number of turns of each version under the load with the fewest blocks.
      interleave === 'blocks' ? Math.min(...samples.map(({ blocks }) => blocks ?? 1)) : 1,
    );
    const outcome = isOneOfMany && contamination > MAX_CONTAMINATION ? 'discarded' : 'kept';
    const sides = {
      ...(slow.length > 0 && { onAllCores: slow }),
      ...(isOnC1 && { compiler: 'C1' as const }),
      ...(cold.length > 0 && { cold }),
    };
    const seconds = wallTime.split(samples);
    return {
      record: { ...noted, ...sides, controlMs, contamination, outcome, seconds },
      samples,
      loadSeconds,
      times,
      // Rounds whose versions do not alternate have the usual length.
      ...(interleave === 'blocks' && { requests: requestsIn(samples) }),
    };
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof SubjectFailure || thrown instanceof MeasurementError)) {
      throw thrown;
    }
    const side = thrown instanceof SubjectFailure ? { side: thrown.side } : {};
    return {
      record: { ...noted, outcome: 'failed', failure: { ...side, ...failureRecord(thrown, bench) } },
      samples: [],
      loadSeconds: {},
      times,
    };
  }
}

/** Requests at saturation of the version with fewer. */
function requestsIn(samples: readonly Sample[]): number {
  const saturated = samples.filter(({ cell }) => cell.tier === SATURATION && cell.operation === ALL_OPERATIONS);
  return Math.min(...saturated.map(({ requests }) => requests));
}

interface OneRoundBench extends RoundBench {
  readonly wallTime: WallTime;
  readonly show: (step: string) => void;
}

type Round = Pick<RoundRecord, 'service' | 'round' | 'first' | 'loads'>;

async function runSides(bench: OneRoundBench, round: Round) {
  const samples: Sample[] = [];
  const slow: Side[] = [];
  let isOnC1 = false;
  const cold: Side[] = [];
  const loadSeconds: Record<string, number> = {};
  for (const sides of startedTogether(bench, [round.first, otherSide(round.first)])) {
    bench.show('start');
    const ofStart = await runTrial(bench, {
      ...versionTrial(bench, round.service, sides),
      during: 'under load',
      blame: blaming,
      wallTime: bench.wallTime,
      use: (ready) => {
        slow.push(...ready.flatMap(({ side, wasSlow }) => (wasSlow ? side : [])));
        isOnC1 ||= ready.some(runsOnC1);
        return runAll(bench, round, ready, { cold, loadSeconds });
      },
    });
    samples.push(...ofStart);
  }
  return { samples, slow, isOnC1, cold, loadSeconds };
}

/** True if only C1 compiles its program, or that of a member. */
function runsOnC1({ service, running: { processes = [] } }: ReadySubject): boolean {
  return [service, ...(service.members ?? [])].some(
    ({ compiler }, place) => compiler === 'C1' && managedRuntimeOf(processes.slice(place, place + 1)) === 'a JVM',
  );
}

/** Adds versions that are still cold at saturation, and the wall time of each load. */
async function runAll(
  bench: OneRoundBench,
  round: Round,
  ready: readonly ReadySubject[],
  { cold, loadSeconds }: { readonly cold: Side[]; readonly loadSeconds: Record<string, number> },
): Promise<Sample[]> {
  const warmingUp = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    bench.show('warm-up');
    return await bench.wallTime.spend('warmUp', work);
  };
  const warmUpFor = (load: (blockSeconds: number) => RoundLoad) => warmingUp(() => warmUp(bench, ready, load));
  const saturation = (blockSeconds: number) => saturationLoad(bench, blockSeconds);
  const leastSeconds = warmupSecondsOf(bench.suite, bench.profile.name);
  if (leastSeconds > 0) {
    await warmingUp(() => warmUpLong(bench, ready, saturation(leastSeconds)));
  }
  const saturated = async (): Promise<RoundLoad> => {
    const warm = await warmUpFor(saturation);
    cold.push(...warm.cold);
    return blocksAfter(warm, saturation);
  };
  const samples: Sample[] = [];
  for (const name of round.loads) {
    // Its warm-up takes no longer if it does.
    const warm = name === SATURATION ? await saturated() : undefined;
    const startedMs = bench.clock.steadyMs();
    const load = warm ?? (await tierLoad(bench, name, warmUpFor));
    bench.show(name);
    samples.push(...(await runAllBlocks(bench, load, ready, round)));
    loadSeconds[name] = (loadSeconds[name] ?? 0) + (bench.clock.steadyMs() - startedMs) / 1000;
  }
  for (const { side, running } of ready) {
    const isFailing = (one: Sample) => one.side === side && one.marks.includes('failing');
    const hasFailed = (all: readonly Sample[]) => all.some(isFailing);
    await blaming(side, () => blamingMembers(running, async () => samples, hasFailed));
  }
  return samples;
}

function otherSide(side: Side): Side {
  return side === 'base' ? 'head' : 'base';
}

/** Share of a core that went to other virtual machines, weighted by the measured time of each load; 0 without samples. */
export function stealShareOf(samples: readonly Sample[]): number {
  const whole = samples.filter(({ cell }) => cell.operation === ALL_OPERATIONS);
  const seconds = whole.reduce((sum, { measuredSeconds }) => sum + measuredSeconds, 0);
  const stolen = whole.reduce((sum, { host, measuredSeconds }) => sum + host.stealShare * measuredSeconds, 0);
  return seconds === 0 ? 0 : stolen / seconds;
}

interface Conditions {
  /** Wall time of the fixed CPU loop: before the round for the first version, after it for the second. */
  readonly controlMs: number;
  /** Share of a core that the hypervisor gave to others during the version's blocks. */
  readonly stealShare: number;
}

/** A round whose two versions had machine states that differ by more than this is discarded and run again. */
export const MAX_CONTAMINATION = 0.1;

/**
 * Difference of the machine between the first and the second version of a round with `blocks` blocks each, in turns: the difference of log control
 * time plus steal share. A machine that changes from before the round to after it can favor one version by at most one block, since the blocks are
 * mirrored; with one block each it is the whole change. It depends neither on which version is which nor on any result, so that discarding by it
 * keeps the test exact.
 */
export function contaminationOf(first: Conditions, second: Conditions, blocks: number): number {
  const changed = Math.log(first.controlMs) - Math.log(second.controlMs);
  return Math.abs(changed / Math.max(1, blocks) + (first.stealShare - second.stealShare));
}

export function mayDiscard(discarded: number, required: number): boolean {
  return discarded < Math.floor(0.4 * required);
}
