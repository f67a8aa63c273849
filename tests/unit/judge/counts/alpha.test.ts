import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../src/foundation/random.ts';
import { countedFindings, sharesOfAlpha } from '../../../../src/judge/counts/counted.ts';
import { normalQuantile } from '../../../../src/judge/inference/distributions.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { compareProfile } from '../../../../src/model/profiles.ts';
import type { RunInRounds } from '../../../../src/model/run/run.ts';
import { sampleCounts, withCounts } from '../../../support/sample-counts.ts';
import { type SampleRoundsOptions, sampleRounds } from '../../../support/sample-rounds.ts';

const PLAYED = compareProfile('standard');

describe('the share of false alarms', () => {
  test('adds up to alpha, for all kinds of runs', () => {
    const rounds = sampleRounds({ rounds: 8 });

    expect(sharesOfAlpha(rounds)).toEqual({ counts: 0, rounds: 1 });
    expect(sharesOfAlpha(sampleCounts())).toEqual({ counts: 1, rounds: 0 });
    expect(sharesOfAlpha(withCounts(rounds))).toEqual({ counts: 0.2, rounds: 0.8 });
  });

  const SERIES = 600;
  const ALPHA = 0.2;
  const POLICY = {
    ...sampleCounts().rounds.policy,
    alpha: ALPHA,
    thresholds: [
      { metric: 'instructionsPerRequest', threshold: 0.0001 },
      { metric: 'syscallsPerRequest', gate: false },
    ],
  };

  /** Starts of one version that differ by 2%, in which nothing else varies. */
  const startsOf = (random: () => number) =>
    Array.from({ length: 4 }, () => {
      const count = Math.round(900_000 * Math.exp(0.02 * normalQuantile(random())));
      return [count - 1, count, count + 1];
    });

  /** A service with one operation, of which the first so many starts are there. */
  const firstStarts = (run: RunInRounds, most: number): RunInRounds => {
    const { instructions, rounds } = run;
    const starts = instructions?.starts ?? [];
    return {
      ...run,
      rounds: {
        ...rounds,
        base: { ...rounds.base, operations: ['GetUser'] },
        head: { ...rounds.head, operations: ['GetUser'] },
      },
      ...(instructions !== undefined && {
        instructions: {
          ...instructions,
          starts: starts
            .filter(({ start }) => start <= most)
            .map((start) => ({ ...start, operations: start.operations.slice(0, 1) })),
        },
      }),
    };
  };

  test.each([
    ['counts alone', compareProfile('instructions'), ALPHA],
    ['counts with rounds', PLAYED, 0.2 * ALPHA],
  ])('of %s holds over all looks', (_, profile, most) => {
    const random = seededRandom(16);
    let alarms = 0;
    for (let series = 0; series < SERIES; series += 1) {
      const run = sampleCounts({ base: startsOf(random), head: startsOf(random) });
      const measured = { ...run, rounds: { ...run.rounds, profile } };
      const hasAlarm = [2, 3, 4].some((starts) =>
        countedFindings(firstStarts(measured, starts), POLICY).some(({ verdict }) => verdict === 'regressed'),
      );
      alarms += Number(hasAlarm);
    }
    expect(alarms / SERIES).toBeLessThan(most + 3 * Math.sqrt((most * (1 - most)) / SERIES));
    // Else nothing would ever be found.
    expect(alarms / SERIES).toBeGreaterThan(0.2 * most);
  });

  const DEARER: SampleRoundsOptions = {
    rounds: 8,
    noise: 0.3,
    worse: [{ service: 'rest', tier: 'saturation', by: 0.08 }],
  };

  test('of rounds is smaller with counts, and still enough for two services at the first look', () => {
    const outcomeOf = (run: RunInRounds, alpha: number) => judgeRun(run, { ...run.rounds.policy, alpha }).outcome;
    const one = sampleRounds({ ...DEARER, services: ['rest'] });
    const two = sampleRounds(DEARER);

    // One of the 256 ways to exchange the labels of 8 rounds, of half of alpha.
    expect(outcomeOf(one, 0.009)).toBe('regressed');
    expect(outcomeOf(withCounts(one), 0.009)).not.toBe('regressed');
    expect(outcomeOf(withCounts(two), 0.02)).toBe('regressed');
  });
});
