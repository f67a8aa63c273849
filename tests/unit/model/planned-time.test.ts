import { describe, expect, test } from 'vitest';
import { plannedSeconds, planRun } from '../../../src/model/plan.ts';
import { mainJobRounds, PROFILE_NAMES, PROFILES } from '../../../src/model/profiles.ts';
import { mainJobSeconds, type RoundProfile, roundSeconds } from '../../../src/model/rounds.ts';
import type { Need, Place } from '../../../src/model/service.ts';
import { usersSuite } from '../../support/suite.ts';

const placeOf = (runtime: Place['runtime'], service: object = {}): Place => ({
  runtime,
  services: new Map(usersSuite().services.map((name) => [name, service])),
});

const NEED: Need = {
  name: 'db',
  needs: [],
  fresh: 'slot',
  environment: {},
  ready: { check: { kind: 'usual' }, timeoutSeconds: 60 },
  image: { reference: 'postgres:17' },
  process: undefined,
  port: 5432,
};

const { quick, smoke } = { quick: PROFILES.quick.rounds, smoke: PROFILES.smoke.rounds };
const LONGER = { ...quick, saturationSeconds: 1.25 };

/** Rounds of one service each, and the seconds that they took together, on quiet virtual machines of 2 cores. */
const RECORDED: readonly (readonly [string, Place['runtime'], RoundProfile, number, number])[] = [
  ['users in containers at every tier', 'docker', LONGER, 16, 132.6],
  ['users in containers at one tier', 'docker', { ...LONGER, tiers: 'middle', tierBlocks: 4 }, 16, 113.8],
  ['users as plain processes', 'process', LONGER, 16, 135.1],
  ['a service that starts and stops at once', 'process', smoke, 10, 40.1],
];

test.each(RECORDED)('plans the rounds of %s (%s) within 10%% of what they took', (...recorded) => {
  const [, runtime, profile, rounds, seconds] = recorded;
  const suite = { ...usersSuite(), services: ['rest'] };

  const planned = rounds * roundSeconds(profile, suite, placeOf(runtime));

  expect(Math.abs(planned / seconds - 1)).toBeLessThan(0.1);
});

test('a short round in a cluster takes as much longer as `npm run bench:rounds` has measured', () => {
  const suite = { ...usersSuite(), services: ['rest'] };
  const [pods, processes] = (['kubernetes', 'process'] as const).map((runtime) =>
    roundSeconds(smoke, suite, placeOf(runtime)),
  );

  expect(Number(pods) - Number(processes)).toBeCloseTo(8, 0);
});

describe('a plan', () => {
  const suite = usersSuite();
  const { rounds, trials } = PROFILES.quick;
  const plan = planRun({ suite, profile: trials, modes: ['open', 'saturate'], seed: 1 });
  const need = (fresh: Need['fresh']) => ({ needs: [{ ...NEED, fresh }] });
  const lengths = (place: Place) => [roundSeconds(rounds, suite, place), plannedSeconds(plan, place)] as const;

  test.each(['docker', 'process'] as const)('counts what is started besides (%s)', (runtime) => {
    const [alone, trialsAlone] = lengths(placeOf(runtime));
    const [withNeed, trialsWithNeed] = lengths(placeOf(runtime, need('slot')));

    expect(withNeed).toBeGreaterThan(alone);
    expect(trialsWithNeed).toBeGreaterThan(trialsAlone);
    expect(lengths(placeOf(runtime, need('run')))).toEqual([alone, trialsAlone]);
  });

  test('is shorter where nothing is started', () => {
    const [started] = lengths(placeOf('process'));

    expect(lengths(placeOf('process', { address: '10.0.0.1:80' }))[0]).toBeLessThan(started);
  });

  test('takes as many services as there are', () => {
    const one = roundSeconds(rounds, { ...suite, services: ['rest'] }, placeOf('docker'));

    expect(roundSeconds(rounds, suite, placeOf('docker'))).toBeCloseTo(2 * one);
  });
});

test.each(['docker', 'process'] as const)(
  'each profile takes longer than the one before, in every command (%s)',
  (runtime) => {
    const suite = usersSuite();
    const place = placeOf(runtime);
    const lengths = PROFILE_NAMES.map((name) => {
      const { rounds, trials } = PROFILES[name];
      const plan = planRun({ suite, profile: trials, modes: ['open', 'saturate'], seed: 1 });
      return [roundSeconds(rounds, suite, place), mainJobSeconds(plan, mainJobRounds(plan), place)];
    });

    expect(lengths).toEqual(lengths.toSorted((one, other) => (one[0] ?? 0) - (other[0] ?? 0)));
    expect(lengths).toEqual(lengths.toSorted((one, other) => (one[1] ?? 0) - (other[1] ?? 0)));
  },
);
