import { describe, expect, it } from 'vitest';
import { saturationLoad, tierLoad } from '../../../../src/measure/trial/blocks.ts';
import type { Network } from '../../../../src/model/suite/network.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';

const FAR: Network = { rttMs: 100, by: 'driver' };
const NEAR: Network = { rttMs: 1, by: 'driver' };

describe('the loads of a round', () => {
  const { bench } = fakeRounds();
  const tiers = [
    { name: 'rate', requestsPerSecond: 50, rampSeconds: 0, inFlight: 16, network: NEAR },
    { name: 'full', users: 2, rampSeconds: 0, limitSeconds: 8, network: NEAR },
    { name: 'here', requestsPerSecond: 50, rampSeconds: 0, inFlight: 16 },
  ];
  const over = { ...bench, suite: { ...bench.suite, network: FAR, tiers } };
  const warm = { blockSeconds: 0.5, dropSeconds: 0, cold: [] };
  const paceOf = async (name: string) => (await tierLoad(over, name, async () => warm)).pace;

  it('are sent over the network of the suite at saturation, and over that of each tier', async () => {
    expect(saturationLoad(over, 0.5).pace).toMatchObject({ kind: 'saturate', network: FAR });
    expect(await paceOf('rate')).toMatchObject({ kind: 'open', network: NEAR });
    expect(await paceOf('full')).toMatchObject({ kind: 'saturate', workers: 2, network: NEAR });
    expect(await paceOf('here')).not.toHaveProperty('network');
  });
});
