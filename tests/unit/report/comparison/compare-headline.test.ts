import { describe, expect, it } from 'vitest';
import type { ComparisonResult } from '../../../../src/judge/verdict/finding.ts';
import { profileNamed } from '../../../../src/model/profiles.ts';
import { comparisonText } from '../../../../src/report/comparison/document.ts';
import { REPORTS } from '../../../support/reports.ts';
import {
  comparedJudgment,
  comparisonResult,
  MORE_ERRORS,
  OVER_BUDGET,
  UNCOMPARED,
} from '../../../support/sample-comparison.ts';
import { cellAt, FINDINGS, finding, wideFindings } from '../../../support/sample-findings.ts';

/** Of which ten rounds are not the last. */
const USUAL = [
  { rounds: 10, spent: 0.2 },
  { rounds: 30, spent: 1 },
];

const fewer = finding({
  metric: 'achievedRps',
  better: 'higher',
  verdict: 'regressed',
  change: { estimate: -0.041, low: -0.05, high: -0.031 },
});

const slowerGetUser = finding(
  {
    metric: 'latencyP95Ms',
    verdict: 'regressed',
    change: { estimate: 0.31, low: 0.12, high: 0.5 },
    threshold: 0.1,
    rounds: 15,
  },
  { service: 'grpc', operation: 'GetUser', tier: 'medium' },
);

const calm = Array.from({ length: 26 }, () => finding());

const headFailed = UNCOMPARED.filter(({ reason }) => reason === 'head-failed');

