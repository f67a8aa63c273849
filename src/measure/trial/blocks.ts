import { seedOf } from '../../foundation/random.ts';
import { managedRuntimeOf } from '../../host/machine/managed-runtime.ts';
import { SATURATION } from '../../model/metric.ts';
import { type Block, operationsAt, paceOf, type SteadyPace } from '../../model/plan.ts';
import {
  type BlockTier,
  blockTurns,
  LONGEST_BLOCK_SECONDS,
  type Side,
  saturationBlockSeconds,
} from '../../model/rounds.ts';
import type { RoundRecord } from '../../model/run/rounds.ts';
import type { Sample } from '../../model/run/sample.ts';
import { overNetwork } from '../../model/suite/network.ts';
import { isClosed } from '../../model/suite/suite.ts';
import { firstStartMs, lastEndMs, type MeasuredBlock } from '../samples/machine.ts';
import { blockSamples } from '../samples/observation.ts';
import { summarise } from '../samples/summary.ts';
import { type AnswerLengths, answerLengths, grownOperations } from './answers.ts';
import type { TrialBench } from './bench.ts';
import { blamingMembers } from './early-exit.ts';
import { blaming } from './failure.ts';
import { runBlock } from './loads.ts';
import type { ReadySubject } from './runner.ts';
import type { WallTime } from './time.ts';
import { allCoresIfManaged, type RoundBench } from './versions.ts';

/** Block of each subject that a round repeats. */
export interface RoundLoad extends Block {
  readonly name: string;
  /** Blocks are too short for ramped users. */
  readonly pace: SteadyPace;
  readonly operations?: readonly string[] | undefined;
  readonly blocks: number;
  readonly dropSeconds: number;
}

export function saturationLoad(
  { suite, profile }: Pick<RoundBench, 'suite' | 'profile'>,
  blockSeconds: number,
): RoundLoad {
  const pace: SteadyPace = { kind: 'saturate', workers: suite.saturation.workers, ...overNetwork(suite) };
  return { name: SATURATION, pace, ...blocksOf(profile.saturationSeconds, blockSeconds), dropSeconds: 0 };
}

function blocksOf(seconds: number, blockSeconds: number) {
  // A single block would not be mirrored.
  return { blocks: Math.max(2, Math.round(seconds / blockSeconds)), seconds: blockSeconds };
}

/** Load of a tier. Users without think time get the block length after a warm-up (`warmed`), and at most the suite's workers. */
export async function tierLoad(
  { suite, profile }: Pick<RoundBench, 'suite' | 'profile'>,
  name: string,
  warmed: (load: (blockSeconds: number) => RoundLoad) => Promise<WarmUp>,
): Promise<RoundLoad> {
  const tier = suite.tiers.find((one) => one.name === name) as BlockTier;
  const { tierBlocks, tierBlockSeconds, dropSeconds } = profile;
  const { operations } = tier;
  if (!isClosed(tier)) {
    return { name, pace: paceOf(tier), operations, blocks: tierBlocks, seconds: tierBlockSeconds, dropSeconds };
  }
  const workers = Math.min(tier.users, suite.saturation.workers);
  const pace: SteadyPace = { kind: 'saturate', workers, ...overNetwork(tier) };
  const seconds = tierBlocks * tierBlockSeconds;
  const load = (blockSeconds: number) => ({
    ...{ name, pace, operations, dropSeconds: 0 },
    ...blocksOf(seconds, blockSeconds),
  });
  return blocksAfter(await warmed(load), load);
}

/** Blocks of a closed loop, with the length that its warm-up determined. */
export function blocksAfter(
  { blockSeconds, dropSeconds }: WarmUp,
  load: (blockSeconds: number) => RoundLoad,
): RoundLoad {
  return { ...load(blockSeconds), dropSeconds };
}

/** Round of the blocks; `service` is the name in the cells, also for a service that replaces the base. */
type Round = Pick<RoundRecord, 'service' | 'round' | 'first'>;

