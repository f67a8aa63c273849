import { describe, expect, it } from 'vitest';
import type { Run } from '../../../../src/model/run/run.ts';
import type { Judgment } from '../../../../src/report/views/judgment.ts';
import { REPORTS } from '../../../support/reports.ts';
import { comparedJudgment, everythingFound } from '../../../support/sample-comparison.ts';
import { sampleJudgment } from '../../../support/sample-run.ts';

/** The same judgment of tiers that say their rates. */
function withRates(judgment: Judgment): Judgment {
  return { ...judgment, run: ofRates(judgment.run) };
}

function ofRates<OneRun extends Run>(run: OneRun): OneRun {
  const rates = { low: 333, medium: 1667, high: 3333 };
  const tiers = Object.entries(rates).map(([name, requestsPerSecond]) => ({
    name,
    requestsPerSecond,
    rampSeconds: 10,
    inFlight: 100,
  }));
  return { ...run, suite: { ...run.suite, tiers } };
}

const REPORTED = Object.entries(REPORTS).flatMap(([name, report]) =>
  [sampleJudgment({ rounds: 2 }), comparedJudgment(everythingFound())].map((judgment) => ({
    name: `${name} of ${judgment.compared === undefined ? 'a run' : 'a comparison'}`,
    text: report(withRates(judgment)),
    before: report(judgment),
  })),
);

describe('a tier with a rate', () => {
  it.each(REPORTED)('is called by it wherever one with users is called by them: $name', ({ text, before }) => {
    const count = (one: string, words: RegExp) => (one.match(words) ?? []).length;

    expect(count(before, /\b1,000.users\b/g)).toBeGreaterThan(0);
    expect(text).not.toMatch(/\d.users\b/);
    expect(count(text, /\b3,333\/s/g)).toBeGreaterThanOrEqual(count(before, /\b1,000.users\b/g));
  });

  it('does not show its rate twice', () => {
    const text = REPORTS.markdown(withRates(sampleJudgment()));

    expect(text).toContain('| 333/s (low) | REST |');
  });
});
