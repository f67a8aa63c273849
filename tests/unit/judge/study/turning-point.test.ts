import { describe, expect, it } from 'vitest';
import { readCells } from '../../../../src/judge/reading/cells.ts';
import { turningTier } from '../../../../src/judge/reading/tier-comparison.ts';
import type { Run } from '../../../../src/model/run/run.ts';
import { type SampleRunOptions, sampleRun } from '../../../support/sample-run.ts';

describe('turningTier', () => {
  it('is none if every tier sustains its rate and its latency', () => {
    expect(rest()).toBeUndefined();
  });

  it('is the first tier that answers less than 99% of the offered rate', () => {
    expect(rest({ shapes: { 'rest/medium': { held: 0.989 }, 'rest/high': { held: 0.5 } } })).toBe('medium');
    expect(rest({ shapes: { 'rest/high': { held: 0.99 } } })).toBeUndefined();
  });

  it('is the tier whose p90 is ten times that of the lowest one and at least 5 ms', () => {
    expect(rest({ shapes: { 'rest/high': { p50Ms: 8 } } })).toBe('high');
    const short = { 'rest/low': { p50Ms: 0.13, spread: 0.1 }, 'rest/high': { p50Ms: 2, spread: 0.5 } };
    expect(rest({ shapes: short })).toBeUndefined();
  });

  it('is not a tier at which the load tool was at its limit, nor a missing one', () => {
    const shapes = { 'rest/high': { held: 0.6, marks: ['generator-limited'] } } as const;

    expect(rest({ without: ['rest/medium'], shapes })).toBeUndefined();
    expect(rest({ without: ['rest/low', 'rest/medium', 'rest/high'] })).toBeUndefined();
  });

  it('is none in a suite without tiers that are steps of one load', () => {
    const run = sampleRun({ shapes: { 'rest/medium': { held: 0.5 } } });
    const closed = { name: 'low', users: 16, rampSeconds: 0, limitSeconds: 8 };
    const partial = { name: 'medium', requestsPerSecond: 5, rampSeconds: 0, inFlight: 16, operations: ['GetUser'] };

    expect(turning({ ...run, suite: { ...run.suite, tiers: [closed, partial] } })).toBeUndefined();
  });

  it('is not a tier over another network', () => {
    const run = sampleRun({ shapes: { 'rest/high': { p50Ms: 100 } } });
    const tiers = run.suite.tiers.map((tier) =>
      tier.name === 'high' ? { ...tier, network: { rttMs: 100, by: 'driver' } as const } : tier,
    );

    expect(turning({ ...run, suite: { ...run.suite, tiers } })).toBeUndefined();
  });
});

function turning(run: Run) {
  return turningTier(run, readCells(run), 'rest');
}

function rest(options: SampleRunOptions = {}) {
  return turning(sampleRun(options));
}
