import { describe, expect, it } from 'vitest';
import { readCells } from '../../../../src/judge/reading/cells.ts';
import { changeFrom } from '../../../../src/judge/reading/tier-comparison.ts';
import type { Run } from '../../../../src/model/run/run.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const place = { service: 'rest', operation: 'all', tier: 'low' };

describe('readCells', () => {
  it('takes the median and the range over the rounds', () => {
    const run = withP50(sampleRun({ rounds: 3 }), [3, 1, 2]);

    const figure = readCells(run).at(place)?.figures.latencyP50Ms;

    expect(figure).toEqual({ median: 2, low: 1, high: 3, rounds: 3 });
  });

  it('takes the mean of the middle two of an even number of rounds', () => {
    const run = withP50(sampleRun({ rounds: 4 }), [1, 2, 4, 9]);

    expect(readCells(run).at(place)?.figures.latencyP50Ms?.median).toBe(3);
  });

  it('adds up requests and failures by kind, and counts marks by round', () => {
    const run = sampleRun({ rounds: 2 });
    const samples = run.samples.map((sample): (typeof run.samples)[number] => ({
      ...sample,
      marks: sample.round === 1 ? ['disturbed'] : [],
      failures: [{ kind: 'timeout', count: 2 }],
    }));

    const cell = readCells({ ...run, samples }).at(place);

    expect(cell?.requests).toBe(2 * (samples.find((sample) => isPlace(sample.cell))?.requests ?? 0));
    expect(cell?.failures).toEqual([{ kind: 'timeout', count: 4 }]);
    expect(cell?.marks).toEqual([{ mark: 'disturbed', rounds: 1 }]);
  });

  it('has no cell for what was not measured, and leaves the base side out', () => {
    const run = sampleRun({ without: ['grpc/low'] });
    const base = run.samples
      .filter(({ cell }) => isPlace(cell))
      .map((sample) => ({ ...sample, side: 'base' as const }));

    const cells = readCells({ ...run, samples: base });

    expect(cells.at(place)).toBeUndefined();
    expect(readCells(run).at({ ...place, service: 'grpc' })).toBeUndefined();
  });
});

describe('changeOf', () => {
  const figure = (median: number) => ({ median, low: median, high: median, rounds: 1 });

  it('knows for which metrics less is better', () => {
    expect(changeFrom('latencyP50Ms', figure(10), figure(5))).toEqual({ change: -0.5, status: 'better' });
    expect(changeFrom('achievedRps', figure(10), figure(5))).toEqual({ change: -0.5, status: 'worse' });
  });

  it('calls latencies the same when they differ by less than 0.1 ms, and anything below 2%', () => {
    expect(changeFrom('latencyP50Ms', figure(0.2), figure(0.29))?.status).toBe('same');
    expect(changeFrom('achievedRps', figure(1000), figure(1019))?.status).toBe('same');
    expect(changeFrom('achievedRps', figure(1000), figure(1021))?.status).toBe('better');
  });

  it('does not rank what the ranges of the rounds do not bear out', () => {
    const change = changeFrom(
      'latencyP50Ms',
      { median: 10, low: 8, high: 12, rounds: 3 },
      { median: 7, low: 6, high: 9, rounds: 3 },
    );

    expect(change?.status).toBe('overlapping');
  });

  it('has no per cent where the reference is zero', () => {
    expect(changeFrom('errorRate', figure(0), figure(0.02))).toEqual({ change: undefined, status: 'worse' });
    expect(changeFrom('errorRate', figure(0), figure(0))).toEqual({ change: 0, status: 'same' });
  });
});

function isPlace(cell: Run['samples'][number]['cell']): boolean {
  return cell.service === place.service && cell.operation === place.operation && cell.tier === place.tier;
}

function withP50(run: Run, values: readonly number[]): Run {
  const samples = run.samples.map((sample) =>
    isPlace(sample.cell)
      ? { ...sample, values: { ...sample.values, latencyP50Ms: values[sample.round - 1] ?? Number.NaN } }
      : sample,
  );
  return { ...run, samples };
}
