import { MeasurementError } from '../../foundation/errors.ts';
import { LONGEST_BLOCK_SECONDS, type Side, saturationBlockSeconds } from '../../model/rounds.ts';
import type { Service } from '../../model/service.ts';
import type { RunningService } from '../../runtime/port.ts';
import type { PlayedBlock } from '../samples/block.ts';
import { summarise } from '../samples/summary.ts';
import { blamingMembers, untilItEnds } from '../service/early-exit.ts';
import { canonicalAnswers, untilAnswering } from '../service/verify.ts';
import { sharedWrongPath, type WrongPathError } from '../service/wrong-path.ts';
import { type AttemptBench, blaming, type RoundBench } from './bench.ts';
import { playBlock, type ReadyVersion, type RoundLoad, sharedOperations } from './blocks.ts';
import { WallTime } from './wall-time.ts';

/** Which versions of which service, in the order in which they are started. */
export interface VersionNames {
  readonly service: string;
  readonly sides: readonly Side[];
}

/**
 * Starts versions of a service anew, side by side; waits until they answer, verifies their answers, lets `use` work with them, and
 * stops them. Throws VersionFailure if one does not get ready, ends by itself while it is used, or fails under a load.
 */
export async function withVersions<Result>(
  bench: AttemptBench,
  { service, sides }: VersionNames,
  use: (standing: readonly ReadyVersion[]) => Promise<Result>,
): Promise<Result> {
  const running: RunningService[] = [];
  const stop = new AbortController();
  const signal = AbortSignal.any([bench.signal, stop.signal]);
  const milestones = new Milestones(bench);
  try {
    const starts = sides.map((side) =>
      blaming(side, async (): Promise<ReadyVersion> => {
        const found = serviceOf(bench, side, service);
        const started = await bench.versions[side].runtime.start(found, signal);
        running.push(started);
        milestones.reach('start');
        return await ready(bench, { side, service: found, running: started, signal }, milestones);
      }),
    );
    // All are awaited, so that none starts up while the others are already removed.
    const ends = await Promise.allSettled(starts);
    milestones.note();
    const wrong = sharedWrongPath(ends);
    if (wrong !== undefined) {
      throw ofBoth(wrong, bench);
    }
    return await whileTheyStand(await Promise.all(starts), use, stop);
  } finally {
    await bench.wallTime.spend('stop', () => Promise.all(running.map((one) => one[Symbol.asyncDispose]())));
  }
}

/** A path that neither version has is the fault of none of them. Services that are compared, and a build with itself, are of one version. */
function ofBoth(wrong: WrongPathError, { versions: { base, head } }: RoundBench): MeasurementError {
  const { message, next = '' } = wrong;
  return base.runtime === head.runtime
    ? wrong
    : new MeasurementError(`${message}, in base and in head`, { code: wrong.code, cause: wrong, next });
}

const MILESTONES = ['start', 'ready', 'verify'] as const;

/** Splits the time until all versions stand by when the last of them came to each milestone. */
class Milestones {
  readonly #bench: AttemptBench;
  readonly #startedMs: number;
  readonly #lastMs = new Map<string, number>();

  constructor(bench: AttemptBench) {
    this.#bench = bench;
    this.#startedMs = bench.clock.steadyMs();
  }

  reach(milestone: (typeof MILESTONES)[number]): void {
    this.#lastMs.set(milestone, this.#bench.clock.steadyMs());
  }

  note(): void {
    let beforeMs = this.#startedMs;
    for (const milestone of MILESTONES) {
      const lastMs = this.#lastMs.get(milestone) ?? beforeMs;
      this.#bench.wallTime.add(milestone, lastMs - beforeMs);
      beforeMs = lastMs;
    }
  }
}

async function ready(
  bench: RoundBench,
  version: Omit<ReadyVersion, 'operations' | 'secrets'>,
  milestones: Milestones,
): Promise<ReadyVersion> {
  const { side, service, running } = version;
  const operations = sharedOperations(bench.versions[side].suite, bench.suite);
  const answers = await blamingMembers(running, async () => {
    await untilAnswering(bench, { service, running, operations });
    milestones.reach('ready');
    return await canonicalAnswers(bench.client, { service, address: running.address, operations });
  });
  bench.answers.check(side, { service, answers });
  const { secrets } = bench;
  const described = await bench.client.described(service, running.address);
  milestones.reach('verify');
  return { ...version, service: described, operations, secrets };
}

