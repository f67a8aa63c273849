import { coverageOf } from '../../src/judge/verdict/coverage.ts';
import type { ComparisonResult, Uncompared } from '../../src/judge/verdict/finding.ts';
import type { RunInRounds } from '../../src/model/run/run.ts';
import type { SourcePlaces } from '../../src/project/places.ts';
import type { Judgment } from '../../src/report/views/judgment.ts';
import { HOSTILE } from './hostile-run.ts';
import { remembered } from './remembered.ts';
import { listsOf, type ResultChange, type ResultLists, withLists } from './result-lists.ts';
import { cellAt, FINDINGS, finding, wideFindings } from './sample-findings.ts';
import { sampleRounds } from './sample-rounds.ts';

/** Everything that can stand in the way of a comparison, once. */
/** Places of annotations, all in the file of the suite. */
const SUITE_FILE = { path: 'suites/users.yml' };
export const SUITE_PLACES: SourcePlaces = {
  suite: SUITE_FILE,
  cell: () => SUITE_FILE,
  budget: () => SUITE_FILE,
  acceptance: () => SUITE_FILE,
};

export const UNCOMPARED: readonly Uncompared[] = [
  { cell: cellAt({ operation: 'FindUser', tier: 'all' }), reason: 'new', detail: 'only head has it', rows: 6 },
  { cell: cellAt({ operation: 'ListUsers', tier: 'all' }), reason: 'gone', detail: 'only base has it', rows: 6 },
  {
    cell: cellAt({ service: 'grpc', tier: 'all' }),
    reason: 'head-failed',
    detail: 'it exited in 2 rounds of 2.',
    rows: 9,
  },
  {
    cell: cellAt({ service: 'grpc', tier: 'high' }),
    reason: 'base-failed',
    detail: 'it exited in 2 rounds',
    rows: 2,
  },
  {
    cell: cellAt({ tier: 'low' }),
    metric: 'latencyP99Ms',
    reason: 'missing',
    detail: 'in 4 of 10 rounds',
    rows: 1,
  },
  { cell: cellAt({ tier: 'low' }), metric: 'latencyMinMs', reason: 'not-positive', detail: '', rows: 0 },
  { cell: cellAt({ tier: 'medium' }), reason: 'invalid', detail: 'base 4%, head 5% errors', rows: 2 },
  {
    cell: cellAt({ service: 'grpc' }),
    reason: 'generator-limited',
    detail: 'in 7 of 10 rounds',
    rows: 2,
  },
  {
    cell: cellAt({ service: 'graph', tier: 'all' }),
    reason: 'shard-lost',
    detail: 'shard 3/3 has no run.json',
    rows: 9,
  },
];

/** Head fails requests that base answers. */
export const MORE_ERRORS: ResultLists['errors'][number] = {
  cell: cellAt({ operation: 'GetUser', tier: 'medium' }),
  baseRate: 0.0001,
  headRate: 0.021,
  p: 0.00004,
  verdict: 'regressed',
};

/** Head is slower than an absolute budget allows. */
export const OVER_BUDGET: ResultLists['budgets'][number] = {
  cell: cellAt({ tier: 'high' }),
  metric: 'latencyP95Ms',
  limit: 50,
  found: 61.2,
  verdict: 'over',
};

/** How a comparison came out; passed without a change if nothing else is said. */
export function comparisonResult(change: ResultChange = {}): ComparisonResult {
  const findings = change.findings ?? [
    FINDINGS.unchanged,
    finding({ detectable: 0.028, base: 119, head: 118.5 }, { service: 'grpc' }),
  ];
  const result = {
    outcome: 'passed',
    exitCode: 0,
    answers: [],
    coverage: { rows: 0, seen: 0 },
    rounds: [
      { service: 'rest', kept: 10, discarded: 0, failed: 0 },
      { service: 'grpc', kept: 10, discarded: 1, failed: 0 },
    ],
    notes: [],
    remarks: [],
    alpha: 0.02,
    gateSize: findings.filter(({ family }) => family === 'gate').length,
    looks: [10],
  } as const;
  const changed = withLists(result, { findings, ...change });
  return { ...changed, coverage: change.coverage ?? coverageOf(changed) };
}

/** All that can be found, at once. */
export function everythingFound(): ComparisonResult {
  return comparisonResult({
    outcome: 'failed',
    exitCode: 1,
    findings: [...Object.values(FINDINGS), ...wideFindings(6)],
    uncompared: UNCOMPARED,
    errors: [MORE_ERRORS],
    budgets: [OVER_BUDGET],
    notes: ['An acceptance has expired: REST, CPU per request, saturation, until 2026-10-01.'],
    looks: [10, 15],
  });
}

/** A run of two versions, and its judgment. */
export type ComparisonJudgment = Judgment & { readonly run: RunInRounds; readonly compared: ComparisonResult };

/** A comparison, with the run that it could come from. */
export function comparedJudgment(compared: ComparisonResult = comparisonResult()): ComparisonJudgment {
  return { run: discardedOnce(), against: undefined, compared };
}

const discardedOnce = remembered(() => sampleRounds({ discarded: 1 }));

const failedOnce = remembered(() => sampleRounds({ rounds: 2, failed: [{ service: 'rest', side: 'head', times: 1 }] }));

/** A comparison that carries the hostile text wherever text comes from outside. */
export function hostileComparison(): ComparisonJudgment {
  const run = failedOnce();
  const version = {
    ref: HOSTILE,
    commit: HOSTILE,
    dirty: true,
    subject: HOSTILE,
    configHash: HOSTILE,
    services: [],
    operations: [],
  };
  const cell = { suite: 'users', service: HOSTILE, operation: HOSTILE, tier: HOSTILE };
  const compared = everythingFound();
  return {
    run: {
      ...run,
      wiregauge: HOSTILE,
      suite: { ...run.suite, title: HOSTILE },
      services: run.services.map((service) => ({ ...service, title: HOSTILE, environment: { [HOSTILE]: HOSTILE } })),
      failures: [{ suite: 'users', service: 'rest', tier: 'low', round: 1, message: HOSTILE, next: HOSTILE }],
      rounds: {
        ...run.rounds,
        base: version,
        head: version,
        rounds: run.rounds.rounds.map((round) =>
          round.failure === undefined ? round : { ...round, failure: { message: HOSTILE, next: HOSTILE } },
        ),
      },
    },
    against: undefined,
    compared: withLists(compared, {
      findings: listsOf(compared).findings.map((one) => ({
        ...one,
        cell,
        metric: HOSTILE,
        ...(one.accepted && { accepted: { ...one.accepted, why: HOSTILE, until: HOSTILE } }),
      })),
      uncompared: listsOf(compared).uncompared.map((one) => ({ ...one, cell, metric: HOSTILE, detail: HOSTILE })),
      errors: listsOf(compared).errors.map((one) => ({ ...one, cell })),
      budgets: listsOf(compared).budgets.map((one) => ({ ...one, cell, metric: HOSTILE })),
      answers: (['fails', 'warns'] as const).map((verdict) => ({
        ...{ operation: HOSTILE, services: [HOSTILE], arguments: HOSTILE, path: HOSTILE },
        ...{ requests: 2, changedRequests: 1, verdict },
      })),
      rounds: [{ service: HOSTILE, kept: 2, discarded: 0, failed: 1 }],
      notes: [HOSTILE],
      remarks: [HOSTILE],
    }),
  };
}
