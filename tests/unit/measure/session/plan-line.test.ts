import { expect, test } from 'vitest';
import { boundProfile } from '../../../../src/measure/session/one-build.ts';
import { comparisonPlan, runPlan, selfPlan, servicesPlan } from '../../../../src/measure/session/plan-line.ts';
import { expectedPlace } from '../../../../src/measure/session/runtime.ts';
import { planRun } from '../../../../src/model/plan.ts';
import { mainJobRounds, PROFILES } from '../../../../src/model/profiles.ts';
import { mostRounds, roundSeconds } from '../../../../src/model/rounds.ts';
import { restService, usersSuite } from '../../../support/suite.ts';

const suite = usersSuite();
const services = new Map(suite.services.map((name) => [name, restService(name)]));
const docker = { runtime: 'docker', services } as const;
const plan = planRun({ suite, profile: PROFILES.quick.trials, modes: ['open', 'saturate'], seed: 7 });
const run = { plan, rounds: mainJobRounds(plan), budgetSeconds: undefined, canCount: false } as const;

test('a run says how long it takes, or what the budget leaves of it', () => {
  expect(runPlan(run)(docker)).toMatch(/then 8 rounds of grpc against rest; about \d+ min \d+ s once .*profile quick/);
  expect(runPlan({ ...run, budgetSeconds: 100 })(docker)).toContain(', which the budget cuts to 1 min 40 s once');
  expect(runPlan({ ...run, budgetSeconds: 9999 })(docker)).toBe(runPlan(run)(docker));
  expect(runPlan({ ...run, canCount: true })(docker)).toContain('against rest, then instructions per request, about');
});

test('services that are compared are counted first, if that is possible and the budget leaves the time', () => {
  const of = (change: object) =>
    servicesPlan({ suite, profile: PROFILES.quick.rounds, budgetSeconds: 3600, canCount: true, ...change })(docker);

  expect(of({})).toContain('grpc against rest, instructions first, about 30 s');
  expect(of({ canCount: false })).not.toContain('instructions');
  expect(of({ budgetSeconds: 30 })).not.toContain('instructions');
});

test('is another one in another runtime', () => {
  const profile = { ...PROFILES.quick.rounds, looks: [{ rounds: 30, spent: 1 }] };
  const planned = selfPlan({ ref: 'working tree', suite, profile, budgetSeconds: undefined });

  expect(planned({ ...docker, runtime: 'process' })).not.toBe(planned(docker));
  expect(planned({ ...docker, runtime: 'process' })).toMatch(
    /^plan: working tree against itself, 30 rounds, about 7 min/,
  );
});

test('containers are expected unless something has no image, runs already, or plain processes are asked for', () => {
  const of = (change: object) => ({ services: new Map([['rest', { ...restService('rest'), ...change }]]) });

  expect(expectedPlace('auto', { services }).runtime).toBe('docker');
  expect(expectedPlace('process', { services }).runtime).toBe('process');
  expect(expectedPlace('auto', of({ image: undefined })).runtime).toBe('process');
  expect(expectedPlace('docker', of({ address: '127.0.0.1:80' })).runtime).toBe('process');
});

test('a calibration measures the rounds of its profile, or as many as fit into the budget', () => {
  const suites = { suite, head: { services } } as unknown as Parameters<typeof boundProfile>[1];
  const requested = { profile: 'quick', runtime: 'docker' } as const;
  const seconds = roundSeconds(PROFILES.quick.rounds, suite, docker);
  const roundsOf = (change: object) => mostRounds(boundProfile({ ...requested, ...change }, suites));

  expect(roundsOf({})).toBe(30);
  expect(roundsOf({ profile: 'smoke' })).toBe(10);
  expect(roundsOf({ rounds: 12 })).toBe(12);
  expect(roundsOf({ budget: 20.5 * seconds })).toBe(20);
  expect(roundsOf({ budget: 20.5 * seconds, rounds: 12 })).toBe(12);
  expect(() => roundsOf({ budget: 7 * seconds })).toThrow(/is too small: 8 rounds of profile quick take about/);
});

test('a comparison counts first if that is possible on this machine', () => {
  const planned = {
    base: 'main',
    head: 'topic',
    suite,
    shards: undefined,
    profile: PROFILES.quick.rounds,
    budgetSeconds: 450,
    interleave: 'blocks',
    canCount: true,
  } as const;
  const process = { ...docker, runtime: 'process' } as const;

  expect(comparisonPlan(planned)(process)).toMatch(
    /; instructions first, about 1 min; saturation and 3 tiers; 8 to 30 rounds/,
  );
  expect(comparisonPlan(planned)(docker)).toContain('; instructions first, about 1 min; ');
  expect(comparisonPlan({ ...planned, canCount: false })(process)).not.toContain('instructions');
  expect(comparisonPlan({ ...planned, budgetSeconds: 150 })(process)).not.toContain('instructions');

  const tier = { name: 'rush', stages: [{ seconds: 9, users: 9 }] };
  expect(comparisonPlan({ ...planned, suite: { ...suite, tiers: [...suite.tiers, tier] } })(process)).toContain(
    'saturation and 3 tiers (not rush: `wiregauge run` runs stages, a comparison does not); 8 to 30',
  );

  const affordable = (line: string) => Number(/enough for (\d+);/.exec(line)?.[1]);
  const fewer = affordable(comparisonPlan(planned)(process));
  expect(fewer).toBeLessThan(affordable(comparisonPlan({ ...planned, canCount: false })(process)));
});
