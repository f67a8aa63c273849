import { describe, expect, it } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';

const findingsOf = (test: string) => {
  const text = `services:
  api: { protocol: rest, port: 8080, image: nginx:1.27 }
operations:
  - { name: Index, rest: GET / }
tiers: [{ name: r50, requestsPerSecond: 50 }]
published:
  source: A study
  note: Another machine.
  figures: []
  findings:
    - says: it
      holdsIf: [{ service: api, tier: r50, ${test} }]
`;
  return parseProject({ file: 'wiregauge.yml', text }).suite.published?.findings;
};

describe('a finding about a time that programs report', () => {
  it('is of the mean latency', () => {
    expect(findingsOf('metric: latencyMeanMs, againstOwn: calls_seconds, atMost: 2')).toEqual([
      {
        says: 'it',
        holdsIf: [{ service: 'api', tier: 'r50', metric: 'latencyMeanMs', againstOwn: 'calls_seconds', atMost: 2 }],
      },
    ]);
  });

  it.each([
    ['another metric', 'metric: latencyP50Ms, againstOwn: calls_seconds, atMost: 2'],
    ['another service', 'metric: latencyMeanMs, against: api, againstOwn: calls_seconds, atMost: 2'],
    ['one operation', 'metric: latencyMeanMs, operation: Index, againstOwn: calls_seconds, atMost: 2'],
  ])('is refused with %s', (_, test) => {
    expect(() => findingsOf(test)).toThrow(
      /holdsIf.*has againstOwn, which works only with the metric latencyMeanMs, without against and operation/s,
    );
  });

  it('is refused with what no metric can be called', () => {
    expect(() => findingsOf('metric: latencyMeanMs, againstOwn: "a b", atMost: 2')).toThrow('not the name of a metric');
  });
});
