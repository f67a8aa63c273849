import { describe, expect, test } from 'vitest';
import { conclusionOf } from '../../../../src/commands/pull-request/verdict.ts';
import { CHANGED_ANSWER } from '../../../support/sample-answers.ts';
import { comparisonResult, UNCOMPARED } from '../../../support/sample-comparison.ts';

describe('conclusionOf', () => {
  test.each([
    ['passed', 0, undefined, 'success'],
    ['passed', 0, 'never', 'success'],
    ['regressed', 1, undefined, 'failure'],
    ['regressed', 1, 'regression', 'failure'],
    ['regressed', 1, 'never', 'neutral'],
    ['failed', 1, undefined, 'failure'],
    ['failed', 1, 'never', 'neutral'],
    ['inconclusive', 0, undefined, 'neutral'],
    // What the policy makes of `fail-on: inconclusive`.
    ['inconclusive', 1, 'inconclusive', 'failure'],
    // What could not be judged fails the job: neutral would pass for a required check.
    ['incomplete', 2, undefined, 'failure'],
    ['incomplete', 2, 'never', 'failure'],
  ] as const)('%s with exit code %i and fail-on %s is a %s', (...[outcome, exitCode, failOn, conclusion]) => {
    expect(conclusionOf(comparisonResult({ outcome, exitCode }), failOn)).toBe(conclusion);
  });

  test('what passed without having seen everything is neutral', () => {
    const uncompared = UNCOMPARED.filter(({ reason }) => reason === 'new');

    expect(conclusionOf(comparisonResult({ uncompared }), undefined)).toBe('neutral');
  });

  test('what passes with other answers than before is neutral', () => {
    const answers = [CHANGED_ANSWER];

    expect(conclusionOf(comparisonResult({ answers }), undefined)).toBe('neutral');
    expect(conclusionOf(comparisonResult({ outcome: 'regressed', exitCode: 1, answers }), undefined)).toBe('failure');
  });
});