const CASES: Readonly<Record<string, readonly [ComparisonResult, string]>> = {
  'nothing changed': [comparisonResult(), 'No regression. A 3.4% CPU slowdown would have been found.'],
  'one comparison only': [comparisonResult({ findings: [finding({ detectable: undefined })] }), 'No regression.'],
  'small changes in both directions': [
    comparisonResult({ findings: [FINDINGS.unchanged, FINDINGS['slower-within-limit'], FINDINGS.improved] }),
    'No regression. A 3.4% CPU slowdown would have been found.',
  ],
  'a figure that became 0': [
    comparisonResult({
      errors: [
        {
          cell: finding().cell,
          metric: 'allocations',
          baseRate: 3,
          headRate: 0,
          p: 4 ** -8,
          verdict: 'improved' as const,
        },
      ],
    }),
    'No regression. A 3.4% CPU slowdown would have been found.',
  ],
  'more instructions, by less than the threshold': [
    comparisonResult({
      findings: [
        { ...FINDINGS['slower-within-limit'], metric: 'instructionsPerRequest' },
        { ...FINDINGS['slower-within-limit'], metric: 'syscallsPerRequest' },
      ],
    }),
    'No regression. A 3.4% increase in instructions would have been found.',
  ],
  'a service whose quietest signal is another one': [
    comparisonResult({
      findings: [
        finding(),
        finding({ metric: 'latencyP50Ms', detectable: 0.09 }, { service: 'grpc', tier: 'low' }),
        finding({ metric: 'achievedRps', better: 'higher', detectable: 0.05 }, { service: 'grpc' }),
      ],
    }),
    'No regression. A 5.0% slowdown would have been found.',
  ],
  'a regression of a row that does not gate': [
    comparisonResult({ findings: [FINDINGS.unchanged, { ...FINDINGS.regressed, family: 'watch' }] }),
    'No regression. A 3.4% CPU slowdown would have been found.',
  ],
  'an accepted regression': [
    comparisonResult({ findings: [FINDINGS.accepted, FINDINGS.unchanged] }),
    'No new regression: REST 6.1% more CPU per request at saturation, accepted until 2026-12-24. A 3.4% CPU slowdown would have been found.',
  ],
  'some that inconclusive, by a policy that lets them pass': [
    comparisonResult({ findings: [FINDINGS.unchanged, FINDINGS.inconclusive] }),
    'No regression. A 3.4% CPU slowdown would have been found.',
  ],
  'nothing that could be told, by a policy that lets it pass': [
    comparisonResult({ findings: [{ ...FINDINGS.inconclusive, detectable: undefined }] }),
    'No regression.',
  ],
  'nothing compared': [
    comparisonResult({ findings: [], uncompared: UNCOMPARED.slice(0, 2) }),
    'Nothing was compared that can fail a pull request.',
  ],
  'what could not be seen': [
    comparisonResult({
      outcome: 'inconclusive',
      findings: [FINDINGS.unchanged],
      uncompared: UNCOMPARED.filter(({ reason }) => reason === 'generator-limited'),
    }),
    'Inconclusive: gRPC, saturation: load tool at its limit (in 7 of 10 rounds)',
  ],
  'counts that all vary too much for their thresholds': [
    comparisonResult({ outcome: 'inconclusive', findings: [] }),
    'Inconclusive: nothing was compared that can fail a pull request',
  ],
  'something worse that is not yet proven': [
    comparisonResult({
      outcome: 'inconclusive',
      findings: [
        FINDINGS.unchanged,
        { ...FINDINGS.inconclusive, change: { estimate: 0.271, low: 0.163, high: 0.379 }, threshold: 0.03 },
      ],
    }),
    'Inconclusive: REST p95 27% slower at 1,000 users, not yet proven; about 12 more rounds would do',
  ],
  'one regression': [
    comparisonResult({ outcome: 'regressed', exitCode: 1, findings: [FINDINGS.unchanged, FINDINGS.regressed] }),
    'Regression: REST 6.1% more CPU per request at saturation',
  ],
  'several regressions, the surest first': [
    comparisonResult({
      outcome: 'regressed',
      exitCode: 1,
      findings: [slowerGetUser, fewer, FINDINGS.regressed, FINDINGS.inconclusive],
      uncompared: UNCOMPARED.slice(0, 1),
    }),
    'Regression: REST 6.1% slower at saturation, and 1 more',
  ],
  'a rate that falls': [
    comparisonResult({ outcome: 'regressed', exitCode: 1, findings: [fewer] }),
    'Regression: REST 4.1% fewer requests/s at saturation',
  ],
  'a latency of one operation': [
    comparisonResult({ outcome: 'regressed', exitCode: 1, findings: [slowerGetUser] }),
    'Regression: GetUser p95 31% slower at 500 users (gRPC)',
  ],
  'more errors': [
    comparisonResult({ outcome: 'regressed', exitCode: 1, errors: [MORE_ERRORS] }),
    'Regression: REST fails 2.10% of its requests for GetUser at 500 users (base 0.01%, p < 0.001)',
  ],
  'a budget that is broken': [
    comparisonResult({ outcome: 'regressed', exitCode: 1, budgets: [OVER_BUDGET] }),
    "Over budget: REST's p95 at 1,000 users is 61.2 ms, over the budget of 50.0 ms",
  ],
  'a rate that is under its budget': [
    comparisonResult({
      outcome: 'regressed',
      exitCode: 1,
      budgets: [{ cell: cellAt(), metric: 'achievedRps', limit: 4000, found: 3790, verdict: 'over' }],
    }),
    "Over budget: REST's requests/s at saturation is 3,790/s, under the budget of 4,000/s",
  ],
  'a service that fails in head only': [
    comparisonResult({ outcome: 'failed', exitCode: 1, uncompared: headFailed, findings: [FINDINGS.regressed] }),
    'Failed in head only: gRPC (it exited in 2 rounds of 2), and 1 more',
  ],
  'noise that hides the answer': [
    comparisonResult({ outcome: 'inconclusive', findings: [...calm, FINDINGS.inconclusive] }),
    'Inconclusive: REST, 1,000 users is too noisy; about 12 more rounds would do',
  ],
  'noise that no number of rounds would get through': [
    comparisonResult({ outcome: 'inconclusive', findings: [...calm, { ...FINDINGS.inconclusive, moreRounds: 1897 }] }),
    'Inconclusive: REST, 1,000 users is too noisy; more rounds would not help',
  ],
  'noise in several, by a policy that fails them': [
    comparisonResult({
      outcome: 'inconclusive',
      exitCode: 1,
      findings: [
        { ...FINDINGS.inconclusive, change: { estimate: 0, low: -0.1, high: 0.11 }, moreRounds: 20 },
        FINDINGS.inconclusive,
      ],
      uncompared: UNCOMPARED.slice(0, 1),
    }),
    'Inconclusive: REST, 1,000 users is too noisy; about 12 more rounds would do',
  ],
  'too few rounds for some': [
    comparisonResult({ outcome: 'inconclusive', findings: [FINDINGS['too few rounds'], FINDINGS.unchanged] }),
    'Inconclusive: REST, saturation has only 5 of 8 rounds',
  ],
  'too few rounds for anything': [
    comparisonResult({
      outcome: 'incomplete',
      exitCode: 2,
      findings: [FINDINGS['too few rounds']],
      rounds: [
        { service: 'rest', kept: 5, discarded: 0, failed: 0 },
        { service: 'grpc', kept: 1, discarded: 0, failed: 0 },
      ],
    }),
    'Not judged: too few rounds (REST has 5 and gRPC has 1; a verdict needs 8)',
  ],
  'no findings and no rounds': [
    comparisonResult({ outcome: 'incomplete', exitCode: 2, findings: [], rounds: [] }),
    'Not judged: nothing could be compared',
  ],
  'sixty comparisons': [
    comparisonResult({ outcome: 'inconclusive', findings: wideFindings(60) }),
    'Inconclusive: REST, 100 users is too noisy; about 14 more rounds would do',
  ],
};

