import { describe, expect, test } from 'vitest';
import {
  operationRate,
  operationsAt,
  operationWorkers,
  plannedSeconds,
  planRun,
  tierOf,
  trialSeconds,
  usualModes,
} from '../../../src/model/plan.ts';
import { mainJobRounds, PROFILES, profileNamed } from '../../../src/model/profiles.ts';
import { mainJobSeconds, tiersOf } from '../../../src/model/rounds.ts';
import { arrivalsOf } from '../../../src/model/suite/suite.ts';
import { usersSuite } from '../../support/suite.ts';

const suite = usersSuite();
const profile = {
  ...PROFILES.standard.trials,
  rampScale: 1,
  warmupSeconds: 2,
  measureSeconds: 20,
  saturationSeconds: 8,
  rounds: 1,
};
const place = { runtime: 'docker', services: new Map() } as const;
const choice = { suite, profile, modes: ['open', 'saturate'] as const, seed: 7 };

describe('planRun', () => {
  test('gives every service one fresh start per tier and one for saturation', () => {
    const { trials } = planRun(choice);

    const places = trials.map((trial) => `${tierOf(trial)} ${trial.service}`);
    expect(new Set(places).size).toBe(8);
    expect(trials.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('is the same for the same seed and not always in the same order', () => {
    const orders = Array.from({ length: 20 }, (_, seed) =>
      planRun({ ...choice, seed })
        .trials.map(({ service }) => service)
        .join(),
    );

    expect(planRun(choice)).toEqual(planRun(choice));
    expect(new Set(orders).size).toBeGreaterThan(1);
  });

  test("runs the study's ramp: ten stairs up to the tier's users", () => {
    const [first] = planRun(choice).trials;

    expect(first?.ramp.map(({ pace }) => pace.workers)).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    expect(first && trialSeconds(first)).toBe(32);
  });

  test.each([
    [4, [200, 400, 600, 800]],
    [0, []],
  ])("runs a rate's ramp of %i s in stairs of one second", (rampSeconds, rates) => {
    const tiers = [{ name: 'peak', requestsPerSecond: 800, rampSeconds, inFlight: 100 }];

    const [first] = planRun({ ...choice, suite: { ...suite, tiers } }).trials;

    expect(first?.ramp.map(({ pace }) => pace.kind === 'open' && pace.ratePerSecond)).toEqual(rates);
    expect(first?.pace).toEqual({ kind: 'open', ratePerSecond: 800, workers: 100 });
  });

  test('leaves out the mode that is not asked for', () => {
    const open = planRun({ ...choice, modes: ['open'] });
    const saturate = planRun({ ...choice, modes: ['saturate'] });

    expect(open.trials.every(({ tier }) => tier !== undefined)).toBe(true);
    expect(saturate.trials).toHaveLength(2);
    expect(plannedSeconds(open, place)).toBeGreaterThan(plannedSeconds(saturate, place));
  });

  test.each([
    ['smoke', 120],
    ['quick', 200],
    ['standard', 270],
  ])('plans a %s run of two services that is over within %i s, service starts and rounds included', (name, most) => {
    const plan = planRun({ ...choice, profile: profileNamed(name).trials });
    const rounds = mainJobRounds(plan);

    expect(rounds).toBeDefined();
    expect(mainJobSeconds(plan, rounds, place)).toBeLessThan(most);
  });

  test('repeats everything in every round', () => {
    const { trials } = planRun({ ...choice, profile: { ...profile, rounds: 3 } });

    expect(trials).toHaveLength(24);
    expect(new Set(trials.map(({ round }) => round))).toEqual(new Set([1, 2, 3]));
  });
});

describe('rates', () => {
  test.each([
    [100, 250, 83],
    [500, 1250, 417],
    [1000, 2500, 833],
  ])('%i users with 0.3 s think time ask for %i GetUser and %i ListUsers a second', (users, getUser, listUsers) => {
    const { ratePerSecond } = arrivalsOf({ name: 'tier', users, spawnPerSecond: 10, thinkSeconds: 0.3 });

    expect(suite.operations.map((operation) => operationRate(ratePerSecond, operation))).toEqual([getUser, listUsers]);
  });

  test('never rounds an operation down to nothing', () => {
    const [, listUsers] = suite.operations;

    expect(listUsers && operationWorkers(1, listUsers)).toBe(1);
  });
});

describe('tiers without think time', () => {
  const tier = { name: 'full', users: 500, requestsPerUser: 100, rampSeconds: 10, limitSeconds: 40 };
  const closed = (name: string, change: object = {}) =>
    planRun({
      ...choice,
      suite: { ...suite, services: ['rest'], tiers: [{ ...tier, ...change }] },
      modes: ['open'],
      profile: profileNamed(name).trials,
    }).trials[0];

  test.each([
    ['standard', { rampSeconds: 10, requestsPerUser: 100 }, 40],
    ['smoke', { rampSeconds: 1, requestsPerUser: 10 }, 4],
  ])('are complete in the profile %s except smoke, which runs a tenth', (name, pace, seconds) => {
    const trial = closed(name);

    expect(trial).toMatchObject({ pace: { kind: 'users', workers: 500, ...pace } });
    expect(trial && trialSeconds(trial)).toBe(seconds);
  });

  test.each([
    ['standard', 2, 40],
    ['smoke', 0.2, 4],
  ])('have their warm-up before the time limit, in the profile %s', (name, warmupSeconds, measureSeconds) => {
    const trial = closed(name, { requestsPerUser: undefined, warmupSeconds: 2 });

    expect(trial).toMatchObject({ warmupSeconds, measureSeconds });
    expect(trial && trialSeconds(trial)).toBeCloseTo(warmupSeconds + measureSeconds);
  });

  test('run alone by default if no tier has a rate', () => {
    expect(usualModes({ tiers: [tier] })).toEqual(['open']);
    expect(usualModes({ tiers: [...suite.tiers, tier] })).toEqual(['open', 'saturate']);
  });

  test('send at least one request each, or as many as they get answered', () => {
    expect(closed('smoke', { requestsPerUser: 3 })).toMatchObject({ pace: { requestsPerUser: 1 } });
    expect(closed('smoke', { requestsPerUser: undefined })).toMatchObject({ pace: { requestsPerUser: undefined } });
  });
});

describe('tiers of users who come and go', () => {
  const tier = {
    name: 'rush',
    thinkSeconds: 0.1,
    stages: [
      { seconds: 30, users: 100 },
      { seconds: 10, users: 0 },
    ],
  };
  const staged = { ...suite, services: ['rest'], tiers: [tier] };
  const trialOf = (name: string) =>
    planRun({ ...choice, suite: staged, modes: ['open'], profile: profileNamed(name).trials }).trials[0];

  test.each([
    ['standard', 30, 40],
    ['quick', 15, 20],
    ['smoke', 3, 4],
  ])('have the same users in the profile %s, and shorter stages in the short ones', (name, seconds, whole) => {
    const trial = trialOf(name);

    expect(trial).toMatchObject({
      warmupSeconds: 0,
      pace: { kind: 'stages', workers: 100, thinkSeconds: 0.1, stages: [{ seconds, users: 100 }, { users: 0 }] },
    });
    expect(trial && trialSeconds(trial)).toBe(whole);
  });

  test('are closed loops, and no comparison has them', () => {
    expect(usualModes({ tiers: [tier] })).toEqual(['open']);
    expect(tiersOf(PROFILES.standard.rounds, { ...suite, tiers: [...suite.tiers, tier] })).toEqual(suite.tiers);
  });
});

describe('operationsAt', () => {
  test('gives those that a tier names, with shares that add up to 1, else all', () => {
    const operations = suite.operations.map((operation) => operation.name);

    expect(operationsAt(suite, { operations: ['GetUser'] })).toEqual([{ ...suite.operations[0], share: 1 }]);
    expect(operationsAt(suite, { operations })).toEqual(suite.operations);
    expect(operationsAt(suite, {})).toEqual(suite.operations);
  });
});
