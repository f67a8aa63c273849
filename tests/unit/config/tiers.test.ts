import { describe, expect, it } from 'vitest';
import { parseProject } from '../../../src/config/parse.ts';

const project = (...tiers: readonly string[]) => {
  const list = tiers.map((tier) => `  - { ${tier} }\n`).join('');
  const text = `services:\n  api: { protocol: rest, port: 8080, image: nginx:1.27 }\noperations:\n  - { name: Index, rest: GET / }\ntiers:\n${list}`;
  return parseProject({ file: 'wiregauge.yml', text }, () => ({})).suite;
};
const USERS = 'name: low, users: 100, spawnPerSecond: 10, thinkSeconds: 0.3';

describe('tiers', () => {
  it('say users or a rate, side by side', () => {
    const { tiers } = project(
      USERS,
      'name: peak, requestsPerSecond: 800',
      'name: burst, requestsPerSecond: 40, rampSeconds: 0, inFlight: 5',
    );

    expect(tiers).toEqual([
      { name: 'low', users: 100, spawnPerSecond: 10, thinkSeconds: 0.3 },
      { name: 'peak', requestsPerSecond: 800, rampSeconds: 10, inFlight: 240 },
      { name: 'burst', requestsPerSecond: 40, rampSeconds: 0, inFlight: 5 },
    ]);
  });

  it.each([
    [
      'neither',
      'name: a',
      /^wiregauge\.yml:6:\d+: tiers\.0: says no load: it wants either users, .* or requestsPerSecond/,
    ],
    [
      'both',
      `${USERS}, requestsPerSecond: 9`,
      /^wiregauge\.yml:6:\d+: tiers\.0\.requestsPerSecond: stands beside users, and a tier has either users, spawnPerSecond and thinkSeconds, or requestsPerSecond/,
    ],
    ['users beside a ramp', `${USERS}, rampSeconds: 9`, /tiers\.0\.rampSeconds: stands beside users/],
    ['a rate beside think time', 'name: a, requestsPerSecond: 9, thinkSeconds: 1', /stands beside thinkSeconds/],
    [
      'users without their time',
      'name: a, users: 5, spawnPerSecond: 1',
      /tiers\.0\.thinkSeconds: is missing beside users/,
    ],
    ['think time without users', 'name: a, thinkSeconds: 1', /tiers\.0\.users: is missing beside thinkSeconds/],
    ['a bound without a rate', 'name: a, inFlight: 1', /tiers\.0\.requestsPerSecond: is missing beside inFlight/],
    [
      'a misspelt rate',
      'name: a, requestPerSecond: 9',
      /requestPerSecond: is no key here; did you mean requestsPerSecond\?$/,
    ],
    ['a rate that is no whole number', 'name: a, requestsPerSecond: 0.5', /tiers\.0\.requestsPerSecond: /],
    ['a rate of nothing', 'name: a, requestsPerSecond: 0', /tiers\.0\.requestsPerSecond: /],
    ['a ramp that goes back', 'name: a, requestsPerSecond: 9, rampSeconds: -1', /tiers\.0\.rampSeconds: /],
    ['the name of the closed loop', 'name: saturation, requestsPerSecond: 9', /must not be "saturation"/],
  ])('refuse %s, with the place', (_what, tier, message) => {
    expect(() => project(tier)).toThrow(message);
  });

  it('refuse a name twice, whichever way they are said', () => {
    expect(() => project(USERS, 'name: low, requestsPerSecond: 9')).toThrow(/tiers: names a tier twice/);
  });
});
