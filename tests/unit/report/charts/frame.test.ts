import { expect, test } from 'vitest';
import { METRIC_NAMES, type MetricName } from '../../../../src/model/metric.ts';
import { kneeDocument } from '../../../../src/report/knee/document.ts';
import { htmlOf } from '../../../../src/report/render/html.ts';
import { REPORTS } from '../../../support/reports.ts';
import { sampleJudgment } from '../../../support/sample-run.ts';
import { kneeIn, saturateRecord } from '../../../support/sample-saturate.ts';
import { sweepJudgment } from '../../../support/sample-sweep.ts';
import { searched, seenOf } from '../../../support/simulated-service.ts';

/** What each chart of a page is about, by its id. */
function aboutsOf(page: string): ReadonlyMap<string, string> {
  const charts = page.matchAll(/<figure class="chart"([^>]*)>[\s\S]*?<title id="([^"]+)-title">/g);
  return new Map([...charts].map(([, about = '', id = '']) => [id, about]));
}

const metric = (name: MetricName) => `m${METRIC_NAMES.indexOf(name)}`;

test('a chart carries the words of the tier and the metric that all of it is about', () => {
  const abouts = aboutsOf(REPORTS.html(sampleJudgment()));

  expect(abouts.get('percentiles-medium')).toBe(' data-at="t1"');
  expect(abouts.get('percentiles-saturation')).toBe(' data-at="t3"');
  expect(abouts.get('time-achievedRps-low')).toBe(` data-at="t0 ${metric('achievedRps')}"`);
  expect(abouts.get('time-latencyP50Ms-high')).toBe(` data-at="t2 ${metric('latencyP50Ms')}"`);
  expect(abouts.get('trend-latencyP99Ms')).toBe(` data-at="${metric('latencyP99Ms')}"`);
});

test('a chart of a few of the services carries theirs', () => {
  const abouts = aboutsOf(REPORTS.html(sweepJudgment()));

  expect(abouts.get('sweep-achievedRps-0-1')).toBe(` data-at="s3 s4 s5 ${metric('achievedRps')}"`);
  expect(abouts.get('sweep-latencyP99Ms-2-2')).toBe(` data-at="s0 s3 ${metric('latencyP99Ms')}"`);
});

test('charts of a page without filters carry nothing', () => {
  const abouts = aboutsOf(
    htmlOf(kneeDocument(saturateRecord([kneeIn(searched((rate) => seenOf({ capacityRps: 4000, baseMs: 1 }, rate)))]))),
  );

  expect([...abouts.values()]).toEqual(['', '']);
});
