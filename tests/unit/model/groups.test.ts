import { expect, test } from 'vitest';
import { operationsIn, planRun } from '../../../src/model/plan.ts';
import { mainJobRounds, PROFILES } from '../../../src/model/profiles.ts';
import { roundSeconds, tiersFor, tiersOf } from '../../../src/model/rounds.ts';
import { plannedCells } from '../../../src/model/run/comparison.ts';
import type { Suite } from '../../../src/model/suite/suite.ts';
import { sampleRounds } from '../../support/sample-rounds.ts';
import { usersSuite } from '../../support/suite.ts';

const users = usersSuite();
const [get, list] = users.operations.map((operation) => ({ ...operation, share: 1 }));
const tiers: Suite['tiers'] = [
  { name: 'gets', requestsPerSecond: 10, rampSeconds: 0, inFlight: 16, operations: ['GetUser'] },
  { name: 'lists', requestsPerSecond: 10, rampSeconds: 0, inFlight: 16, operations: ['ListUsers'] },
  { name: 'all', requestsPerSecond: 10, rampSeconds: 0, inFlight: 16 },
];
const groups = [
  { services: ['rest'], operations: get === undefined ? [] : [get] },
  { services: ['grpc'], operations: list === undefined ? [] : [list] },
];
const suite: Suite = { ...users, tiers, groups };
const profile = PROFILES.quick.rounds;
const place = { runtime: 'process', services: new Map() } as const;

test('a plan has no trial of a service at a tier that asks it for nothing, and each trial the operations of its service', () => {
  const choice = { suite, profile: PROFILES.quick.trials, modes: ['open', 'saturate'] as const, seed: 3 };
  const { trials } = planRun({ ...choice, profile: { ...choice.profile, rounds: 1 } });
  const reported = trials.map((trial) => [
    trial.service,
    trial.tier?.name ?? 'saturation',
    operationsIn(suite, trial).map(({ name, share }) => `${name} ${share}`),
  ]);

  expect(reported.toSorted()).toEqual([
    ['grpc', 'all', ['ListUsers 1']],
    ['grpc', 'lists', ['ListUsers 1']],
    ['grpc', 'saturation', ['ListUsers 1']],
    ['rest', 'all', ['GetUser 1']],
    ['rest', 'gets', ['GetUser 1']],
    ['rest', 'saturation', ['GetUser 1']],
  ]);
});

test('rounds of the middle tier alone have one for each service', () => {
  const middle = { ...profile, tiers: 'middle' as const };

  expect(tiersOf(middle, suite).map(({ name }) => name)).toEqual(['gets', 'lists']);
  expect(tiersFor(middle, suite, 'rest').map(({ name }) => name)).toEqual(['gets']);
  expect(tiersFor(middle, suite, 'grpc').map(({ name }) => name)).toEqual(['lists']);
});

test('a round takes the time of the tiers that each service is loaded at', () => {
  const all = { ...profile, tiers: 'all' as const };
  const shared = { ...suite, groups: undefined, tiers: tiers.slice(1) };

  // Without operations of its own each service is loaded at all tiers: two of them here, two of three there.
  expect(roundSeconds(all, suite, place)).toBeCloseTo(roundSeconds(all, shared, place));
  expect(roundSeconds(all, suite, place)).toBeLessThan(roundSeconds(all, { ...shared, tiers }, place));
});

test('services with operations of their own are not compared with each other after a run', () => {
  const choice = { profile: PROFILES.quick.trials, modes: ['open', 'saturate'] as const };

  expect(mainJobRounds({ suite: users, ...choice })).toBeDefined();
  expect(mainJobRounds({ suite, ...choice })).toBeUndefined();
});

test('cells are planned of the operations that a service has, and of no tier that asks it for nothing', () => {
  const run = sampleRounds();
  const kept = { ...run.suite, tiers: [...tiers], groups };
  const cells = plannedCells({ ...run, suite: kept, rounds: { ...run.rounds, tiers: ['gets', 'lists', 'all'] } })(
    'rest',
  );

  expect(cells.map(({ tier, operation }) => `${tier} ${operation}`)).toEqual([
    'saturation all',
    'saturation GetUser',
    'gets all',
    'gets GetUser',
    'all all',
    'all GetUser',
  ]);
});
