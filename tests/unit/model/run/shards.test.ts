import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeRuns } from '../../../../src/model/run/merge.ts';
import { lostShards, servicesByShard, servicesInOrder } from '../../../../src/model/run/rounds.ts';
import type { RunFile } from '../../../../src/model/run/run.ts';
import { formatRun, parseRun } from '../../../../src/model/run/run.ts';
import { sampleShard, THREE, threeShards } from '../../../support/sample-shards.ts';

const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 20 });

describe('servicesByShard', () => {
  test('deals the services out in turn', () => {
    expect(servicesByShard(['a', 'b', 'c', 'd', 'e'], 2)).toEqual([
      ['a', 'c', 'e'],
      ['b', 'd'],
    ]);
  });

  test('gives every service to one shard, every shard a service, and the order back', () => {
    fc.assert(
      fc.property(names, fc.nat(), (services, number) => {
        const shards = servicesByShard(services, 1 + (number % services.length));

        expect(servicesInOrder({ services: shards })).toEqual(services);
        expect(shards.every(({ length }) => length > 0)).toBe(true);
      }),
    );
  });

  test('refuses more shards than services, and names the services', () => {
    expect(() => servicesByShard(['rest', 'grpc'], 3)).toThrow(/3 shards are more than the 2 services: rest, grpc/);
  });
});

describe('the record of shards', () => {
  const shard = sampleShard({ index: 2, services: THREE, rounds: 2 });
  const merged = mergeRuns(threeShards([{ rounds: 2 }, { rounds: 2 }, { rounds: 2 }]) as [RunFile]);

  test('is read as it was written', () => {
    expect(parseRun(formatRun(shard), 'run.json')).toEqual(shard);
    expect(parseRun(formatRun(merged), 'run.json')).toEqual(merged);
  });

  test.each([
    ['services of every shard', shard, { services: [['one'], ['two']] }, /services of every shard/],
    ['a service in one shard', shard, { services: [['one'], ['two'], ['one']] }, /in two shards/],
    ['no empty shard', shard, { services: [['one'], [], ['three']] }, /must not be empty/],
    ['names that are names', shard, { services: [['one'], ['<b>'], ['three']] }, /a name has 1 to 80 letters/],
    ['an index that there is', shard, { index: 4 }, /beyond the last/],
    ['an index from 1', shard, { index: 0 }, /must be at least 1/],
    ['no more shards than a matrix has jobs', shard, { of: 257 }, /must be at most 256/],
    ['a kind', shard, { kind: 'whole' }, /kind: must be one of shard, merged/],
    ['each shard once', merged, { measured: [0, 1, 1].map((place) => measured()[place]) }, /appears twice/],
    ['the shards in order', merged, { measured: measured().toReversed() }, /out of order/],
    ['some shard', merged, { measured: [] }, /must not be empty/],
  ])('must have %s', (...[, run, change, message]) => {
    const shards = { ...run.rounds?.shards, ...change };
    const text = JSON.stringify({ ...run, rounds: { ...run.rounds, shards } });

    expect(() => parseRun(text, 'run.json')).toThrow(message);
  });

  function measured() {
    const { shards } = merged.rounds ?? {};
    return shards?.kind === 'merged' ? shards.measured : [];
  }

  test('names the shards that no file came of, once they are merged', () => {
    const [first] = threeShards() as [RunFile];

    expect(lostShards(mergeRuns([first]).rounds?.shards)).toEqual([
      { index: 2, of: 3, services: ['two'] },
      { index: 3, of: 3, services: ['three'] },
    ]);
    expect(lostShards(first.run.rounds?.shards)).toEqual([]);
    expect(lostShards(undefined)).toEqual([]);
  });
});
