import { describe, expect, it } from 'vitest';
import { variancesOf } from '../../../bench/power/variance.ts';
import { seededRandom } from '../../../src/foundation/random.ts';
import type { RunInRounds } from '../../../src/model/run/run.ts';
import { sampleRounds } from '../../support/sample-rounds.ts';

/** Standard normal values (Box and Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The same rounds with blocks whose CPU time scatters by so much, and starts that differ by so much. */
function withBlocks(run: RunInRounds, { block, start }: { readonly block: number; readonly start: number }) {
  const random = seededRandom(7);
  const samples = run.samples.map((sample) => {
    const own = Math.exp(start * normal(random));
    const answers = Array.from({ length: 40 }, () => 100);
    const cpuSeconds = answers.map(() => 0.02 * own * Math.exp(block * normal(random)));
    const others = { requests: answers, latencyMs: answers.map(() => 500), seconds: answers.map(() => 0.05) };
    return { ...sample, blockSums: { ...others, cpuSeconds, answers } };
  });
  return { ...run, samples };
}

describe('components of variance', () => {
  const run = sampleRounds({ rounds: 200, services: ['rest'] });
  const cpuOf = (made: RunInRounds) =>
    variancesOf(made).find(
      ({ figure, tier, operation }) => figure === 'CPU per request' && tier === 'saturation' && operation === 'all',
    );

  it('separates the variance of starts from that of blocks', () => {
    const found = cpuOf(withBlocks(run, { block: 0.1, start: 0.02 }));

    // Of a ratio, so both versions count.
    expect(found?.block).toBeCloseTo(0.1 * Math.SQRT2, 2);
    expect(found?.within).toBeCloseTo((0.1 * Math.SQRT2) / Math.sqrt(40), 2);
    expect(found?.between).toBeCloseTo(0.02 * Math.SQRT2, 2);
    expect(found).toMatchObject({ rounds: 200, blocks: 40, service: 'rest' });
  });

  it('finds nothing between starts that do not differ', () => {
    expect(cpuOf(withBlocks(run, { block: 0.1, start: 0 }))?.between).toBeLessThan(0.01);
  });

  it('leaves out what has no blocks, as files of earlier versions', () => {
    expect(variancesOf(run)).toEqual([]);
  });
});
