import { describe, expect, test } from 'vitest';
import { ownSample, PageError, readExposition } from '../../../../src/measure/samples/own.ts';
import type { ScheduledRecords } from '../../../../src/model/load.ts';
import { METRIC_NAMES_THERE, metricsPage } from '../../../support/sample-metrics.ts';

function records(latencyMs: readonly number[]): ScheduledRecords {
  const count = latencyMs.length;
  const own = { originMs: 0, startMs: new Float64Array(count), latencyMs: Float64Array.from(latencyMs) };
  return {
    operation: 'GetUser',
    ratePerSecond: 10,
    planned: count,
    workers: 1,
    records: { ...own, failure: new Uint16Array(count), failureKinds: [] },
  };
}

const page = (text: string, names: readonly string[] = METRIC_NAMES_THERE) => ({ program: 'api', names, text });

/** What a program said of a load, by two pages of it. */
function said(before: string, after: string, names?: readonly string[]) {
  const own = ownSample([records([1, 2, 3, 4])], { before: [page(before, names)], after: [page(after, names)] });
  return own?.programs[0];
}

const figure = (name: string, before = metricsPage(), after = metricsPage({ requested: 80, listed: 20 })) =>
  said(before, after)?.figures.find((one) => one.name === name);

describe('the metrics of a program', () => {
  test('are what grew from the page before a load to the one after it, over all labels', () => {
    const before = metricsPage({ requested: 1000, listed: 40 });
    const after = metricsPage({ requested: 1080, listed: 60 });

    expect(figure('request_duration_seconds', before, after)).toMatchObject({ kind: 'histogram', count: 100 });
    expect(figure('request_duration_seconds', before, after)?.mean).toBeCloseTo(0.001, 9);
    expect(figure('http_requests_total', before, after)).toEqual({
      name: 'http_requests_total',
      kind: 'counter',
      count: 80,
    });
    expect(figure('queue_seconds', before, after)).toEqual({
      name: 'queue_seconds',
      kind: 'summary',
      count: 80,
      mean: 0.25,
    });
    expect(figure('active_connections', before, after)).toEqual({
      name: 'active_connections',
      kind: 'gauge',
      mean: 21,
    });
  });

  test('have shares by a straight line through their bucket, with its lower end', () => {
    // Of 100 answers 40 took up to 1 ms, 90 up to 2 ms, and 10 longer, of which nothing else is known.
    expect(figure('request_duration_seconds')?.quantiles).toEqual([
      { share: 0.5, value: expect.closeTo(0.0012, 9), from: 0.001 },
      { share: 0.95, value: 0.002, from: 0.002 },
      { share: 0.99, value: 0.002, from: 0.002 },
    ]);
  });

  test('have no shares if buckets are of different bounds, or no last one', () => {
    const other = (text: string) =>
      text.replace(
        'operation="ListUsers",protocol="http",le="0.002"',
        'operation="ListUsers",protocol="http",le="0.005"',
      );
    const cut = (text: string) => text.replaceAll(/^.*le="\+Inf".*\n/gm, '');

    for (const edit of [other, cut]) {
      const found = figure('request_duration_seconds', metricsPage(), edit(metricsPage({ requested: 80, listed: 20 })));
      expect(found).toMatchObject({ count: 100 });
      expect(found).not.toHaveProperty('quantiles');
    }
  });

  test('are next to what the load tool saw of all its requests', () => {
    const own = ownSample([records([4, 2]), records([1, 3])], { before: [page('')], after: [page('')] });

    expect(own).toMatchObject({ requests: 4, meanMs: 2.5 });
    expect(own?.quantiles).toEqual([
      { share: 0.5, ms: 3 },
      { share: 0.95, ms: 4 },
      { share: 0.99, ms: 4 },
    ]);
  });

  test('are none if not requested, and no figure of a restarted program', () => {
    expect(ownSample([records([1])], { before: [], after: [] })).toBeUndefined();
    expect(
      said(metricsPage({ requested: 50 }), metricsPage({ requested: 7 }), ['http_requests_total'])?.figures,
    ).toEqual([]);
  });

  test.each([
    ['is not there', '', 'does not have the metric http_requests_total'],
    ['is no number', 'http_requests_total many', 'line 1 is not a sample in the Prometheus text format'],
    ['has broken labels', 'http_requests_total{a=1} 5', 'line 1 is not a sample in the Prometheus text format'],
    ['has no end', 'http_requests_total{a="1 5', 'line 1 is not a sample in the Prometheus text format'],
    ['has a bucket without a bound', 'http_requests_total_bucket{a="1"} 5', 'line 1 is a bucket without a bound (le)'],
    [
      'has too many labels',
      Array.from({ length: 5001 }, (_, index) => `http_requests_total{a="${index}"} 1`).join('\n'),
      'line 5001: more than 5000 series of one metric',
    ],
  ])('report why they cannot be read: one %s', (_, text, refusal) => {
    expect(said(text, text, ['http_requests_total'])).toEqual({ program: 'api', refusal, figures: [] });
  });

  test('that could not be read before are not taken for new ones', () => {
    const before = { ...page(''), refusal: 'it answered\u001b[31m 404' };
    const own = ownSample([], { before: [before], after: [page(metricsPage({ requested: 5 }))] });

    expect(own?.programs).toEqual([{ program: 'api', refusal: 'it answered [31m 404', figures: [] }]);
  });
});

describe('the text format of Prometheus', () => {
  const kinds = (text: string, names: readonly string[]) => readExposition(text, names).map(({ kind }) => kind);

  test('is read with the endings of OpenMetrics, and without types', () => {
    const text =
      '# TYPE seen counter\nseen_total 5 # {trace_id="a"} 0.5\n# EOF\nplain\t7\n# TYPE odd stateset\nodd{a="1",} NaN\n';

    expect(kinds(text, ['seen_total', 'plain', 'odd'])).toEqual(['counter', 'gauge', 'gauge']);
  });

  test('is read as far as it is asked for: other lines may be anything', () => {
    expect(kinds('<html>\nup 1\n\u0000', ['up'])).toEqual(['gauge']);
    expect(() => readExposition('up 1 2 3', ['up'])).toThrow(PageError);
  });
});