/** Samples of all blocks of one kind of load, alternating between two subjects. Throws SubjectFailure. */
export async function runAllBlocks(
  bench: RoundBench & { readonly wallTime: WallTime },
  load: RoundLoad,
  ready: readonly ReadySubject[],
  round: Round,
): Promise<Sample[]> {
  const { client, suite, seed, wallTime } = bench;
  const measured = ready.map((subject) => ({
    subject,
    operations: operationsAt(subject, load),
    reads: [] as (() => Promise<MeasuredBlock>)[],
  }));
  const lengthsNow = () =>
    wallTime.spend('growth', async () => {
      const lengths: AnswerLengths[] = [];
      for (const { subject, operations } of measured) {
        const { service, running } = subject;
        lengths.push(await answerLengths(client, { service, address: running.address, operations }));
      }
      return lengths;
    });
  const before = await lengthsNow();
  await wallTime.spend('load', async () => {
    for (const side of blockTurns(round.first, load.blocks)) {
      const own = measured.find(({ subject }) => subject.side === side);
      if (own !== undefined) {
        // All subjects get the same schedules.
        const block = own.reads.length;
        const jitterSeed = (name: string) => seedOf(seed, round.service, round.round, load.name, block, name);
        const run = () => runBlock(bench, own.subject, load, { jitterSeed });
        own.reads.push(await blaming(side, () => blamingMembers(own.subject.running, run)));
      }
    }
  });
  const after = await lengthsNow();
  return await wallTime.spend('records', async () => {
    const samples: Sample[] = [];
    for (const [index, { subject, operations, reads }] of measured.entries()) {
      const blocks: MeasuredBlock[] = [];
      for (const read of reads) {
        blocks.push(await blaming(subject.side, read));
      }
      wallTime.add('drain', drainMs(blocks, load));
      wallTime.add('dropped', blocks.length * load.dropSeconds * 1000);
      const place = {
        cell: { suite: suite.name, service: round.service, tier: load.name },
        ...{ round: round.round, side: subject.side, position: subject.side === round.first ? 1 : 2 },
      };
      const series = {
        ...subject,
        ...load,
        ...{ operations, blocks, mode: load.pace.kind, workers: load.pace.workers },
        growing: grownOperations(before[index] ?? new Map(), after[index] ?? new Map()),
        hasEscaped: (subject.running.escaped?.() ?? []).length > 0,
      };
      samples.push(...blockSamples(series, place));
    }
    return samples;
  });
}

function drainMs(blocks: readonly MeasuredBlock[], { seconds }: RoundLoad): number {
  return blocks.reduce((sum, { parts }) => {
    const late = lastEndMs(parts) - firstStartMs(parts) - seconds * 1000;
    return sum + (Number.isFinite(late) ? Math.max(0, late) : 0);
  }, 0);
}

/** Per subject; long enough for a typical response, short enough to see where the service's curve is flat. */
const WARM_UP_BLOCK_SECONDS = 0.1;

/** Maximum per subject. */
const MAX_WARM_UP_BLOCKS = 20;

/** The same with the time until the last responses, which slow services spend most of it on; one block shows no change. */
const MAX_WARM_UP_SECONDS = 2;
const LEAST_WARM_UP_BLOCKS = 2;

/** Length for programs that are compiled at run time, which takes thousands of requests. */
const MANAGED_BLOCK_SECONDS = 1;
const MAX_MANAGED_BLOCKS = 12;

/** Requests in a window of such blocks, of 4 at most: within some hundred, a JVM has plateaus on which it is far from warm. */
const WINDOW = { requests: 1000, mostBlocks: 4 };

/** A service is warm once a block is at most this share faster than the fastest one before it. */
const STILL_FASTER = 0.05;

/** The same for CPU time per request on a managed runtime, which varies more from window to window. */
const STILL_CHEAPER = 0.1;

/** Period of a CPU quota in the kernel. */
const QUOTA_SECONDS = 0.1;

/** Length of the next blocks after a warm-up, and the versions that were still getting faster. */
export interface WarmUp {
  readonly blockSeconds: number;
  /** Seconds at the start of each block that do not count. */
  readonly dropSeconds: number;
  readonly cold: readonly Side[];
}

type WarmUpBench = Pick<TrialBench, 'clock' | 'secrets'>;

/** Warms subjects up: those on managed runtimes first, then all by blocks until responses get no faster, for at most 2 s. Their counters are part of the warm-up. */
export async function warmUp(
  bench: WarmUpBench,
  ready: readonly ReadySubject[],
  loadOf: (blockSeconds: number) => RoundLoad,
): Promise<WarmUp> {
  const cold = await warmUpManaged(bench, ready, loadOf(MANAGED_BLOCK_SECONDS));
  const load = loadOf(WARM_UP_BLOCK_SECONDS);
  const curves = ready.map((subject) => ({ subject, answersMs: [] as (number | undefined)[] }));
  const endMs = bench.clock.steadyMs() + ready.length * MAX_WARM_UP_SECONDS * 1000;
  const mayGoOn = (blocks: number) => blocks < LEAST_WARM_UP_BLOCKS || bench.clock.steadyMs() < endMs;
  for (let blocks = 0; blocks < MAX_WARM_UP_BLOCKS && mayGoOn(blocks); blocks += 1) {
    for (const { subject, answersMs } of curves) {
      answersMs.push((await warmUpBlock(bench, subject, load)).answerMs);
    }
    if (curves.every(({ answersMs }) => isWarm(answersMs))) {
      break;
    }
  }
  const lengths = curves.map(({ answersMs }) => saturationBlockSeconds(answersMs.at(-1)));
  const faster = curves.filter(({ answersMs }) => !isWarm(answersMs)).map(({ subject }) => subject.side);
  const hasQuota = ready.some(({ running }) => running.hasCpuQuota);
  return {
    blockSeconds: ready.length < 2 || hasQuota ? LONGEST_BLOCK_SECONDS : Math.max(...lengths),
    // After the quota left over at the start, the rest of a block has the same number of quotas, wherever it begins between two.
    dropSeconds: hasQuota ? QUOTA_SECONDS : 0,
    cold: [...new Set([...cold, ...faster])],
  };
}

