import { expect, test } from 'vitest';
import type { Run } from '../../../../src/model/run/run.ts';
import type { Tier } from '../../../../src/model/suite/suite.ts';
import { factsOf } from '../../../../src/report/views/facts.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { sampleRun } from '../../../support/sample-run.ts';

type Recorded = Run['services'][number];

/** What is said of the first service of a run. */
function factOf(changes: Partial<Recorded>): string | undefined {
  const run = sampleRun();
  const [first, ...others] = run.services;
  const services = first === undefined ? [] : [{ ...first, environment: { LEVEL: '2' }, title: 'Shop', ...changes }];
  const name = `Service ${first?.name}`;
  return factsOf({ ...run, services: [...services, ...others] }).find((fact) => fact.name === name)?.value;
}

const limits = { cpus: 1, memoryMiB: 512 };

test.each<[string, Partial<Recorded>, string]>([
  ['nothing but its settings', {}, 'Shop, LEVEL=2'],
  ['its limits', { limits: { cpus: 0.5, memoryMiB: 64 } }, 'Shop, limited to 0.5 CPU, 64 MiB, LEVEL=2'],
  [
    'where it ran already',
    { address: '127.0.0.1:80' },
    'Shop, was already running at 127.0.0.1:80, without limits, LEVEL=2',
  ],
  [
    'what it needs',
    {
      needs: [
        { name: 'db', source: 'postgres:17', fresh: 'slot', limits },
        { name: 'cache', source: 'redis:8', fresh: 'run', limits },
      ],
    },
    'Shop, needs db (postgres:17), needs cache (redis:8, kept for the whole run), LEVEL=2',
  ],
  [
    'what it needs by a digest, in short',
    { needs: [{ name: 'db', source: `postgres:17.11@sha256:${'0a'.repeat(32)}`, fresh: 'slot', limits }] },
    'Shop, needs db (postgres:17.11@sha256:0a0a0a0a0a0a), LEVEL=2',
  ],
])('describes a service %s', (_what, changes, text) => {
  expect(factOf(changes)).toBe(text);
});

const FAR = { rttMs: 20, by: 'driver' } as const;
const FARTHER = { rttMs: 100, jitterMs: 2, by: 'driver' } as const;

type Networks = readonly [...tiers: Tier['network'][], saturation: Tier['network']];

test.each<[string, Networks, string | undefined]>([
  ['nothing if there is none', [undefined, undefined, undefined, undefined], undefined],
  ['what all loads have', [FAR, FAR, FAR, FAR], 'rtt 20 ms, by the load tool'],
  [
    'what each has',
    [FAR, FARTHER, FAR, FARTHER],
    'rtt 20 ms at low and high; rtt 100 ms ± 2 ms at medium and saturation, by the load tool',
  ],
  ['where it is', [FAR, undefined, undefined, undefined], 'rtt 20 ms at low, by the load tool'],
])('describes the network %s', (_what, networks, text) => {
  const run = sampleRun();
  const tiers = run.suite.tiers.map((tier, index) => ({ ...tier, network: networks[index] }));
  const facts = factsOf({ ...run, suite: { ...run.suite, tiers, network: networks.at(-1) } });

  expect(facts.find(({ name }) => name === 'Network')?.value).toBe(text);
});

test.each([
  ['', undefined],
  ['rtt 20 ms at low, by the load tool; ', FAR],
])('gives the round-trip time that was measured: %s', (before, network) => {
  const run = sampleRun();
  const tiers = run.suite.tiers.map((tier, index) => ({ ...tier, network: index === 0 ? network : undefined }));
  const facts = factsOf({ ...run, runner: { ...run.runner, rttMs: 0.21 }, suite: { ...run.suite, tiers } });

  const measured = `${before}rtt 0.21 ms from load generator to service, measured`;
  expect(facts.find(({ name }) => name === 'Network')?.value).toBe(measured);
});

test('describes the tiers that were loaded, by their loads and names', () => {
  const run = sampleRun();
  const rounds = sampleRounds();
  const tiersOf = (of: Run) => factsOf(of).find(({ name }) => name === 'Tiers')?.value;

  expect(tiersOf(run)).toBe('100 users (low), 500 users (medium), 1,000 users (high)');
  expect(tiersOf({ ...run, plan: { ...run.plan, modes: ['saturate'] } })).toBeUndefined();
  expect(tiersOf({ ...rounds, rounds: { ...rounds.rounds, tiers: ['medium'] } })).toBe('500 users (medium)');
});