describe('the first line of a comparison', () => {
  it.each(Object.entries(CASES))('says it for %s', (_case, [result, line]) => {
    expect(firstLine(REPORTS.terminal(comparedJudgment(result)))).toBe(line);
  });

  it.each<[string, string]>([
    ['smoke', ': use --profile quick'],
    ['thorough', ''],
    ['standard', ''],
  ])('names a longer profile where all rounds of %s were run, and there is one', (name, what) => {
    const result = comparisonResult({ outcome: 'inconclusive', findings: [...calm, FINDINGS.inconclusive] });
    const { run, ...judgment } = comparedJudgment(result);
    const profile = { ...profileNamed(name).rounds, looks: name === 'standard' ? USUAL : [{ rounds: 10, spent: 1 }] };

    const text = REPORTS.terminal({ ...judgment, run: { ...run, rounds: { ...run.rounds, profile } } });

    expect(firstLine(text)).toBe(`Inconclusive: REST, 1,000 users is too noisy; about 12 more rounds would do${what}`);
  });

  it('names the rounds up to the first test of a comparison that was interrupted before it', () => {
    const untested = { ...FINDINGS['too few rounds'], rounds: 23, moreRounds: 2 };
    const rounds = [{ service: 'rest', kept: 23, discarded: 0, failed: 0 }];
    const textOf = (result: ComparisonResult) => {
      const { run, ...judgment } = comparedJudgment(result);
      const profile = { ...run.rounds.profile, looks: [{ rounds: 30, spent: 1 }] };
      return REPORTS.terminal({
        ...judgment,
        run: { ...run, rounds: { ...run.rounds, profile, ended: 'interrupted' } },
      });
    };

    const alone = textOf(comparisonResult({ outcome: 'incomplete', exitCode: 2, findings: [untested], rounds }));
    const other = finding({}, { service: 'grpc' });
    const some = textOf(comparisonResult({ outcome: 'inconclusive', findings: [untested, other], rounds }));

    expect(firstLine(alone)).toBe('Not judged: too few rounds (REST has 23; a verdict needs 30)');
    expect(alone).toContain('\n1 not judged · ');
    expect(firstLine(some)).toBe(
      'Inconclusive: REST, saturation has only 23 of 30 rounds; about 7 more rounds would do',
    );
    expect(some).toContain('REST has 23 rounds, and a verdict needs 30.');
  });

  it('says what a figure that is missing takes', () => {
    const lost = { reason: 'missing', detail: 'missing in 10 of 10 rounds', rows: 1 } as const;
    const uncompared = [{ ...lost, cell: cellAt({ operation: 'GetUser', tier: 'medium' }), metric: 'latencyP95Ms' }];
    const result = comparisonResult({ outcome: 'incomplete', exitCode: 2, findings: [], rounds: [], uncompared });

    expect(firstLine(REPORTS.terminal(comparedJudgment(result)))).toContain(
      'figures missing (missing in 10 of 10 rounds; it needs 20 answers in each round: give the operation more `weight` or the tier more users, or use a longer profile)',
    );
  });

  it('calls things by their names where there is no run', () => {
    const measured = finding(
      { metric: 'allocations', verdict: 'regressed', base: 12, head: 14.5 },
      { service: 'parser', tier: 'large' },
    );

    const text = comparisonText(comparisonResult({ outcome: 'regressed', exitCode: 1, findings: [measured] }));

    expect(firstLine(text)).toBe('Regression: parser allocations 0.4% higher at large');
  });

  it('puts the whole outcome before anything else, in every outcome', () => {
    for (const [result] of Object.values(CASES)) {
      expect(comparisonText(result, 'slots.csv').indexOf('slots.csv')).toBeGreaterThan(10);
    }
  });
});

function firstLine(text: string): string {
  return (text.split('\n\n')[0] ?? '').replaceAll(/\n\s*/g, ' ').trim();
}
