import { describe, expect, test } from 'vitest';
import { seriesCharts, seriesTable } from '../../../../src/report/charts/series.ts';
import { trendCharts } from '../../../../src/report/charts/trend.ts';
import { viewRun } from '../../../../src/report/views/run-view.ts';
import { REPORTS } from '../../../support/reports.ts';
import { sampleRun } from '../../../support/sample-run.ts';
import { sampleSweep } from '../../../support/sample-sweep.ts';

const run = sampleRun();

/** The last row of a run whose samples go on for a part of a second after what was measured. */
function lastRow(measuredSeconds: number): string | undefined {
  const samples = run.samples.map((sample) => {
    if (sample.series === undefined) {
      return sample;
    }
    const { second, offeredRps, achievedRps, latencyP50Ms, latencyP99Ms } = sample.series;
    const series = {
      ...sample.series,
      second: [...second, sample.measuredSeconds],
      offeredRps: [...offeredRps, 1],
      achievedRps: [...achievedRps, 1],
      latencyP50Ms: [...latencyP50Ms, 1],
      latencyP99Ms: [...latencyP99Ms, 1],
    };
    return { ...sample, series, measuredSeconds };
  });
  const view = viewRun({ ...run, samples });
  const [tier = expect.fail('there is no tier')] = view.tiers;
  return seriesTable(view, tier).rows.at(-1)?.head;
}

const whole = run.samples.find(({ series }) => series !== undefined)?.measuredSeconds ?? 0;

test('figures over time end with the last whole second', () => {
  expect(lastRow(whole)).toBe(`${whole - 1} s`);
  expect(lastRow(whole - 0.01)).toBe(`${whole - 1} s`);
  expect(lastRow(whole + 1)).toBe(`${whole} s`);
});

test('a load of less than a second has what there is', () => {
  expect(lastRow(0.4)).toBe(`${whole} s`);
});

test('a single point is not a chart, and has no legend or table: its figures are in the tables of its load', () => {
  const [first = expect.fail('there is no tier')] = viewRun(run).tiers;
  const samples = run.samples.map(({ series, ...sample }) => ({
    ...sample,
    series: series && {
      second: series.second.slice(0, 1),
      offeredRps: series.offeredRps.slice(0, 1),
      achievedRps: series.achievedRps.slice(0, 1),
      latencyP50Ms: series.latencyP50Ms.slice(0, 1),
      latencyP99Ms: series.latencyP99Ms.slice(0, 1),
    },
  }));
  const pageOf = (shown: typeof run.samples) => REPORTS.html({ run: { ...run, samples: shown }, against: undefined });
  const ofFirst = viewRun({ ...run, samples: samples.filter(({ cell }) => cell.tier === first.name) });

  expect(trendCharts(viewRun(run))).toHaveLength(3);
  expect(trendCharts(viewRun(run))[0]?.markup).toMatch(/>100<.*>500<.*>1,000<.*>users</s);
  expect([...trendCharts(ofFirst), ...seriesCharts(ofFirst, first, ['achievedRps'])]).toEqual([]);
  for (const words of ['Over time at the other loads', `Second by second at ${first.label}`]) {
    expect(pageOf(run.samples)).toContain(words);
    expect(pageOf(samples)).not.toContain(words);
  }
});

describe('the mean of each second', () => {
  const withMean = sampleSweep();
  const without = {
    ...withMean,
    samples: withMean.samples.map(({ series, ...sample }) => {
      return { ...sample, ...(series !== undefined && { series: { ...series, latencyMeanMs: undefined } }) };
    }),
  };
  const headsOf = (known: typeof withMean) => {
    const view = viewRun(known);
    const [tier = expect.fail('there is no tier')] = view.tiers;
    return seriesTable(view, tier).columns.slice(1, 6);
  };

  test('is drawn for users at full rate, in place of the p50, and is in the table with it', () => {
    const page = REPORTS.html({ run: withMean, against: undefined });

    expect(page).toContain('time-latencyMeanMs-full-1');
    expect(page).not.toContain('time-latencyP50Ms-full-1');
    expect(headsOf(withMean)).toEqual(['achieved', 'mean', 'p50', 'p99', 'achieved']);
  });

  test('is left out of a run from before it was kept', () => {
    const page = REPORTS.html({ run: without, against: undefined });

    expect(page).toContain('time-latencyP50Ms-full-1');
    expect(page).not.toContain('time-latencyMeanMs-full-1');
    expect(headsOf(without)).toEqual(['achieved', 'p50', 'p99', 'achieved', 'p50']);
  });
});
