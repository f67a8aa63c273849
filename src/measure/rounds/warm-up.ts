import { LONGEST_BLOCK_SECONDS, saturationBlockSeconds } from '../../model/block-length.ts';
import type { PlayedBlock } from '../samples/block-machine.ts';
import { summarise } from '../samples/summary.ts';
import { playBlock, type RoundLoad, type StandingVersion } from './blocks.ts';
import { blaming } from './version-failure.ts';

/**
 * Fills the caches and opens the connections of each version with a block of a closed loop that counts nowhere. Gives the length of
 * the blocks that are to come, in seconds: what the slower version needs; the longest for one version alone, which nothing
 * alternates with. Throws VersionFailure as playBlock does.
 */
export async function warmUp(
  standing: readonly StandingVersion[],
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
