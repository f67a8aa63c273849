import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Drawing, drawRounds, type Recorded, recordedOf, roundsOf } from '../../src/judge/calibration/draws.ts';
import { looksFor } from '../../src/judge/inference/family-test.ts';
import { type RecordedRounds, readRecorded } from '../power/files.ts';
import { type PullRequest, type Slowdown, slowed } from './simulation.ts';
import type { Source } from './tally.ts';

/** A source for each file of recorded rounds of unchanged code in a folder. */
export async function recordedSources(folder: string): Promise<readonly Source[]> {
  const files = (await namesIn(folder)).filter((name) => /\.(csv|json)(\.gz)?$/.test(name)).sort();
  return (await Promise.all(files.map((name) => readRecorded(join(folder, name))))).map(sourceOf);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') {
      return [];
    }
    throw thrown;
  }
}

function sourceOf({ file, compared, policy, looks: planned }: RecordedRounds): Source {
  const recorded = recordedOf(compared, policy);
  const rounds = Math.min(roundsOf(recorded), planned.at(-1)?.rounds ?? 0);
  const most = `pull requests of up to ${rounds} rounds in random order with fresh labels`;
  return {
    name: file,
    about: `${file}: ${recorded.length} comparisons, ${roundsOf(recorded)} recorded rounds, drawn as ${most}`,
    family: recorded.length,
    looks: looksFor(planned, rounds, true),
    draw: (random, slowdown) => drawPull(recorded, { rounds, labels: 'fresh', random }, slowdown),
  };
}

/** Recorded rounds are those that were kept, so that nothing is left to run again. */
function drawPull(recorded: readonly Recorded[], drawing: Drawing, slowdown: Slowdown | undefined): PullRequest {
  const comparisons = slowed(drawRounds(recorded, drawing), slowdown);
  return { comparisons, rerun: comparisons };
}
