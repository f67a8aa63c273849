import { describe, expect, test } from 'vitest';
import { ownCheck, ownChecks } from '../../../../src/judge/reading/own.ts';
import { formatRun, parseRun } from '../../../../src/model/run/run.ts';
import type { OwnFigure, OwnSample } from '../../../../src/model/sample/own-figures.ts';
import { REPORTS } from '../../../support/reports.ts';
import { servicesWithMembers } from '../../../support/sample-members.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const HISTOGRAM: OwnFigure = {
  name: 'request_duration_seconds',
  kind: 'histogram',
  count: 1000,
  mean: 0.0011,
  quantiles: [
    { share: 0.5, value: 0.0012, from: 0.001 },
    { share: 0.95, value: 0.0031, from: 0.002 },
    { share: 0.99, value: 0.0048, from: 0.004 },
  ],
};

const SEEN: OwnSample = {
  requests: 1003,
  meanMs: 1.5,
  quantiles: [
    { share: 0.5, ms: 1.4 },
    { share: 0.95, ms: 3.9 },
    { share: 0.99, ms: 6.2 },
  ],
  programs: [
    { program: 'gateway', figures: [HISTOGRAM, { name: 'active_connections', kind: 'gauge', mean: 21 }] },
    { program: 'orders', figures: [{ ...HISTOGRAM, count: 2006 }] },
    { program: 'bus', refusal: 'it answered <b>404</b>', figures: [] },
  ],
};

function judgment(own: OwnSample = SEEN) {
  const run = sampleRun();
  const samples = run.samples.map((sample) =>
    sample.cell.service === 'rest' && sample.cell.operation === 'all' && sample.cell.tier === 'low'
      ? { ...sample, own }
      : sample,
  );
  return { run: { ...run, services: servicesWithMembers(run.services), samples }, against: undefined };
}

test('a report has what programs say of themselves next to what the load tool saw', () => {
  const text = REPORTS.terminal(judgment());

  expect(text).toMatch(/load tool +1,003 +1 +1\.50 ms +1\.40 ms +3\.90 ms +6\.20 ms/);
  expect(text).toMatch(/gateway request_duration_seconds +1,000 .* 1\.10 ms +1\.20 ms +3\.10 ms +4\.80 ms +agrees/);
  expect(text).toMatch(/gateway active_connections +– +– +21/);
  expect(text).toMatch(/orders request_duration_seconds +2,006 +2\.00 /);
  expect(text).toContain('the metrics of bus could not be read: it answered <b>404</b>.');
  expect(REPORTS.html(judgment())).toContain('it answered &lt;b&gt;404&lt;/b&gt;');
});

test('a run without such pages says nothing of them', () => {
  expect(REPORTS.terminal({ run: sampleRun(), against: undefined })).not.toContain('Metrics of the programs');
});

test('they go through run.json, which takes no others from a stranger', () => {
  const { run } = judgment();
  expect(parseRun(formatRun(run), 'run.json')).toEqual(JSON.parse(formatRun(run)));

  const named = judgment({ ...SEEN, programs: [{ program: 'a', figures: [{ ...HISTOGRAM, name: 'a<b>' }] }] });
  expect(() => parseRun(formatRun(named.run), 'run.json')).toThrow(/name: is not the name of a metric/);
  const many = judgment({ ...SEEN, programs: [{ program: 'a', figures: Array(21).fill(HISTOGRAM) }] });
  expect(() => parseRun(formatRun(many.run), 'run.json')).toThrow(/figures: has more than 20 metrics/);
});

describe('the check of a histogram', () => {
  test.each<[string, Partial<OwnFigure>, string | undefined]>([
    ['as it is', {}, 'agrees'],
    ['with a request under way', { count: 993 }, 'agrees'],
    ['that missed requests', { count: 980 }, 'fewer'],
    ['that counted others, too', { count: 1100 }, 'more'],
    ['that reports longer than clients waited', { mean: 0.0016 }, 'longer'],
    [
      'whose bucket begins above what clients saw',
      { quantiles: [{ share: 0.95, value: 0.005, from: 0.0041 }] },
      'longer',
    ],
    ['whose line through a bucket lies above', { quantiles: [{ share: 0.95, value: 0.0045, from: 0.002 }] }, 'agrees'],
    ['of bytes', { name: 'answer_bytes', mean: 5000 }, 'agrees'],
    ['that is a gauge', { kind: 'gauge' }, undefined],
  ])('%s', (_, change, check) => {
    expect(ownCheck(SEEN, { ...HISTOGRAM, ...change })).toBe(check);
  });
});

describe('the checks of all that a program says', () => {
  const calls: OwnFigure = { ...HISTOGRAM, name: 'calls_seconds', count: 5000, mean: 0.9 };
  const longer: OwnFigure = { ...HISTOGRAM, name: 'calls_sum_seconds', mean: 0.9 };
  const fewer: OwnFigure = { ...HISTOGRAM, name: 'some_seconds', count: 10 };
  const bytes: OwnFigure = { ...HISTOGRAM, name: 'answer_bytes', mean: 5000 };

  test('say nothing of calls to others if a time of its requests agrees', () => {
    expect(ownChecks(SEEN, [calls, HISTOGRAM, longer, fewer])).toEqual([undefined, 'agrees', undefined, 'fewer']);
  });

  test('say what differs if none does', () => {
    expect(ownChecks(SEEN, [calls, bytes, longer])).toEqual(['more', 'agrees', 'longer']);
  });
});
