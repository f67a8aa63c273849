import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../src/foundation/random.ts';
import { stepsIn } from '../../../../src/judge/stored/candidates.ts';
import { suspicionsOf } from '../../../../src/judge/stored/comparison.ts';
import type { StoredRun } from '../../../../src/judge/stored/stored-run.ts';
import { withRun } from '../../../support/stored-run.ts';
import { baselineOf, CPU, judge, normalValues, runNow, storedRun, verdictOn } from './histories.ts';

const LIMIT = Math.log1p(0.05);
const noise = (count: number, sd = 0.03, seed = 4) => normalValues(seededRandom(seed), count, sd);
const moved = (values: readonly number[], by: number) => values.map((value) => value + by);

describe('a step', () => {
  test.each([
    ['slower by 30%', 0.3],
    ['faster by 30%', -0.3],
  ])('is where a series got %s and stayed there', (_what, change) => {
    const after = moved(noise(5, 0.03, 5), Math.log1p(change));

    expect(stepsIn([...noise(20), ...after], LIMIT)).toEqual([20]);
    expect(stepsIn([...noise(20), ...after.slice(1)], LIMIT)).toEqual([]);
  });

  test('is not a bad day, nor four of them', () => {
    const bad = moved(noise(4, 0.03, 6), 0.3);

    expect(stepsIn([...noise(20), ...bad, ...noise(20, 0.03, 7)], LIMIT)).toEqual([]);
    expect(stepsIn([...noise(20), ...bad.flatMap((slow) => [slow, 0]), ...noise(9)], LIMIT)).toEqual([]);
  });

  test('is no smaller than the threshold, however quiet the runs are', () => {
    const quiet = noise(20, 0.001);

    expect(stepsIn([...quiet, ...moved(noise(10, 0.001, 8), 0.04)], LIMIT)).toEqual([]);
    expect(stepsIn([...quiet, ...moved(noise(10, 0.001, 8), 0.06)], LIMIT)).toEqual([20]);
  });

  test('needs 10 runs before it, also after another step', () => {
    const up = moved(noise(9, 0.01), 0.3);

    expect(stepsIn([...noise(9, 0.01), ...up.slice(0, 5)], LIMIT)).toEqual([]);
    expect(stepsIn([...noise(10, 0.01), ...up, ...noise(5, 0.01, 9)], LIMIT)).toEqual([10]);
    expect(stepsIn([...noise(10, 0.01), ...up, 0.3, ...noise(9, 0.01, 9)], LIMIT)).toEqual([10, 20]);
  });

  test('is hardly ever seen in noise', () => {
    const found = Array.from({ length: 20 }, (_, seed) => stepsIn(noise(500, 0.06, seed), LIMIT).length);

    expect(found.reduce((sum, count) => sum + count, 0)).toBe(0);
  });
});

describe('after a step', () => {
  /** Runs of which gRPC's CPU time per request at saturation is that of the sample, times exp(`slower`), one a day from `from` on. */
  const added = (baseline: readonly StoredRun[], slower: readonly number[], from: number) => {
    const alarms: boolean[] = [];
    let after = baseline;
    for (const [day, value] of slower.entries()) {
      const startedAt = new Date(Date.UTC(2026, 0, 1 + from + day)).toISOString();
      const shapes = { 'grpc/saturation': { cpuMicros: 119 * Math.exp(value) } };
      const run = runNow({ shapes, change: { startedAt } });
      const found = verdictOn(judge(run, after).verdicts, CPU);
      alarms.push(found !== undefined && 'status' in found && found.status === 'suspicious');
      after = withRun(after, run);
    }
    return { after, alarms };
  };
  const before = baselineOf(noise(30, 0.01));

  test('that was merged regardless, 5 runs are suspicious and later ones are compared with the new level', () => {
    const { after, alarms } = added(before, moved(noise(25, 0.01, 5), Math.log1p(0.3)), 30);
    const worseAgain = judge(runNow({ shapes: { 'grpc/saturation': { cpuMicros: 119 * 1.3 * 1.3 } } }), after);

    expect(alarms.map((alarm) => (alarm ? 'x' : '-')).join('')).toBe('x'.repeat(5) + '-'.repeat(20));
    expect(verdictOn(worseAgain.verdicts, CPU)).toMatchObject({ status: 'suspicious' });
  });

  test('that made it faster, going back is suspicious', () => {
    const { after, alarms } = added(before, moved(noise(6, 0.01, 5), Math.log1p(-0.3)), 30);

    expect(alarms).not.toContain(true);
    expect(verdictOn(judge(runNow(), after).verdicts, CPU)).toMatchObject({ kind: 'judged', status: 'suspicious' });
    expect(suspicionsOf(judge(runNow(), before))).toEqual([]);
  });

  test('that earlier versions flagged run after run, their flags count no more', () => {
    const slow = moved(noise(25, 0.01, 6), 0.3).map((value, day) => storedRun(30 + day, value, { suspicious: [CPU] }));
    const run = runNow({ shapes: { 'grpc/saturation': { cpuMicros: 119 * Math.exp(0.3) } } });
    const { verdicts } = judge(run, [...before, ...slow]);

    expect(verdictOn(verdicts, CPU)).toMatchObject({ kind: 'judged', runs: 25, status: 'within-bound' });
  });

  test('a flagged value that stands out of the new level, too, stays out', () => {
    const level = moved(noise(25, 0.01, 6), 0.3).map((value, day) => storedRun(30 + day, value));
    const bad = storedRun(56, 0.7, { suspicious: [CPU] });
    const { verdicts } = judge(runNow(), [...before, ...level, bad]);

    expect(verdictOn(verdicts, CPU)).toMatchObject({ runs: 25 });
  });
});
