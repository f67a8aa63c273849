import { expect, test } from 'vitest';
import { FEWEST_ROUNDS } from '../../../src/judge/inference/location.ts';
import { type Mode, PROFILES, type Profile } from '../../../src/model/plan.ts';
import {
  mainJobRounds,
  mostRounds,
  ROUND_PROFILES,
  type RoundProfile,
  roundSeconds,
  tiersOf,
} from '../../../src/model/rounds.ts';
import { usersSuite } from '../../support/suite.ts';

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
  ['of a sweep', { suite: { ...usersSuite(), sweep: { argument: 'id', title: 'ids', panels: [] } } }],
  ['of another profile', { profile: { ...profile, name: 'own' } }],
])('a main job %s plays none', (_what, change) => {
  expect(mainJobRounds({ suite: usersSuite(), profile, modes, ...change })).toBeUndefined();
});

const CLOSED = { name: 'full', users: 500, rampSeconds: 0, limitSeconds: 8 };
const MIXED = { ...usersSuite(), tiers: [...usersSuite().tiers, CLOSED, { ...CLOSED, name: 'fewer', users: 16 }] };

test.each([
  ['quick', ['medium', 'fewer']],
  ['standard', ['low', 'medium', 'high', 'fewer']],
])(
  '%s plays tiers with a rate by its own choice, and of those without think time one for the same operations',
  (name, tiers) => {
    expect(tiersOf(ROUND_PROFILES[name] as RoundProfile, MIXED).map((tier) => tier.name)).toEqual(tiers);
  },
);

test('a tier without think time takes its time in a round', () => {
  const quick = ROUND_PROFILES['quick'] as RoundProfile;

  expect(roundSeconds(quick, MIXED)).toBeGreaterThan(roundSeconds(quick, usersSuite()) + 4);
});
