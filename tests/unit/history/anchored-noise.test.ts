import { expect, test } from 'vitest';
import { type AnchoredRun, storedNoise } from '../../../src/history/anchored.ts';
import { studentQuantile } from '../../../src/judge/inference/distributions.ts';

const ROUNDS = 20;
const RUNNER = { cpuModel: 'EPYC', cores: 2, kernel: '6.1.0', platform: 'linux-x64' };
const SETTINGS = { runtime: 'docker', profile: 'quick, blocks', configHash: 'abc' };
const PLACE = { runner: { ...RUNNER, kernel: '6.8.1' }, runtime: 'docker', profile: 'quick', interleave: 'blocks' };

/** Half of the 95% interval of this many rounds of such noise. */
const spreadOf = (sd: number) => (sd * studentQuantile(0.975, ROUNDS - 1)) / Math.sqrt(ROUNDS);

function run(sd: number, change: Partial<AnchoredRun> = {}): AnchoredRun {
  const row = { service: 'rest', operation: 'all', tier: 'saturation', metric: 'cpuMicrosPerRequest', ratio: 1 };
  return {
    commit: 'a'.repeat(40),
    anchor: { name: 'v1', commit: 'b'.repeat(40), limits: 0 },
    ratios: [{ ...row, spread: spreadOf(sd) }],
    measured: { runner: RUNNER, settings: SETTINGS, rounds: ROUNDS },
    ...change,
  };
}

test('is the median of the noise of runs on this kind of machine', () => {
  const noise = storedNoise([run(0.01), run(0.02), run(0.09)], PLACE);

  expect(noise?.source).toBe('3 stored runs on this kind of machine');
  expect(noise?.rows).toEqual([
    { service: 'rest', tier: 'saturation', metric: 'cpuMicrosPerRequest', sd: expect.closeTo(0.02, 10) },
  ]);
});

test('needs three runs', () => {
  expect(storedNoise([run(0.01), run(0.02)], PLACE)).toBeUndefined();
});

test.each([
  [
    'on another kind of machine',
    { measured: { runner: { ...RUNNER, cpuModel: 'Xeon' }, settings: SETTINGS, rounds: 20 } },
  ],
  [
    'by another profile',
    { measured: { runner: RUNNER, settings: { ...SETTINGS, profile: 'standard, blocks' }, rounds: 20 } },
  ],
  ['in another runtime', { measured: { runner: RUNNER, settings: { ...SETTINGS, runtime: 'process' }, rounds: 20 } }],
  ['of one round', { measured: { runner: RUNNER, settings: SETTINGS, rounds: 1 } }],
  ['of an unknown machine', { measured: { settings: SETTINGS, rounds: 20 } }],
  ['through another commit', { anchor: { name: 'v1', commit: 'b'.repeat(40), through: 'c'.repeat(40), limits: 0 } }],
] as const)('counts no run %s', (_what, change) => {
  expect(storedNoise([run(0.01), run(0.02), run(0.03, change)], PLACE)).toBeUndefined();
});

test('is that of the newest twenty runs', () => {
  const noise = storedNoise(
    [...Array.from({ length: 30 }, () => run(0.2)), ...Array.from({ length: 20 }, () => run(0.01))],
    PLACE,
  );

  expect(noise?.rows[0]?.sd).toBeCloseTo(0.01, 10);
  expect(noise?.source).toContain('20 stored runs');
});