/**
 * Loads subjects with a program on a managed runtime side by side, on all cores if that is the entry, until the CPU time of each per
 * request falls no further, for 12 s at most. Returns those whose still falls.
 */
async function warmUpManaged(
  bench: WarmUpBench,
  ready: readonly ReadySubject[],
  load: RoundLoad,
): Promise<readonly Side[]> {
  const curves = ready
    .filter(({ running: { processes = [] } }) => managedRuntimeOf(processes) !== undefined)
    .map((subject) => ({ subject, blocks: [] as WarmUpBlock[] }));
  const isFlat = ({ blocks }: { readonly blocks: readonly WarmUpBlock[] }) => isCostFlat(blocks);
  const moved = await Promise.all(curves.map(({ subject }) => allCoresIfManaged(subject.running)));
  try {
    for (let count = 0; count < MAX_MANAGED_BLOCKS && !curves.every(isFlat); count += 1) {
      const works = curves.map(async ({ subject, blocks }) => {
        blocks.push(await warmUpBlock(bench, subject, load));
      });
      // All are awaited, so that none is loaded while its core is set.
      await Promise.allSettled(works);
      await Promise.all(works);
    }
  } finally {
    await Promise.all(moved.map((one) => one?.[Symbol.asyncDispose]()));
  }
  return curves.filter((curve) => !isFlat(curve)).map(({ subject }) => subject.side);
}

interface WarmUpBlock {
  readonly requests: number;
  readonly cpuSeconds: number;
  /** A usual answer; undefined without one. */
  readonly answerMs: number | undefined;
}

async function warmUpBlock(
  { clock, secrets }: WarmUpBench,
  subject: ReadySubject,
  load: RoundLoad,
): Promise<WarmUpBlock> {
  const { parts, before, after } = await blaming(
    subject.side,
    async () => await (await runBlock({ clock, secrets }, subject, load))(),
  );
  const { values, requests } = summarise(parts, { fromMs: before.atMs, toMs: after.atMs });
  const cpuSeconds = (after.service.cpuSeconds ?? 0) - (before.service.cpuSeconds ?? 0);
  return { requests, cpuSeconds, answerMs: values.latencyP50Ms };
}

/** Loads each subject for the warm-up time of the suite, one after another, before measuring; throws SubjectFailure as runBlock does. */
export async function warmUpLong(
  { clock, secrets }: Pick<TrialBench, 'clock' | 'secrets'>,
  ready: readonly ReadySubject[],
  load: RoundLoad,
): Promise<void> {
  for (const subject of ready) {
    await blaming(subject.side, () => runBlock({ clock, secrets }, subject, load));
  }
}

/** True if the last block of a curve is hardly faster than the fastest before; one that answers nothing gets no warmer. */
export function isWarm(answersMs: readonly (number | undefined)[]): boolean {
  const known = answersMs.map((answer) => answer ?? Number.POSITIVE_INFINITY);
  const before = known.slice(0, -1);
  return before.length > 0 && isHardlyLess(known.at(-1) ?? Number.POSITIVE_INFINITY, Math.min(...before), STILL_FASTER);
}

/** True if CPU time per request in the last window of blocks is hardly less than in the window before. */
export function isCostFlat(blocks: readonly Pick<WarmUpBlock, 'requests' | 'cpuSeconds'>[]): boolean {
  const last = blocksInWindow(blocks);
  const before = blocksInWindow(blocks.slice(0, -last.length));
  return before.length > 0 && isHardlyLess(costOf(last), costOf(before), STILL_CHEAPER);
}

function isHardlyLess(cost: number, before: number, share: number): boolean {
  return cost === Number.POSITIVE_INFINITY || cost >= (1 - share) * before;
}

/** Last blocks of a curve that make a window; none if it is too short. */
function blocksInWindow<Block extends Pick<WarmUpBlock, 'requests'>>(blocks: readonly Block[]): readonly Block[] {
  let length = 0;
  for (let requests = 0; length < WINDOW.mostBlocks && requests < WINDOW.requests; length += 1) {
    requests += blocks.at(-1 - length)?.requests ?? 0;
  }
  return blocks.length < length ? [] : blocks.slice(-length);
}

function costOf(blocks: readonly Pick<WarmUpBlock, 'requests' | 'cpuSeconds'>[]): number {
  const sumOf = (key: 'requests' | 'cpuSeconds') => blocks.reduce((sum, block) => sum + block[key], 0);
  return sumOf('requests') === 0 ? Number.POSITIVE_INFINITY : sumOf('cpuSeconds') / sumOf('requests');
}
