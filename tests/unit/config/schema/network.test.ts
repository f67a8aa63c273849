import { describe, expect, it } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

const parsed = (rest: string) => {
  const text = `services:\n  api: { protocol: rest, port: 8080, image: nginx:1.27 }\noperations:\n  - { name: Index, rest: GET / }\n${rest}`;
  return parseProject({ file: 'wiregauge.yml', text }).suite;
};

const TIER = 'name: far, requestsPerSecond: 50';

describe('a network', () => {
  it.each([
    ['rtt: 20ms', { rttMs: 20 }],
    ['rtt: 0ms', { rttMs: 0 }],
    ['rtt: 1500us, jitter: 0.3ms', { rttMs: 1.5, jitterMs: 0.3 }],
    ['rtt: 0.2s, bandwidth: 100Mbit, loss: 0%', { rttMs: 200, bandwidthMbit: 100 }],
    ['bandwidth: 512kbit', { rttMs: 0, bandwidthMbit: 0.512 }],
    ['readRate: 4Mbit', { rttMs: 0, readMbit: 4 }],
    ['rtt: 20ms, readRate: 500kbit', { rttMs: 20, readMbit: 0.5 }],
    ['rtt: 1s, bandwidth: 1.5Gbit, jitter: 0ms', { rttMs: 1000, bandwidthMbit: 1500 }],
  ])('has times and rates with their units, and says who makes it: %s', (said, network) => {
    expect(parsed(`network: { ${said} }`).network).toEqual({ ...network, by: 'driver' });
  });

  it('is that of the closed loop and of all tiers that say nothing else', () => {
    const { network, tiers } = parsed(
      `network: { rtt: 20ms }\ntiers:\n  - { ${TIER} }\n  - { name: here, users: 2, limitSeconds: 3, network: { rtt: 0ms } }\n`,
    );

    expect(network).toEqual({ rttMs: 20, by: 'driver' });
    expect(tiers.map((tier) => [tier.name, tier.network?.rttMs])).toEqual([
      ['far', 20],
      ['here', 0],
    ]);
  });

  it('is none of the others if a tier says it', () => {
    const { network, tiers } = parsed(
      `tiers:\n  - { ${TIER}, network: { rtt: 1ms } }\n  - { name: here, stages: [{ seconds: 1, users: 2 }] }\n`,
    );

    expect(network).toBeUndefined();
    expect(tiers.map((tier) => tier.network)).toEqual([{ rttMs: 1, by: 'driver' }, undefined]);
  });

  it.each([
    ['{}', /^wiregauge\.yml:5:1: network: needs at least one of rtt, bandwidth and readRate/],
    ['{ rtt: 20 }', /:5:12: network\.rtt: must be a number with a unit \(us, ms, s\), like 20ms/],
    ['{ rtt: 20 ms }', /:5:12: network\.rtt: must be a number with a unit/],
    ['{ rtt: -1ms }', /network\.rtt: must be a number with a unit/],
    ['{ rtt: 1.1s }', /network\.rtt: must be at most 1s/],
    ['{ rtt: 20ms, jitter: 11ms }', /:5:\d+: network\.jitter: must be at most half of rtt, 10ms/],
    ['{ bandwidth: 9Mbit, jitter: 1ms }', /network\.jitter: must be at most half of rtt, 0ms/],
    ['{ rtt: 20ms, bandwidth: 100Mb }', /network\.bandwidth: must be a number with a unit \(kbit, Mbit, Gbit\)/],
    ['{ rtt: 20ms, bandwidth: 0Mbit }', /network\.bandwidth: must be from 10kbit to 100Gbit/],
    ['{ readRate: 4MB }', /:5:\d+: network\.readRate: must be a number with a unit \(kbit, Mbit, Gbit\)/],
    ['{ readRate: 1kbit }', /network\.readRate: must be from 10kbit to 100Gbit/],
    ['{ rtt: 20ms, loss: 0.1% }', /:5:\d+: network\.loss: must not be set: .*cannot drop packets; use jitter/],
    ['{ latency: 20ms }', /network\.latency: is an unknown key; did you mean rtt\?/],
  ])('is refused with its place: %s', (said, message) => {
    const refused = () => parsed(`network: ${said}\n`);

    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow(message);
  });

  it('is refused in a tier with the place there', () => {
    expect(() => parsed(`tiers:\n  - { ${TIER}, network: { rtt: 20ms, loss: 1% } }\n`)).toThrow(
      /^wiregauge\.yml:6:\d+: tiers\.0\.network\.loss: must not be set/,
    );
  });
});
