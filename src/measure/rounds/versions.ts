import { LONGEST_BLOCK_SECONDS, type Service, type Side, saturationBlockSeconds } from '../../model/index.ts';
import type { RunningService } from '../../runtime/index.ts';
import type { PlayedBlock } from '../samples/block.ts';
import { summarise } from '../samples/summary.ts';
import { untilItEnds } from '../service/early-exit.ts';
import { untilReady } from '../service/ready.ts';
import { askingFor, canonicalAnswers } from '../service/verify.ts';
import { blaming, type RoundBench } from './bench.ts';
import { playBlock, type ReadyVersion, type RoundLoad, sharedOperations } from './blocks.ts';

/** Which versions of which service, in the order in which they are started. */
export interface VersionNames {
  readonly service: string;
  readonly sides: readonly Side[];
}

/**
 * Starts versions of a service anew, side by side; waits until they answer, verifies their answers, lets `use` work with them, and
 * stops them. Throws VersionFailure where one does not get ready, ends by itself while it is used, or fails under a load.
 */
export async function withVersions<Result>(
  bench: RoundBench,
  { service, sides }: VersionNames,
  use: (standing: readonly ReadyVersion[]) => Promise<Result>,
): Promise<Result> {
  const running: RunningService[] = [];
  const stop = new AbortController();
  const signal = AbortSignal.any([bench.signal, stop.signal]);
  try {
    const starts = sides.map((side) =>
      blaming(side, async (): Promise<ReadyVersion> => {
        const found = serviceOf(bench, side, service);
        const started = await bench.versions[side].runtime.start(found, signal);
        running.push(started);
        return await ready(bench, { side, service: found, running: started, signal });
      }),
    );
    // All are awaited, so that none starts up while the others are already removed.
    await Promise.allSettled(starts);
    return await whileTheyStand(await Promise.all(starts), use, stop);
  } finally {
    await Promise.all(running.map((one) => one[Symbol.asyncDispose]()));
  }
}

async function ready(bench: RoundBench, version: Omit<ReadyVersion, 'operations' | 'secrets'>): Promise<ReadyVersion> {
  const { side, service, running } = version;
  const operations = sharedOperations(bench.versions[side].suite, bench.suite);
  const [first] = operations;
  if (first !== undefined) {
    await untilReady(running, askingFor(bench, service, first));
  }
  const answers = await canonicalAnswers(bench.client, { service, address: running.address, operations });
  bench.answers.check(side, { service, answers });
  const { secrets } = bench;
  return { ...version, service: await bench.client.described(service, running.address), operations, secrets };
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
    for (const end of ends) {
      end.catch(() => undefined);
    }
  }
}

function serviceOf({ versions }: RoundBench, side: Side, name: string): Service {
  const service = versions[side].services.get(name);
  if (service === undefined) {
    throw new RangeError(`${side} has no service ${name}`);
  }
  return service;
}

/**
 * Fills the caches and opens the connections of each version with a block of a closed loop that counts nowhere. Gives the length of
 * the blocks that are to come, in seconds: what the slower version needs; the longest for one version alone, which nothing
 * alternates with. Throws VersionFailure as playBlock does.
 */
export async function warmUp(
  standing: readonly ReadyVersion[],
  loadOf: (blockSeconds: number) => RoundLoad,
): Promise<number> {
  const load = loadOf(LONGEST_BLOCK_SECONDS);
  const lengths: number[] = [];
  for (const version of standing) {
    const block = await blaming(version.side, async () => await (await playBlock(version, load))());
    lengths.push(saturationBlockSeconds(answerMs(block)));
  }
  return standing.length < 2 ? LONGEST_BLOCK_SECONDS : Math.max(...lengths);
}

/** The time of a usual answer; undefined where none came. */
function answerMs({ parts, before, after }: PlayedBlock): number | undefined {
  return summarise(parts, { fromMs: before.atMs, toMs: after.atMs }).values.latencyP50Ms;
}
