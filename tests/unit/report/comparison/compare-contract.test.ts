import { describe, expect, it } from 'vitest';
import reportPage from '../../../../generated/report-page.json' with { type: 'json' };
import { comparisonText } from '../../../../src/report/comparison/document.ts';
import type { Judgment } from '../../../../src/report/views/judgment.ts';
import { REPORTS } from '../../../support/reports.ts';
import {
  type ComparisonJudgment,
  comparedJudgment,
  comparisonResult,
  everythingFound,
  hostileComparison,
  MORE_ERRORS,
  OVER_BUDGET,
  UNCOMPARED,
} from '../../../support/sample-comparison.ts';
import { FINDINGS, wideFindings } from '../../../support/sample-findings.ts';
import { judgedAgainstBaseline } from '../../../support/sample-run.ts';

const OUTCOMES = ['passed', 'regressed', 'failed', 'inconclusive', 'incomplete'] as const;

const CASES: Readonly<Record<string, () => Judgment>> = {
  'no change': () => comparedJudgment(),
  'everything at once': () => comparedJudgment(everythingFound()),
  'sixty comparisons': () => comparedJudgment(comparisonResult({ findings: wideFindings(60) })),
  'no findings at all': () => comparedJudgment(comparisonResult({ findings: [], rounds: [], looks: [] })),
  'stored runs beside it': () => ({ ...comparedJudgment(), against: judgedAgainstBaseline().against }),
  'hostile texts': () => hostileComparison(),
  'services against a reference': () => asVersus(comparedJudgment(everythingFound())),
  'hostile services against a reference': () => asVersus(hostileComparison()),
  'services of which nothing could be compared': () =>
    asVersus(comparedJudgment(comparisonResult({ findings: [], rounds: [], looks: [] }))),
  ...Object.fromEntries(
    Object.entries(FINDINGS).flatMap(([kind, one]) =>
      OUTCOMES.map((outcome) => [
        `${kind}, ${outcome}`,
        () => comparedJudgment(comparisonResult({ outcome, findings: [one, { ...one, family: 'watch' }] })),
      ]),
    ),
  ),
  ...Object.fromEntries(
    UNCOMPARED.map((one) => [one.reason, () => comparedJudgment(comparisonResult({ uncompared: [one] }))]),
  ),
};

/** The same figures, as if a service stood in the place of the base. */
function asVersus({ run, ...others }: ComparisonJudgment): ComparisonJudgment {
  return { ...others, run: { ...run, rounds: { ...run.rounds, versus: { reference: 'rest' } } } };
}

describe.each(Object.entries(REPORTS))('the %s report of a comparison', (_name, report) => {
  it.each(Object.entries(CASES))('shows %s, the same each time', (_case, judgmentOf) => {
    const text = report(judgmentOf());

    expect(report(judgmentOf())).toBe(text);
    expect(text.replace(reportPage.script, '')).not.toMatch(/undefined|NaN|Infinity|\[object|null|p = 0\.000\b/);
    expect(text.endsWith('\n')).toBe(true);
  });

  it.each([
    ['regressed', 'regressed'],
    ['accepted', 'accepted: Every answer is signed now, until 2026-12-24'],
    ['slower-within-limit', 'slower, below the threshold'],
    ['unchanged', 'same'],
    ['improved', 'improved'],
    ['inconclusive', 'inconclusive'],
    ['too few rounds', 'not judged'],
  ] as const)('calls what is %s by its word', (kind, words) => {
    const text = shown(report(comparedJudgment(comparisonResult({ findings: [FINDINGS[kind]] }))));

    expect(text).toContain(words);
  });

  it('marks a change of a metric that cannot fail the check', () => {
    const findings = [{ ...FINDINGS.regressed, family: 'watch' as const }];

    const text = shown(report(comparedJudgment(comparisonResult({ findings }))));

    expect(text).toMatch(/not gating/i);
  });

  it('gives change, interval, noise, what could have been seen, and rounds', () => {
    const text = shown(report(comparedJudgment(everythingFound())));

    expect(text).toContain('p95, 1,000 users');
    for (const figure of ['+6.2%', '[−3.1, +16.4]', '+21.0%']) {
      expect(text).toContain(figure);
    }
  });

  it('names errors, budgets, and what was not compared and why', () => {
    const text = shown(report(comparedJudgment(everythingFound())));

    expect(text).toContain('REST fails 2.10% of its requests for GetUser at 500 users (base 0.01%, p < 0.001).');
    expect(text).toContain("REST's p95 at 1,000 users is 61.2 ms, over the budget of 50.0 ms.");
    expect(text).toContain('gRPC, saturation: load tool at its limit (in 7 of 10 rounds).');
    expect(text).toContain('An acceptance has expired');
  });

  it('leaves what is within its budget and its errors out', () => {
    const errors = [{ ...MORE_ERRORS, verdict: 'unchanged' as const }];
    const budgets = [{ ...OVER_BUDGET, found: 40, verdict: 'within' as const }];

    const text = shown(report(comparedJudgment(comparisonResult({ errors, budgets }))));

    expect(text).not.toContain('REST fails');
    expect(text).not.toContain('the budget of');
  });

  it('says which versions, how many rounds, why it ended, and how false alarms are bounded', () => {
    const text = shown(report(comparedJudgment()));

    expect(text).toContain('origin/main 4f2d9c1 (Give the REST service its own pool)');
    expect(text).toContain('working tree 1df183b (Look users up by name), with uncommitted changes');
    expect(text).toMatch(/kept.*discarded.*gRPC[ |]*10[ |]*1[ |]*0/);
    expect(text).toContain('early, because the result was clear');
    expect(text).toContain('fail, across 2 comparisons.');
    expect(text).toContain('How verdicts are decided');
    expect(report(comparedJudgment())).toContain('https://wiregauge.github.io/wiregauge/docs/statistics.html');
  });

  it('says nothing of one service against another, whose figures would be of both versions', () => {
    const text = shown(report(comparedJudgment()));

    expect(text).not.toMatch(/gRPC against REST:|ahead|Turning point|published/);
  });

  it('shows stored runs after the comparison, where there are any', () => {
    const text = shown(report({ ...comparedJudgment(), against: judgedAgainstBaseline().against }));

    expect(text.indexOf('Stored runs (baselines)')).toBeGreaterThan(text.indexOf('No regression.'));
  });

  it('lets nothing invisible through', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    const invisible = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

    expect(report(hostileComparison())).not.toMatch(invisible);
    expect(comparisonText(hostileComparison().compared ?? comparisonResult(), '\u001b[31m')).not.toMatch(invisible);
  });
});

/** What a reader sees of any report: no markup, no escapes, no line breaks. */
function shown(text: string): string {
  return text
    .replaceAll(/<style>.*<\/style>|<[^>]+>/gs, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&#39;', "'")
    .replaceAll(/\\(?=[^\w\s])|\*\*/g, '')
    .replaceAll(/[\s\u00a0]+/g, ' ');
}
