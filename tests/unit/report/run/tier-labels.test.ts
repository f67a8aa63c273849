import { describe, expect, it } from 'vitest';
import { REPORTS } from '../../../../src/commands/runs/reports.ts';
import type { Run } from '../../../../src/model/run/run.ts';
import type { Judgement } from '../../../../src/report/views/judgement.ts';
import { comparedJudgement, everythingFound } from '../../../support/sample-comparison.ts';
import { sampleJudgement } from '../../../support/sample-run.ts';

/** The same judgement of tiers that say their rates. */
function withRates(judgement: Judgement): Judgement {
  return judgement.compared === undefined
    ? { ...judgement, run: ofRates(judgement.run) }
    : { ...judgement, run: ofRates(judgement.run) };
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
  [sampleJudgement({ rounds: 2 }), comparedJudgement(everythingFound())].map((judgement) => ({
    name: `${name} of ${judgement.compared === undefined ? 'a run' : 'a comparison'}`,
    text: report(withRates(judgement)),
    before: report(judgement),
  })),
);

describe('a tier with a rate', () => {
  it.each(REPORTED)('is called by it wherever one with users is called by them: $name', ({ text, before }) => {
    const count = (one: string, words: RegExp) => (one.match(words) ?? []).length;

    expect(count(before, /\b1,000.users\b/g)).toBeGreaterThan(0);
    expect(text).not.toMatch(/\d.users\b/);
    expect(count(text, /\b3,333\/s/g)).toBeGreaterThanOrEqual(count(before, /\b1,000.users\b/g));
  });

  it('does not have its rate twice beside each other', () => {
    const text = REPORTS.markdown(withRates(sampleJudgement()));

    expect(text).toContain('| 333/s (low) | REST |');
  });
});
