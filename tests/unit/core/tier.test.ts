import { describe, expect, it } from 'vitest';
import { arrivalsOf, type Tier, tierWords, usualInFlight } from '../../../src/core/tier.ts';

const USERS: Tier = { name: 'high', users: 1000, spawnPerSecond: 50, thinkSeconds: 0.5 };
const RATE: Tier = { name: 'peak', requestsPerSecond: 1600, rampSeconds: 4, inFlight: 120 };

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
