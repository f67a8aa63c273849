import { LONGEST_BLOCK_SECONDS, saturationBlockSeconds } from '../../../model/rounds.ts';
import type { PlayedBlock } from '../../samples/block.ts';
import { summarise } from '../../samples/summary.ts';
import { blaming } from '../blame.ts';
import type { ReadySubject } from '../runner.ts';
import { WallTime } from '../wall-time.ts';
import { type BlockBench, playBlock, type RoundLoad } from './blocks.ts';

/** Of each subject; long enough for a usual answer, short enough to see where the service's curve is flat. */
const WARM_UP_BLOCK_SECONDS = 0.1;

/** Of each subject, whatever its curve. */
const MOST_WARM_UP_BLOCKS = 20;

/** A service is warm once a block is faster than the fastest before it by no more than this share. */
const STILL_FASTER = 0.05;

/**
 * Warms each subject up with blocks of a closed loop that count nowhere: until neither answers faster than in the blocks before, as long
 * as for the slower one, and for 2 s at most. Gives the length of the blocks that are to come, in seconds: what the slower one needs;
 * the longest for one alone, which nothing alternates with. Throws SubjectFailure as playBlock does.
 */
export async function warmUp(
  { clock, secrets }: Pick<BlockBench, 'clock' | 'secrets'>,
  ready: readonly ReadySubject[],
  loadOf: (blockSeconds: number) => RoundLoad,
): Promise<number> {
  const load = loadOf(WARM_UP_BLOCK_SECONDS);
  // All that these blocks take is warm-up: what they go into is counted apart.
  const apart = { secrets, wallTime: new WallTime(clock) };
  const curves = ready.map((subject) => ({ subject, answersMs: [] as (number | undefined)[] }));
  for (let blocks = 0; blocks < MOST_WARM_UP_BLOCKS; blocks += 1) {
    for (const { subject, answersMs } of curves) {
      answersMs.push(
        answerMs(await blaming(subject.side, async () => await (await playBlock(apart, subject, { load }))())),
      );
    }
    if (curves.every(({ answersMs }) => isWarm(answersMs))) {
      break;
    }
  }
  const lengths = curves.map(({ answersMs }) => saturationBlockSeconds(answersMs.at(-1)));
  return ready.length < 2 ? LONGEST_BLOCK_SECONDS : Math.max(...lengths);
}

/** Loads each subject for the time that a suite wants, one after the other, before anything counts; throws SubjectFailure as playBlock does. */
export async function warmUpLong(
  { clock, secrets }: Pick<BlockBench, 'clock' | 'secrets'>,
  ready: readonly ReadySubject[],
  load: RoundLoad,
): Promise<void> {
  const apart = { secrets, wallTime: new WallTime(clock) };
  for (const subject of ready) {
    await blaming(subject.side, async () => await playBlock(apart, subject, { load }));
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
