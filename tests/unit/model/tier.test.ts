import { describe, expect, it } from 'vitest';
import {
  arrivalsOf,
  arrivalTiers,
  type ClosedTier,
  leastClosedTiers,
  mostUsers,
  type RateTier,
  type StagesTier,
  stagesSeconds,
  tierSchema,
  tiersWith,
  type UsersTier,
  usersAt,
  usualInFlight,
} from '../../../src/model/suite/suite.ts';
import { tierWords } from '../../../src/model/suite/tier-words.ts';

const USERS: UsersTier = { name: 'high', users: 1000, spawnPerSecond: 50, thinkSeconds: 0.5 };
const RATE: RateTier = { name: 'peak', requestsPerSecond: 1600, rampSeconds: 4, inFlight: 120 };

describe('a tier', () => {
  it.each([
    ['with users: their rate, as many in flight, and their time to begin', USERS, [2000, 1000, 20, '1,000 users']],
    ['with a rate: what it says', RATE, [1600, 120, 4, '1,600/s']],
  ] as const)('comes %s', (_what, tier, [ratePerSecond, inFlight, rampSeconds, words]) => {
    expect(arrivalsOf(tier)).toEqual({ ratePerSecond, inFlight, rampSeconds });
    expect(tierWords(tier)).toBe(words);
  });

  it.each([
    [1, 16],
    [800, 240],
    [1667, 500],
    [10_000, 1000],
  ])('with %i requests a second has %i in flight at most, unless it says otherwise', (rate, inFlight) => {
    expect(usualInFlight(rate)).toBe(inFlight);
  });
});

const CLOSED: ClosedTier = { name: 'full', users: 16, rampSeconds: 0, limitSeconds: 8 };
const GET: ClosedTier = { ...CLOSED, name: 'get', users: 500, requestsPerUser: 100, operations: ['Get'] };
const FEW_GET: ClosedTier = { ...GET, name: 'few', users: 100 };

/** The study of the suite layers. */
const STAGES: StagesTier = {
  name: 'rush',
  thinkSeconds: 0.1,
  stages: [
    { seconds: 30, users: 100 },
    { seconds: 60, users: 500 },
    { seconds: 30, users: 1000 },
    { seconds: 30, users: 0 },
  ],
};

describe('a tier of users who come and go', () => {
  it('is called by the most of them, and has no rate', () => {
    expect(tierWords(STAGES)).toBe('up to 1,000 users');
    expect(tierWords({ ...STAGES, operations: ['Get'] })).toBe('up to 1,000 users (Get)');
    expect(arrivalTiers([STAGES, RATE])).toEqual([RATE]);
    expect([mostUsers(STAGES.stages), stagesSeconds(STAGES.stages)]).toEqual([1000, 150]);
  });

  it.each([
    [-1, 0],
    [0, 0],
    [15, 50],
    [30, 100],
    [60, 300],
    [105, 750],
    [135, 500],
    [149.9, 3],
    [150, 0],
  ])('goes in straight lines: after %d s there are %d', (second, users) => {
    expect(usersAt(STAGES.stages, second)).toBeCloseTo(users, 0);
  });

  it('may have them come all at once', () => {
    const spike = [
      { seconds: 0, users: 50 },
      { seconds: 10, users: 50 },
    ];
    expect([0, 9.9, 10].map((second) => usersAt(spike, second))).toEqual([50, 50, 0]);
  });
});

describe('tiers without think time and of some operations', () => {
  it.each([
    [CLOSED, '16 users at full rate'],
    [GET, '500 users (Get)'],
    [{ ...CLOSED, users: 1 }, '1 user at full rate'],
    [{ ...RATE, operations: ['Get', 'List'] }, '1,600/s (Get, List)'],
  ])('are called by what they do', (tier, words) => {
    expect(tierWords(tier)).toBe(words);
  });

  it('are distinguished from those with a rate', () => {
    expect(arrivalTiers([CLOSED, USERS, GET, RATE])).toEqual([USERS, RATE]);
  });

  it('are the same load in rounds where they ask for the same, so that the one with the fewest users is taken', () => {
    expect(leastClosedTiers([USERS, CLOSED, GET, FEW_GET])).toEqual([CLOSED, FEW_GET]);
  });

  it.each([
    [['List'], [CLOSED]],
    [
      ['Get', 'List'],
      [CLOSED, GET],
    ],
  ])('fall away where none of their operations is there: %j', (operations, left) => {
    expect(tiersWith([CLOSED, GET], operations)).toEqual(left);
  });

  it('keep those of their operations that are there', () => {
    expect(tiersWith([{ ...GET, operations: ['Get', 'Put'] }], ['Put'])).toEqual([{ ...GET, operations: ['Put'] }]);
  });

  it.each([USERS, RATE, CLOSED, GET, STAGES])('come back from a file as they went: $name', (tier) => {
    expect(tierSchema.parse(JSON.parse(JSON.stringify(tier)))).toEqual(tier);
  });
});
