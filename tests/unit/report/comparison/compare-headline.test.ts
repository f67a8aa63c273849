import { describe, expect, it } from 'vitest';
import { REPORTS } from '../../../../src/commands/runs/reports.ts';
import type { ComparisonResult } from '../../../../src/judge/verdict/finding.ts';
import { profileNamed } from '../../../../src/model/profiles.ts';
import { comparisonText } from '../../../../src/report/comparison/document.ts';
import {
  comparedJudgement,
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
  'nothing changed': [
    comparisonResult(),
    'No regression in 2 comparisons; smallest detectable change: +3.4% CPU per request (REST) and +2.8% (gRPC).',
  ],
  'one comparison only': [
    comparisonResult({ findings: [finding({ detectable: undefined })] }),
    'No regression in 1 comparison; smallest detectable change: unknown.',
  ],
  'small changes in both directions': [
    comparisonResult({ findings: [FINDINGS.unchanged, FINDINGS['slower-within-limit'], FINDINGS.improved] }),
    'No regression in 3 comparisons; 1 slower, below the threshold; 1 improved; smallest detectable change: +3.4% CPU per request (REST).',
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
    'No regression in 2 comparisons; 1 improved; smallest detectable change: +3.4% CPU per request (REST) and +2.8% (gRPC).',
  ],
  'more instructions, by less than the threshold': [
    comparisonResult({
      findings: [
        { ...FINDINGS['slower-within-limit'], metric: 'instructionsPerRequest' },
        { ...FINDINGS['slower-within-limit'], metric: 'syscallsPerRequest' },
      ],
    }),
    'No regression in 2 comparisons; more, below the threshold: REST executes 1.9% more instructions per request at saturation, and 1 more; smallest detectable change: +3.4% instructions/request (REST).',
  ],
  'a service whose quietest signal is another one': [
    comparisonResult({
      findings: [
        finding(),
        finding({ metric: 'latencyP50Ms', detectable: 0.09 }, { service: 'grpc', tier: 'low' }),
        finding({ metric: 'achievedRps', better: 'higher', detectable: 0.05 }, { service: 'grpc' }),
      ],
    }),
    'No regression in 3 comparisons; smallest detectable change: +3.4% CPU per request (REST) and −4.8% requests/s (gRPC).',
  ],
  'a regression of a row that does not gate': [
    comparisonResult({ findings: [FINDINGS.unchanged, { ...FINDINGS.regressed, family: 'watch' }] }),
    'No regression in 1 comparison; 1 non-gating row regressed; smallest detectable change: +3.4% CPU per request (REST).',
  ],
  'an accepted regression': [
    comparisonResult({ findings: [FINDINGS.accepted, FINDINGS.unchanged] }),
    'No new regression: REST needs 6.1% more CPU per request at saturation, accepted until 2026-12-24 (Every answer is signed now); smallest detectable change: +3.4% CPU per request (REST).',
  ],
  'some that inconclusive, by a policy that lets them pass': [
    comparisonResult({ findings: [FINDINGS.unchanged, FINDINGS.inconclusive] }),
    'No regression in 1 comparison; 1 of 2 comparisons is inconclusive; smallest detectable change: +3.4% CPU per request (REST).',
  ],
  'nothing that could be told, by a policy that lets it pass': [
    comparisonResult({ findings: [{ ...FINDINGS.inconclusive, detectable: undefined }] }),
    'No regression found; 1 of 1 comparison is inconclusive; smallest detectable change: unknown.',
  ],
  'nothing compared': [
    comparisonResult({ findings: [], uncompared: UNCOMPARED.slice(0, 2) }),
    'No gating comparison was made; in one version only: REST, FindUser (new), REST, ListUsers (gone).',
  ],
  'what could not be seen': [
    comparisonResult({
      outcome: 'inconclusive',
      findings: [FINDINGS.unchanged],
      uncompared: UNCOMPARED.filter(({ reason }) => reason === 'generator-limited'),
    }),
    'Inconclusive: no proven slowdown; 1 of 3 gating rows seen; not seen: gRPC, saturation, rate and latency (load tool at its limit).',
  ],
  'counts that all vary too much for their thresholds': [
    comparisonResult({ outcome: 'inconclusive', findings: [] }),
    'Inconclusive: no gating comparison was made.',
  ],
  'something worse that is not yet proven': [
    comparisonResult({
      outcome: 'inconclusive',
      findings: [
        FINDINGS.unchanged,
        { ...FINDINGS.inconclusive, change: { estimate: 0.271, low: 0.163, high: 0.379 }, threshold: 0.03 },
      ],
    }),
    "Inconclusive: worse, not yet proven: REST's p95 is 27.1% higher at 1,000 users (95% interval +16.3 to +37.9%, 10 rounds; about 12 more rounds would do); 1 of 2 comparisons is inconclusive.",
  ],
  'one regression': [
    comparisonResult({ outcome: 'regressed', exitCode: 1, findings: [FINDINGS.unchanged, FINDINGS.regressed] }),
    'Regression: REST needs 6.1% more CPU per request at saturation (95% interval +5.2 to +7.0%, 10 rounds).',
  ],
  'several regressions, the surest first': [
    comparisonResult({
      outcome: 'regressed',
      exitCode: 1,
      findings: [slowerGetUser, fewer, FINDINGS.regressed, FINDINGS.inconclusive],
      uncompared: UNCOMPARED.slice(0, 1),
    }),
    'Regression: REST needs 6.1% more CPU per request at saturation (95% interval +5.2 to +7.0%, 10 rounds), and 2 more findings; 1 of 4 comparisons is inconclusive; in one version only: REST, FindUser (new).',
  ],
  'a rate that falls': [
    comparisonResult({ outcome: 'regressed', exitCode: 1, findings: [fewer] }),
    'Regression: REST answers 4.1% fewer requests per second at saturation (95% interval −5.0 to −3.1%, 10 rounds).',
  ],
  'a latency of one operation': [
    comparisonResult({ outcome: 'regressed', exitCode: 1, findings: [slowerGetUser] }),
    "Regression: gRPC's p95 is 31.0% higher for GetUser at 500 users (95% interval +12.0 to +50.0%, 15 rounds).",
  ],
  'more errors': [
    comparisonResult({ outcome: 'regressed', exitCode: 1, errors: [MORE_ERRORS] }),
    'Regression: REST fails 2.10% of its requests for GetUser at 500 users (base 0.01%, p < 0.001).',
  ],
  'a budget that is broken': [
    comparisonResult({ outcome: 'regressed', exitCode: 1, budgets: [OVER_BUDGET] }),
    "Over budget: REST's p95 at 1,000 users is 61.2 ms, over the budget of 50.0 ms.",
  ],
  'a rate that is under its budget': [
    comparisonResult({
      outcome: 'regressed',
      exitCode: 1,
      budgets: [{ cell: cellAt(), metric: 'achievedRps', limit: 4000, found: 3790, verdict: 'over' }],
    }),
    "Over budget: REST's requests/s at saturation is 3,790/s, under the budget of 4,000/s.",
  ],
  'a service that fails in head only': [
    comparisonResult({ outcome: 'failed', exitCode: 1, uncompared: headFailed, findings: [FINDINGS.regressed] }),
    'Failed in head only: gRPC (it exited in 2 rounds of 2), and 1 more finding; 1 of 10 gating rows seen.',
  ],
  'noise that hides the answer': [
    comparisonResult({ outcome: 'inconclusive', findings: [...calm, FINDINGS.inconclusive] }),
    'Inconclusive: no proven slowdown, but 1 of 27 comparisons is inconclusive (REST, p95, 1,000 users: noise high; about 12 more rounds would do).',
  ],
  'noise that no number of rounds would get through': [
    comparisonResult({ outcome: 'inconclusive', findings: [...calm, { ...FINDINGS.inconclusive, moreRounds: 1897 }] }),
    'Inconclusive: no proven slowdown, but 1 of 27 comparisons is inconclusive (REST, p95, 1,000 users: noise high; too noisy for more rounds to help).',
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
    'Inconclusive: no proven slowdown, but 2 of 2 comparisons are inconclusive (mainly REST, p95, 1,000 users: noise high; about 12 more rounds would do); the policy fails inconclusive results; in one version only: REST, FindUser (new).',
  ],
  'too few rounds for some': [
    comparisonResult({ outcome: 'inconclusive', findings: [FINDINGS['too few rounds'], FINDINGS.unchanged] }),
    'Inconclusive: no proven slowdown, but 1 of 2 comparisons is inconclusive (REST, CPU per request, saturation: only 5 rounds); 1 of 2 gating rows seen.',
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
    'Not judged: too few rounds (REST has 5 and gRPC has 1; a verdict needs 8).',
  ],
  'no findings and no rounds': [
    comparisonResult({ outcome: 'incomplete', exitCode: 2, findings: [], rounds: [] }),
    'Not judged: nothing could be compared.',
  ],
  'sixty comparisons': [
    comparisonResult({ outcome: 'inconclusive', findings: wideFindings(60) }),
    'Inconclusive: no proven slowdown, but 11 of 42 comparisons are inconclusive (mainly REST, GetUser p50, 100 users: noise high; about 14 more rounds would do).',
  ],
};

