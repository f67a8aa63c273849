import { describe, expect, it } from 'vitest';
import { turningPoints } from '../../../../src/judge/study/turning-point.ts';
import { type SampleRunOptions, sampleRun } from '../../../support/sample-run.ts';

describe('turningPoints', () => {
  it('sees none where every tier holds its rate and its latency', () => {
    expect(rest()).toEqual({ kind: 'none-seen', service: 'rest', unclear: [] });
  });

  it('turns at the first tier that answers less than 99% of the offered rate', () => {
    const point = rest({ shapes: { 'rest/medium': { held: 0.989 }, 'rest/high': { held: 0.5 } } });

    expect(point).toMatchObject({ kind: 'turned', tier: 'medium', cause: { kind: 'rate' } });
  });

  it('does not turn at exactly 99%', () => {
    expect(rest({ shapes: { 'rest/high': { held: 0.99 } } })?.kind).toBe('none-seen');
  });

  it('turns where p90 is ten times that of the lowest tier and at least 5 ms', () => {
    const point = rest({ shapes: { 'rest/high': { p50Ms: 8 } } });

    expect(point).toMatchObject({ kind: 'turned', tier: 'high', cause: { kind: 'latency' } });
  });

  it('does not turn below 5 ms, however many times it is', () => {
    const point = rest({
      shapes: { 'rest/low': { p50Ms: 0.13, spread: 0.1 }, 'rest/high': { p50Ms: 2, spread: 0.5 } },
    });

    expect(point?.kind).toBe('none-seen');
  });

  it('learns nothing from a tier at which the load tool was at its limit, nor from a missing one', () => {
    const point = rest({
      without: ['rest/medium'],
      shapes: { 'rest/high': { held: 0.6, marks: ['generator-limited'] } },
    });

    expect(point).toEqual({ kind: 'none-seen', service: 'rest', unclear: ['medium', 'high'] });
  });

  it('says so when nothing was measured', () => {
    const point = rest({ without: ['rest/low', 'rest/medium', 'rest/high'] });

    expect(point).toEqual({ kind: 'unmeasured', service: 'rest' });
  });

  it('has nothing to say of a suite without tiers that are steps of one load', () => {
    const run = sampleRun();
    const closed = { name: 'low', users: 16, rampSeconds: 0, limitSeconds: 8 };
    const partial = { name: 'medium', requestsPerSecond: 5, rampSeconds: 0, inFlight: 16, operations: ['GetUser'] };

    expect(turningPoints({ ...run, suite: { ...run.suite, tiers: [closed, partial] } })).toEqual([]);
  });

  it('takes tiers that are farther away for no steps of the same load', () => {
    const run = sampleRun({ shapes: { 'rest/high': { p50Ms: 100 } } });
    const tiers = run.suite.tiers.map((tier) =>
      tier.name === 'high' ? { ...tier, network: { rttMs: 100, by: 'driver' } as const } : tier,
    );

    expect(turningPoints({ ...run, suite: { ...run.suite, tiers } })).toMatchObject([
      { kind: 'none-seen' },
      { kind: 'none-seen' },
    ]);
  });
});

function rest(options: SampleRunOptions = {}) {
  return turningPoints(sampleRun(options)).find(({ service }) => service === 'rest');
}
