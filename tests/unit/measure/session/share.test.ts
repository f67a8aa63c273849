import { describe, expect, test } from 'vitest';
import { ownRecord, shareOf } from '../../../../src/measure/session/comparison.ts';
import type { VersionSuites } from '../../../../src/measure/session/versions/suites.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

/** Suites whose versions have those services. */
function suitesOf(base: readonly string[], head: readonly string[]): VersionSuites {
  const common = head.filter((service) => base.includes(service));
  const files = (ownServices: readonly string[]) => ({
    root: '.',
    suite: { services: ownServices },
    ownServices,
    services: new Map(common.map((service) => [service, {}])),
    configHash: 'of all services',
    secrets: [],
  });
  return { suite: { services: common }, base: files(base), head: files(head) } as unknown as VersionSuites;
}

const ALL = ['a', 'b', 'c', 'd'];

describe('shareOf', () => {
  test('is everything without a shard', () => {
    const suites = suitesOf(ALL, ALL);

    expect(shareOf(suites, {})).toEqual({ suites, shards: undefined });
  });

  test('is every n-th service, with the configuration of the whole', () => {
    const { suites, shards } = shareOf(suitesOf(ALL, ALL), { shard: { index: 2, of: 3 } });

    expect(suites.suite.services).toEqual(['b']);
    expect([...suites.base.services.keys(), ...suites.head.services.keys()]).toEqual(['b', 'b']);
    expect(suites.head.configHash).toBe('of all services');
    expect(shards).toEqual({ kind: 'shard', of: 3, index: 2, services: [['a', 'd'], ['b'], ['c']] });
  });

  test('is of those that were asked for, in their order', () => {
    const { shards } = shareOf(suitesOf(ALL, ALL), { services: ['d', 'b'], shard: { index: 1, of: 2 } });

    expect(shards?.services).toEqual([['d'], ['b']]);
  });

  test('what only one version has is reported by one shard each, and every shard divides alike', () => {
    const suites = suitesOf(['a', 'gone'], ['a', 'new']);
    const shares = [1, 2].map((index) => shareOf(suites, { shard: { index, of: 2 } }));
    const { base } = sampleRounds().rounds;
    const reported = (services: readonly string[]) =>
      shares.map(({ shards }) => ownRecord({ ...base, services }, shards).services);

    expect(shares.map(({ suites: { suite } }) => suite.services)).toEqual([['a'], []]);
    expect(reported(['a', 'gone'])).toEqual([['a', 'gone'], []]);
    expect(reported(['a', 'new'])).toEqual([['a'], ['new']]);
    expect(new Set(shares.map(({ shards }) => JSON.stringify(shards?.services))).size).toBe(1);
  });

  test('refuses more shards than services, and a label that one shard cannot ask for', () => {
    const suites = suitesOf(ALL, ALL);

    expect(() => shareOf(suites, { shard: { index: 1, of: 5 } })).toThrow(
      /5 shards are more than the 4 services: a, b/,
    );
    expect(() => shareOf(suites, { shard: { index: 1, of: 2 }, pullRequest: 'o/r#1' })).toThrow(/--pull-request/);
  });
});
