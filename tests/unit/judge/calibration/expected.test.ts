import { expect, test } from 'vitest';
import { expectedRounds } from '../../../../src/judge/calibration/calibrate.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import { PROFILES } from '../../../../src/model/profiles.ts';

const { looks } = PROFILES.quick.rounds;
const requested = {
  suite: 'users',
  services: ['rest'],
  tiers: ['saturation', 'medium'],
  policy: DEFAULT_POLICY,
  looks,
};
const row = (metric: string, sd: number, tier = 'saturation') => ({ service: 'rest', tier, metric, sd });
const roundsOf = (rows: readonly ReturnType<typeof row>[], change: Partial<typeof requested> = {}) =>
  expectedRounds(rows, { ...requested, ...change })?.get('rest');

test('a quiet machine decides at the first look, a noisy one at a later look, a hopeless one at the last', () => {
  expect(roundsOf([row('cpuMicrosPerRequest', 0.01)])).toBe(8);
  expect(roundsOf([row('cpuMicrosPerRequest', 0.01), row('achievedRps', 0.03)])).toBe(15);
  expect(roundsOf([row('cpuMicrosPerRequest', 0.5)])).toBe(30);
});

test('watched rows and rows of a tier add no rounds', () => {
  const quiet = row('cpuMicrosPerRequest', 0.01);

  expect(roundsOf([quiet, row('latencyP95Ms', 0.5)])).toBe(8);
  expect(roundsOf([quiet, row('cpuMicrosPerRequest', 0.5, 'medium')])).toBe(8);
  expect(roundsOf([quiet, row('cpuMicrosPerRequest', 0.04, 'medium')])).toBe(8);
  const asksForIt = { ...DEFAULT_POLICY, thresholds: [{ tier: 'medium', gate: true }] };
  expect(roundsOf([quiet, row('cpuMicrosPerRequest', 0.5, 'medium')], { policy: asksForIt })).toBe(30);
});

test('nothing is expected of a service whose noise is unknown, nor of a tier that is not run', () => {
  const quiet = row('cpuMicrosPerRequest', 0.01);

  expect(expectedRounds([quiet], { ...requested, services: ['rest', 'grpc'] })).toBeUndefined();
  expect(expectedRounds([row('cpuMicrosPerRequest', 0.01, 'high')], requested)).toBeUndefined();
  expect(expectedRounds([quiet], { ...requested, looks: [] })).toBeUndefined();
});
