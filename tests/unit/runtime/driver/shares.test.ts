import { describe, expect, test } from 'vitest';
import { type BlockLoad, type Load, partOf } from '../../../../src/model/load.ts';
import { sharedLoads } from '../../../../src/runtime/driver/shares.ts';
import { httpLoad } from '../../../integration/plain-service.ts';

const requests = (count: number) => Array.from({ length: count }, (_, at) => ({ call: `GET /${at}`, body: undefined }));

function blockOf(more: object, rows = 4): BlockLoad {
  const { tool, load } = httpLoad({ loadAddress: '10.0.0.7:80' });
  return { tool, load: { ...load, ...more, target: { ...load.target, requests: requests(rows) } } as Load };
}

const open = (more = {}) => blockOf({ kind: 'open', ratePerSecond: 1000, workers: 20, ...more });

test.each([1, 2, 3, 7, 100])('parts of a whole are whole, and together exactly that: %i', (of) => {
  for (const whole of [0, 1, 99, 100, 1001]) {
    const parts = Array.from({ length: of }, (_, index) => partOf(whole, { index, of }));
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(whole);
    expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
  }
});

describe('loads of several generators', () => {
  test('are one schedule, with the workers divided', () => {
    const shares = sharedLoads([open()], 3).map(([one]) => one?.load);

    expect(shares).toMatchObject([
      { share: { index: 0, of: 3 }, ratePerSecond: 1000, workers: 7 },
      { share: { index: 1, of: 3 }, ratePerSecond: 1000, workers: 7 },
      { share: { index: 2, of: 3 }, ratePerSecond: 1000, workers: 6 },
    ]);
  });

  test('have as many workers for each generator, however the operations divide them', () => {
    const ten = Array.from({ length: 10 }, () => open({ workers: 5 }));

    const shares = sharedLoads(ten, 4);

    expect(shares.map((loads) => loads.reduce((sum, { load }) => sum + load.workers, 0))).toEqual([13, 13, 12, 12]);
    for (const place of ten.keys()) {
      const workers = shares.map((loads) => loads[place]?.load.workers ?? 0);
      expect([workers.reduce((sum, one) => sum + one, 0), Math.min(...workers)]).toEqual([5, 1]);
    }
  });

  test.each([
    [2, 4],
    [3, 4],
    [4, 6],
    [5, 1],
    [3, 100],
  ])('send each request when one would: %i generators of %i requests', (of, rows) => {
    const shares = sharedLoads(
      [open({})].map(() => blockOf({ kind: 'open', ratePerSecond: 1000, workers: 20 }, rows)),
      of,
    );
    const turns = shares.map(([one]) => one?.load.target.requests ?? []);

    for (let place = 0; place < 2 * of * rows; place += 1) {
      const turn = turns[place % of] ?? [];
      expect(turn[Math.floor(place / of) % turn.length]?.call).toBe(`GET /${place % rows}`);
    }
  });

  test('are of no more generators than each load has requests and workers for', () => {
    expect(sharedLoads([open(), open({ workers: 2 })], 9)).toHaveLength(2);
    expect(sharedLoads([open({ ratePerSecond: 3 })], 9)).toHaveLength(3);
    expect(sharedLoads([open({ workers: 1 })], 9)).toEqual([[open({ workers: 1 })]]);
  });

  test('divide users and their stages, and keep weights', () => {
    const users = (more: object) => sharedLoads([blockOf({ kind: 'users', workers: 5, weight: 0.5, ...more })], 2);
    const stages = [
      { seconds: 2, users: 5 },
      { seconds: 1, users: 0 },
    ];

    expect(users({ requestsPerUser: 10 }).map(([one]) => one?.load)).toMatchObject([
      { workers: 3, weight: 3 },
      { workers: 2, weight: 2 },
    ]);
    expect(users({}).map(([one]) => one?.load)).toMatchObject([
      { workers: 3, weight: 0.5 },
      { workers: 2, weight: 0.5 },
    ]);
    expect(sharedLoads([blockOf({ kind: 'stages', workers: 5, stages })], 2).map(([one]) => one?.load)).toMatchObject([
      { workers: 3, stages: [{ users: 3 }, { users: 0 }] },
      { workers: 2, stages: [{ users: 2 }, { users: 0 }] },
    ]);
  });
});
