import { describe, expect, it } from 'vitest';
import { type PlannedTrial, planRun } from '../../../src/model/plan.ts';
import { profileNamed } from '../../../src/model/profiles.ts';
import { isSameNetwork, type Network, networkSchema, networkWords } from '../../../src/model/suite/network.ts';
import { type ClosedTier, leastClosedTiers, type RateTier, tierSchema } from '../../../src/model/suite/suite.ts';
import { tierWords } from '../../../src/model/suite/tier-words.ts';
import { usersSuite } from '../../support/suite.ts';

const FAR: Network = { rttMs: 20, by: 'driver' };
const SLOW: Network = { rttMs: 100.5, jitterMs: 2, bandwidthMbit: 100, by: 'driver' };
const RATE: RateTier = { name: 'peak', requestsPerSecond: 800, rampSeconds: 2, inFlight: 16 };
const CLOSED: ClosedTier = { name: 'full', users: 16, rampSeconds: 0, limitSeconds: 8 };

describe('a network', () => {
  it.each([
    [FAR, 'rtt 20 ms'],
    [{ ...FAR, rttMs: 0 }, 'rtt 0 ms'],
    [SLOW, 'rtt 100.5 ms ± 2 ms at 100 Mbit/s'],
    [{ ...FAR, rttMs: 0, readMbit: 4 }, 'rtt 0 ms, read at 4 Mbit/s'],
  ])('is described, and read back from a file: %j', (network, words) => {
    expect(networkWords(network)).toBe(words);
    expect(networkSchema.parse(JSON.parse(JSON.stringify(network)))).toEqual(network);
  });

  it.each([
    [FAR, { ...FAR }, true],
    [FAR, SLOW, false],
    [FAR, undefined, false],
    [{ ...FAR, rttMs: 0 }, undefined, false],
    [FAR, { ...FAR, readMbit: 4 }, false],
    [undefined, undefined, true],
  ])('is the same as another if all of it is: %j, %j', (one, other, isSame) => {
    expect(isSameNetwork({ network: one }, { network: other })).toBe(isSame);
  });

  it('is in the words of its tier, before what that asks for', () => {
    expect(tierWords({ ...RATE, network: FAR })).toBe('800/s with rtt 20 ms');
    expect(tierWords({ ...CLOSED, network: FAR, operations: ['Get'] })).toBe(
      '16 users at full rate with rtt 20 ms (Get)',
    );
  });

  it('comes back from a file with its tier', () => {
    for (const tier of [RATE, CLOSED]) {
      expect(tierSchema.parse({ ...tier, network: SLOW })).toEqual({ ...tier, network: SLOW });
    }
  });

  it('makes two loads of one closed loop', () => {
    const far = { ...CLOSED, name: 'far', users: 100, network: FAR };
    const farther = { ...far, name: 'more', users: 200 };

    expect(leastClosedTiers([CLOSED, far, farther])).toEqual([CLOSED, far]);
  });
});

describe('the plan of a suite with networks', () => {
  const suite = {
    ...usersSuite(),
    network: SLOW,
    tiers: [
      { ...RATE, network: FAR },
      { ...CLOSED, network: FAR },
      { name: 'rush', stages: [{ seconds: 3, users: 5 }], network: FAR },
      { ...RATE, name: 'here' },
    ],
  };
  const { trials } = planRun({ suite, profile: profileNamed('smoke').trials, modes: ['open', 'saturate'], seed: 1 });
  const trialsOf = (tier: string | undefined): readonly PlannedTrial[] =>
    trials.filter((trial) => trial.tier?.name === tier);

  it.each(['peak', 'full', 'rush'])('has that of its tier in every block of a trial: %s', (tier) => {
    const paces = trialsOf(tier).flatMap((trial) => [trial.pace, ...trial.ramp.map(({ pace }) => pace)]);

    expect(paces.length).toBeGreaterThanOrEqual(suite.services.length);
    expect(paces.every(({ network }) => network === FAR)).toBe(true);
  });

  it('has none at a tier without one', () => {
    expect(trialsOf('here').length).toBeGreaterThan(0);
    for (const { pace } of trialsOf('here')) {
      expect(pace).not.toHaveProperty('network');
    }
  });
});
