import { expect, test } from 'vitest';
import { FEWEST_ROUNDS } from '../../../../src/core/inference/rank-scores.ts';
import { type Mode, PROFILES, type Profile } from '../../../../src/core/plan.ts';
import { mostRounds } from '../../../../src/core/rounds/length.ts';
import { mainJobRounds } from '../../../../src/core/rounds/profile.ts';
import { usersSuite } from '../../../suite.ts';

const profile = PROFILES['default'] as Profile;
const modes: readonly Mode[] = ['open', 'saturate'];

test('the default main job plays rounds enough for a verdict, in one look', () => {
  const rounds = mainJobRounds({ suite: usersSuite(), profile, modes });

  expect(rounds?.looks).toHaveLength(1);
  expect(rounds && mostRounds(rounds)).toBeGreaterThanOrEqual(FEWEST_ROUNDS);
});

test.each<[string, Partial<Parameters<typeof mainJobRounds>[0]>]>([
  ['with one service', { suite: { ...usersSuite(), services: ['rest'] } }],
  ['without the closed loop', { modes: ['open'] }],
  ['of another profile', { profile: { ...profile, name: 'own' } }],
])('a main job %s plays none', (_what, change) => {
  expect(mainJobRounds({ suite: usersSuite(), profile, modes, ...change })).toBeUndefined();
});