/** The end of any version ends the work with all of them. */
async function whileTheyStand<Result>(
  standing: readonly ReadyVersion[],
  use: (standing: readonly ReadyVersion[]) => Promise<Result>,
  stop: AbortController,
): Promise<Result> {
  const work = use(standing);
  const ends = standing.map(({ side, service, running }) =>
    blaming(side, () => untilItEnds({ service, running }, 'under load')),
  );
  try {
    return await Promise.race([work, ...ends]);
  } finally {
    stop.abort();
    await Promise.allSettled([work]);
  }
}

function serviceOf({ versions }: RoundBench, side: Side, name: string): Service {
  const service = versions[side].services.get(name);
  if (service === undefined) {
    throw new RangeError(`${side} has no service ${name}`);
  }
  return service;
}

/** Of each version; long enough for a usual answer, short enough to see where the service's curve is flat. */
const WARM_UP_BLOCK_SECONDS = 0.1;

/** Of each version, whatever its curve. */
const MOST_WARM_UP_BLOCKS = 20;

/** A service is warm once a block is faster than the fastest before it by no more than this share. */
const STILL_FASTER = 0.05;

/**
 * Warms each version up with blocks of a closed loop that count nowhere: until neither answers faster than in the blocks before, as long
 * as for the slower one, and for 2 s at most. Gives the length of the blocks that are to come, in seconds: what the slower version needs;
 * the longest for one version alone, which nothing alternates with. Throws VersionFailure as playBlock does.
 */
export async function warmUp(
  { clock }: Pick<AttemptBench, 'clock'>,
  standing: readonly ReadyVersion[],
  loadOf: (blockSeconds: number) => RoundLoad,
): Promise<number> {
  const load = loadOf(WARM_UP_BLOCK_SECONDS);
  // All that these blocks take is warm-up: what they go into is counted apart.
  const apart = { wallTime: new WallTime(clock) };
  const curves = standing.map((version) => ({ version, answersMs: [] as (number | undefined)[] }));
  for (let blocks = 0; blocks < MOST_WARM_UP_BLOCKS; blocks += 1) {
    for (const { version, answersMs } of curves) {
      answersMs.push(
        answerMs(await blaming(version.side, async () => await (await playBlock(apart, version, { load }))())),
      );
    }
    if (curves.every(({ answersMs }) => isWarm(answersMs))) {
      break;
    }
  }
  const lengths = curves.map(({ answersMs }) => saturationBlockSeconds(answersMs.at(-1)));
  return standing.length < 2 ? LONGEST_BLOCK_SECONDS : Math.max(...lengths);
}

/** Loads each version for the time that a suite wants, one after the other, before anything counts; throws VersionFailure as playBlock does. */
export async function warmUpLong(
  { clock }: Pick<AttemptBench, 'clock'>,
  standing: readonly ReadyVersion[],
  load: RoundLoad,
): Promise<void> {
  const apart = { wallTime: new WallTime(clock) };
  for (const version of standing) {
    await blaming(version.side, async () => await playBlock(apart, version, { load }));
  }
}

/** Whether the curve of usual answers, block by block, has become flat; one that answers nothing gets no warmer. */
export function isWarm(answersMs: readonly (number | undefined)[]): boolean {
  const before = answersMs.slice(0, -1).map((answer) => answer ?? Number.POSITIVE_INFINITY);
  const last = answersMs.at(-1) ?? Number.POSITIVE_INFINITY;
  return before.length > 0 && (last === Number.POSITIVE_INFINITY || last >= (1 - STILL_FASTER) * Math.min(...before));
}

/** The time of a usual answer; undefined if none came. */
function answerMs({ parts, before, after }: PlayedBlock): number | undefined {
  return summarise(parts, { fromMs: before.atMs, toMs: after.atMs }).values.latencyP50Ms;
}
