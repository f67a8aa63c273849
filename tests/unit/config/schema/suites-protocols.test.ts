import { describe, expect, it } from 'vitest';
import { RUNTIME_NAMES } from '../../../../src/model/suite/published.ts';
import { isClosed } from '../../../../src/model/suite/suite.ts';
import { readSuite } from '../../../../src/project/suite.ts';

describe('the suite protocols', () => {
  const { suite } = readSuite('.', 'protocols');

  it('sends one operation at each tier, one request after the other and under 10 and 100 users', () => {
    const found = suite.tiers.map((tier) => [isClosed(tier) && tier.users, tier.operations]);

    expect(found).toEqual(
      [1, 10, 100].flatMap((users) => ['AddGame', 'GetGame', 'ListGames'].map((operation) => [users, [operation]])),
    );
  });

  it.each(RUNTIME_NAMES)('has what the study measured of each service and operation in %s', (runtime) => {
    for (const service of suite.services) {
      for (const tier of ['insert', 'fetch', 'fetch-100']) {
        const own = suite.published?.figures.filter(
          (one) => one.service === service && one.tier === tier && one.runtime === runtime,
        );
        expect(own?.map(({ metric }) => metric)).toEqual([
          'latencyMeanMs',
          'latencyMinMs',
          'latencyMaxMs',
          'latencySdMs',
          ...(runtime === 'docker' && tier !== 'fetch-100' ? ['connectionBytesPerRequest'] : []),
        ]);
      }
    }
  });
});

describe.each(['protocols', 'protocols-changes', 'protocols-go'])('the suite %s', (name) => {
  it('gives all four servers the same database, reached with the same settings', () => {
    const reached = [...readSuite('.', name).services.values()].map(({ needs, environment }) => ({
      needs,
      url: environment['DATABASE_URL'],
      pool: environment['POOL_SIZE'],
      timeout: environment['DATABASE_TIMEOUT_SECONDS'],
    }));

    expect(reached).toHaveLength(4);
    for (const one of reached) {
      expect(one).toEqual(reached[0]);
    }
  });
});

describe('the suite protocols-changes', () => {
  const { suite } = readSuite('.', 'protocols-changes');

  it('sends updates, deletes and both in turns, one request after the other and under 10 users', () => {
    const found = suite.tiers.map((tier) => [isClosed(tier) && tier.users, tier.operations]);

    expect(found).toEqual(
      [1, 10].flatMap((users) => [['UpdateGame'], ['DeleteGame'], undefined].map((operations) => [users, operations])),
    );
    expect(suite.operations.map(({ share }) => share)).toEqual([0.5, 0.5]);
  });

  it('updates and deletes the same game', () => {
    const [update, remove] = suite.operations;

    expect(update?.arguments).toEqual([{ game: expect.objectContaining({ id: 101 }) }]);
    expect(remove?.arguments).toEqual([{ id: 101 }]);
  });
});
