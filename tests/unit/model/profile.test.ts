import { expect, test } from 'vitest';
import { FEWEST_ROUNDS } from '../../../src/judge/inference/location.ts';
import type { Mode } from '../../../src/model/plan.ts';
import {
  mainJobRounds,
  PROFILE_NAMES,
  PROFILES,
  presentProfileName,
  profileNamed,
} from '../../../src/model/profiles.ts';
import { mostRounds, roundSeconds, tiersOf } from '../../../src/model/rounds.ts';
import { usersSuite } from '../../support/suite.ts';

const { trials: profile } = PROFILES.standard;
const place = { runtime: 'docker', services: new Map() } as const;
const modes: readonly Mode[] = ['open', 'saturate'];

test('the default main job runs rounds enough for a verdict, in one look', () => {
  const rounds = mainJobRounds({ suite: usersSuite(), profile, modes });

  expect(rounds?.looks).toHaveLength(1);
  expect(rounds && mostRounds(rounds)).toBeGreaterThanOrEqual(FEWEST_ROUNDS);
});

test.each<[string, Partial<Parameters<typeof mainJobRounds>[0]>]>([
  ['with one service', { suite: { ...usersSuite(), services: ['rest'] } }],
  ['without the closed loop', { modes: ['open'] }],
  ['of a sweep', { suite: { ...usersSuite(), sweep: { argument: 'id', title: 'ids', panels: [] } } }],
  ['of another profile', { profile: { ...profile, name: 'own' } }],
])('a main job %s runs none', (_what, change) => {
  expect(mainJobRounds({ suite: usersSuite(), profile, modes, ...change })).toBeUndefined();
});

const CLOSED = { name: 'full', users: 500, rampSeconds: 0, limitSeconds: 8 };
const MIXED = { ...usersSuite(), tiers: [...usersSuite().tiers, CLOSED, { ...CLOSED, name: 'fewer', users: 16 }] };

test.each([
  ['smoke', ['medium', 'fewer']],
  ['quick', ['low', 'medium', 'high', 'fewer']],
  ['standard', ['low', 'medium', 'high', 'fewer']],
])(
  '%s runs tiers with a rate by its own choice, and of those without think time one for the same operations',
  (name, tiers) => {
    expect(tiersOf(profileNamed(name).rounds, MIXED).map((tier) => tier.name)).toEqual(tiers);
  },
);

test('a tier without think time takes its time in a round', () => {
  const { rounds: quick } = PROFILES.quick;

  expect(roundSeconds(quick, MIXED, place)).toBeGreaterThan(roundSeconds(quick, usersSuite(), place) + 4);
});

test.each(PROFILE_NAMES)('%s has the same name wherever it stands', (name) => {
  const { rounds, trials } = profileNamed(name);

  expect([rounds.name, trials.name]).toEqual([name, name]);
});

test('an unknown profile is refused with the names that there are, and a former one with its name of today', () => {
  expect(() => profileNamed('long')).toThrow(
    expect.objectContaining({ next: 'Profiles: smoke, quick, standard, thorough.' }),
  );
  expect(() => profileNamed('default')).toThrow(
    expect.objectContaining({
      next: '`default` is now called `standard`. Profiles: smoke, quick, standard, thorough.',
    }),
  );
  expect(['default', 'quick', 'toString'].map(presentProfileName)).toEqual(['standard', 'quick', 'toString']);
});
