import { describe, expect, it } from 'vitest';
import { readCells } from '../../../../src/judge/reading/cells.ts';
import type { RatioTest } from '../../../../src/model/run/study.ts';
import type { OwnSample } from '../../../../src/model/sample/own-figures.ts';
import { testedFindings } from '../../../../studies/judge/findings.ts';
import { slotRatio } from '../../../../studies/judge/slots.ts';
import { type SampleRunOptions, sampleRun } from '../../../support/sample-run.ts';

const time = (name: string, mean: number) => ({ name, kind: 'histogram' as const, count: 100, mean });

/** Clients waited 1.5 ms, as the load tool saw it. */
const OWN: OwnSample = {
  requests: 100,
  meanMs: 1.5,
  quantiles: [],
  programs: [
    { program: 'bus', refusal: 'it answered 404', figures: [] },
    { program: 'gateway', figures: [time('slowest_seconds', 0.001), time('sum_ms', 6), time('answer_bytes', 5)] },
    { program: 'orders', figures: [time('slowest_seconds', 9), time('queries_microseconds', 500)] },
  ],
};

const TEST: RatioTest = { service: 'rest', tier: 'low', metric: 'latencyMeanMs' };

/** The cells of a run whose rounds have these figures of REST at low load. */
function cellsOf(owns: readonly (OwnSample | undefined)[], options: SampleRunOptions = {}) {
  const run = sampleRun({ ...options, rounds: owns.length });
  const samples = run.samples.map((sample) => {
    const { service, operation, tier } = sample.cell;
    const isIt = service === 'rest' && operation === 'all' && tier === 'low';
    return isIt ? { ...sample, own: owns[sample.round - 1] } : sample;
  });
  return readCells({ ...run, samples });
}

describe('a mean latency against what the service says itself', () => {
  it.each([
    ['slowest_seconds', 1.5],
    ['sum_ms', 0.25],
    ['queries_microseconds', 3],
  ])('is a multiple of the mean of %s, of the first program that has it', (againstOwn, times) => {
    const { ratio, reasons } = slotRatio({ ...TEST, againstOwn }, cellsOf([OWN]));

    expect(reasons).toEqual([]);
    expect(ratio).toEqual({
      times: expect.closeTo(times),
      low: expect.closeTo(times / 1.3),
      high: expect.closeTo(times * 1.3),
    });
  });

  it('has the median of several rounds, and their range if that is wider than the margin', () => {
    const cells = cellsOf([{ ...OWN, meanMs: 1 }, OWN, { ...OWN, meanMs: 3 }]);

    expect(slotRatio({ ...TEST, againstOwn: 'slowest_seconds' }, cells).ratio).toEqual({
      times: expect.closeTo(1.5),
      low: expect.closeTo(1),
      high: expect.closeTo(3),
    });
  });

  it.each([
    ['no program told of it', 'gone_seconds', [OWN]],
    ['it is no time', 'answer_bytes', [OWN]],
    ['no page was read', 'slowest_seconds', [undefined]],
    ['nobody was answered', 'slowest_seconds', [{ ...OWN, meanMs: undefined }]],
  ])('is not there if %s', (_, againstOwn, owns) => {
    expect(slotRatio({ ...TEST, againstOwn }, cellsOf(owns))).toEqual({
      ratio: undefined,
      reasons: [{ why: 'unreported', service: 'rest', tier: 'low', own: againstOwn }],
    });
  });

  it('is not there if requests failed', () => {
    const cells = cellsOf([OWN], { shapes: { 'rest/low': { marks: ['failing'] } } });

    expect(slotRatio({ ...TEST, againstOwn: 'slowest_seconds' }, cells)).toEqual({
      ratio: undefined,
      reasons: [{ why: 'failing', service: 'rest', tier: 'low' }],
    });
  });

  it.each([
    ['holds', { atMost: 2 }],
    ['unclear', { atMost: 1.6 }],
    ['does not hold', { atLeast: 2 }],
  ] as const)('%s for a finding with %j', (holding, limit) => {
    const holdsIf = [{ ...TEST, againstOwn: 'slowest_seconds', ...limit }];
    const [found] = testedFindings([{ says: 'it', holdsIf }], { slots: cellsOf([OWN]) });

    expect(found).toMatchObject({ holding, tests: [{ by: 'slots' }] });
  });
});