describe('the first line of a comparison', () => {
  it.each(Object.entries(CASES))('says it for %s', (_case, [result, line]) => {
    expect(firstLine(REPORTS.terminal(comparedJudgement(result)))).toBe(line);
  });

  it.each<[string, string]>([
    ['smoke', ', but smoke has no more: use --profile quick'],
    ['thorough', ''],
    ['standard', ''],
  ])('names a longer profile where all rounds of %s were played, and there is one', (name, what) => {
    const result = comparisonResult({ outcome: 'inconclusive', findings: [...calm, FINDINGS.inconclusive] });
    const { run, ...judgement } = comparedJudgement(result);
    const profile = { ...profileNamed(name).rounds, looks: name === 'standard' ? USUAL : [{ rounds: 10, spent: 1 }] };

    const text = REPORTS.terminal({ ...judgement, run: { ...run, rounds: { ...run.rounds, profile } } });

    expect(firstLine(text)).toContain(`noise high; about 12 more rounds would do${what})`);
  });

  it('says what a figure that is missing takes', () => {
    const lost = { reason: 'missing', detail: 'missing in 10 of 10 rounds', rows: 1 } as const;
    const uncompared = [{ ...lost, cell: cellAt({ operation: 'GetUser', tier: 'medium' }), metric: 'latencyP95Ms' }];
    const result = comparisonResult({ outcome: 'incomplete', exitCode: 2, findings: [], rounds: [], uncompared });

    expect(firstLine(REPORTS.terminal(comparedJudgement(result)))).toContain(
      'figures missing (missing in 10 of 10 rounds; it needs 20 answers in each round: give the operation more `weight` or the tier more users, or use a longer profile)',
    );
  });

  it('calls things by their names where there is no run', () => {
    const measured = finding(
      { metric: 'allocations', verdict: 'regressed', base: 12, head: 14.5 },
      { service: 'parser', tier: 'large' },
    );

    const text = comparisonText(comparisonResult({ outcome: 'regressed', exitCode: 1, findings: [measured] }));

    expect(firstLine(text)).toBe(
      "Regression: parser's allocations is 0.4% higher at large (95% interval −0.8 to +1.6%, 10 rounds).",
    );
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
