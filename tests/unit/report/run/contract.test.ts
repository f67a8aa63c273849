import { describe, expect, it } from 'vitest';
import reportPage from '../../../../generated/report-page.json' with { type: 'json' };
import { formatRun, parseRun } from '../../../../src/model/run/run.ts';
import type { Judgment } from '../../../../src/report/views/judgment.ts';
import { hostileJudgment } from '../../../support/hostile-run.ts';
import { REPORTS } from '../../../support/reports.ts';
import { judgedAgainstBaseline, sampleJudgment, sampleRun } from '../../../support/sample-run.ts';
import { sampleMainJob } from '../../../support/sample-versus.ts';

const failure = { suite: 'users', service: 'grpc', tier: 'high', round: 1, message: 'never became ready' } as const;

const CASES: Readonly<Record<string, () => Judgment>> = {
  'two services': () => sampleJudgment(),
  'a baseline': () => judgedAgainstBaseline(),
  'three services in three rounds': () => sampleJudgment({ services: ['rest', 'rest-development', 'grpc'], rounds: 3 }),
  'the rounds of its services': () => sampleMainJob(),
  'rounds of three services': () =>
    sampleMainJob({ services: ['rest-development', 'grpc'] }, { services: ['rest', 'rest-development', 'grpc'] }),
  'rounds that failed': () => sampleMainJob({ rounds: 0, failed: [{ service: 'grpc', side: 'head', times: 2 }] }),
  'one service': () => sampleJudgment({ services: ['grpc'] }),
  'missing cells': () =>
    sampleJudgment({
      without: ['grpc/high', 'rest/saturation'],
      change: { complete: false, failures: [{ ...failure, next: 'Look at its log.' }] },
    }),
  'no samples': () => ({ run: { ...sampleRun(), samples: [], failures: [failure] }, against: undefined }),
  'damaged histograms': () => {
    const run = sampleRun();
    return { run: { ...run, samples: run.samples.map((one) => ({ ...one, histogram: '!' })) }, against: undefined };
  },
  'a hostile run': () => hostileJudgment(),
};

describe.each(Object.entries(REPORTS))('the %s report', (_name, report) => {
  it.each(Object.entries(CASES))('shows %s, the same each time and from its file', (_case, judgmentOf) => {
    const judgment = judgmentOf();
    const stored = { ...judgment, run: parseRun(formatRun(judgment.run), 'run.json') } as Judgment;

    const text = report(judgment);

    expect(report(judgmentOf())).toBe(text);
    expect(report(stored)).toBe(text);
    expect(text.replace(reportPage.script, '')).not.toMatch(/undefined|NaN|Infinity|\[object|null/);
    expect(text.endsWith('\n')).toBe(true);
  });

  it('begins with the main figures of each service', () => {
    const text = report(sampleJudgment()).replaceAll('\u00a0', ' ').replace(/\s+/g, ' ');

    const capacity = text.indexOf('8,260/s');
    expect(capacity).toBeGreaterThanOrEqual(0);
    expect(capacity).toBeLessThan(text.indexOf('0.51 ms'));
    expect(text).toContain('ahead');
  });

  it('names what was not measured and why', () => {
    const text = report(CASES['missing cells']?.() ?? sampleJudgment());

    expect(text).toContain('not measured');
    expect(text).toContain('gRPC at 1,000 users, round 1');
    expect(text).toContain('never became ready');
    expect(text).toContain('Look at its log.');
  });

  it('begins what it says of the past with what is suspicious', () => {
    const text = report(judgedAgainstBaseline()).replaceAll('\u00a0', ' ').replace(/\s+/g, ' ').replaceAll('\\', '');

    expect(text).toContain(
      'Suspicious: 1 of 3 comparisons: REST, CPU per request, saturation +10% (up to +4.7% explained).',
    );
    expect(text).toContain('wiregauge compare --base 4f2d9c1b7a');
    expect(text).toContain('shown, not judged');
    expect(text).toContain('not judged: all runs are from another kind of machine');
    expect(text).toContain('unmeasured: not in the baseline');
  });

  it('lets nothing invisible through', () => {
    const text = report(hostileJudgment());

    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  });
});
