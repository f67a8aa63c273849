import { describe, expect, it } from 'vitest';
import { mergedHistogram } from '../../../../src/foundation/histogram.ts';
import { readCells } from '../../../../src/judge/reading/cells.ts';
import { distributionOf, latencyAt } from '../../../../src/report/run/charts.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const place = { service: 'rest', operation: 'all', tier: 'medium' };

function cellOf(run: ReturnType<typeof sampleRun>) {
  const cell = readCells(run).at(place);
  if (cell === undefined) {
    throw new Error('the sample run has no such cell');
  }
  return cell;
}

describe('distributionOf', () => {
  it('agrees with the stored percentiles to the histogram’s three digits', () => {
    const cell = cellOf(sampleRun());

    const distribution = distributionOf(cell);

    const p50 = cell.figures.latencyP50Ms?.median ?? Number.NaN;
    const p99 = cell.figures.latencyP99Ms?.median ?? Number.NaN;
    expect(Math.abs((latencyAt(distribution, 0.5) ?? 0) / p50 - 1)).toBeLessThan(0.01);
    expect(Math.abs((latencyAt(distribution, 0.99) ?? 0) / p99 - 1)).toBeLessThan(0.01);
  });

  it('puts the requests of all rounds together', () => {
    const once = distributionOf(cellOf(sampleRun()));
    const thrice = distributionOf(cellOf(sampleRun({ rounds: 3 })));

    expect(thrice.length).toBeGreaterThan(once.length);
  });

  it.each([0.25, 0.5, 0.75, 0.9, 0.95, 0.99])('has the percentile of the table, and not the next one: %d', (share) => {
    const cell = cellOf(sampleRun());
    const histogram = mergedHistogram(cell.samples.map((sample) => sample.histogram));

    expect(latencyAt(distributionOf(cell), share)).toBe(histogram.quantileMs(share));
  });

  it('never falls from one share to the next', () => {
    const points = distributionOf(cellOf(sampleRun()));

    expect(points.length).toBeGreaterThan(20);
    expect(points.map(({ ms }) => ms)).toEqual(points.map(({ ms }) => ms).toSorted((a, b) => a - b));
  });

  it('falls back on the stored percentiles where a histogram is damaged', () => {
    const run = sampleRun();
    const damaged = { ...run, samples: run.samples.map((sample) => ({ ...sample, histogram: 'damaged' })) };

    const points = distributionOf(cellOf(damaged));

    expect(points.map(({ share }) => share).slice(0, 3)).toEqual([0.5, 0.9, 0.95]);
    expect(points[0]?.ms).toBe(cellOf(run).figures.latencyP50Ms?.median);
    expect(latencyAt(points, 0.25)).toBeUndefined();
  });

  it('does not report a percentile beyond what so many requests can show', () => {
    const distribution = distributionOf(cellOf(sampleRun()));

    expect(latencyAt(distribution, 0.9999)).toBeDefined();
    expect(latencyAt(distribution, 0.99999)).toBeUndefined();
  });
});
