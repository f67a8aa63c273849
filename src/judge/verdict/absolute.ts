import { median } from '../../foundation/statistics.ts';
import { ALL_TIERS, isAbout, type Policy } from '../../model/policy.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { errorRateP } from '../inference/counts.ts';
import {
  type Answer,
  type AnswerBy,
  type CellErrors,
  type ChangedResponse,
  type ComparisonInput,
  type ErrorFinding,
  type FromZero,
  type HeadReading,
  limitAnswer,
} from './finding.ts';
import type { Note } from './note.ts';

const LEAST_RATE = 0.001;

/** Error rate from which errors in too few rounds for the test are noted. */
const GLARING_RATE = 0.01;

/** A head that fails this share of its requests in round after round needs no test if the base fails hardly any. */
const BROKEN_RATE = 0.05;

const BROKEN_ROUNDS = 3;

/** Ratio of the failed requests of two versions from which the worse one is broken. */
const BROKEN_RATIO = 5;

/** Answers by rules without a family test, and notes on them. */
interface Judged<By extends Answer['by']> {
  readonly answers: readonly AnswerBy<By>[];
  readonly notes: readonly Note[];
}

interface ErrorsOfPart {
  readonly input: Pick<ComparisonInput, 'errors' | 'fromZero'>;
  readonly seed: number;
}

/**
 * Comparison of the error counts of each cell: one-sided, exact, stratified by round, at a tenth of alpha for all cells together (Holm, 1979) and at
 * least 0.1%. Cells without a failure in either version are not part of the family, which does not depend on which version is which. A head that
 * fails 5% or more in nearly every round, and five times as much as the base, is worse without a test. Metrics that are 0 in only one version are
 * tested with them.
 */
export function errorAnswers(parts: readonly ErrorsOfPart[], { alpha }: Pick<Policy, 'alpha'>): Judged<'errors'> {
  const tested = parts.flatMap(({ input, seed }) =>
    input.errors.flatMap(({ cell, rounds }) => {
      const [baseRate, headRate] = [rateOf(rounds.map(({ base }) => base)), rateOf(rounds.map(({ head }) => head))];
      return rounds.length === 0 ? [] : [{ of: { cell, baseRate, headRate, p: errorRateP(rounds, seed) }, rounds }];
    }),
  );
  const zeros = parts.flatMap(({ input }) =>
    (input.fromZero ?? []).map((zero) => ({
      of: errorsFromZero(zero),
      isBetter: zero.head > zero.base !== (zero.better === 'lower'),
    })),
  );
  const failing = tested.filter(({ of }) => of.baseRate + of.headRate > 0);
  const level = alpha * 0.1;
  const significant = significantByHolm(
    [...failing, ...zeros.filter(({ isBetter }) => !isBetter)].map(({ of }) => of),
    level,
  );
  const answer = (of: ErrorFinding, verdict: Answer['verdict']): AnswerBy<'errors'> => {
    return { by: 'errors', of, cell: of.cell, metric: of.metric, verdict, fails: verdict === 'worse' };
  };
  const found = tested.map(({ of, rounds }) => {
    const isWorse = (significant.has(of) && of.headRate >= LEAST_RATE) || isBroken({ rounds });
    return { rounds, ...answer(of, isWorse ? 'worse' : 'same') };
  });
  return {
    answers: [
      ...found.map(({ rounds: _rounds, ...one }) => one),
      ...zeros.map(({ of, isBetter }) => answer(of, significant.has(of) ? 'worse' : isBetter ? 'better' : 'same')),
    ],
    notes: found
      .filter(
        ({ fails, of: { baseRate, headRate }, rounds }) =>
          !fails && 2 ** -rounds.length > level / failing.length && headRate >= GLARING_RATE && baseRate < LEAST_RATE,
      )
      .map(({ of: { cell, headRate, baseRate } }) => ({ kind: 'few-errors', cell, headRate, baseRate })),
  };
}

/**
 * Error finding with p for "0 in every round of one version, above 0 in every round of the other, by chance": at most 4^-n, for any share of
 * rounds with 0 (Barnard, 1945).
 */
function errorsFromZero({ cell, metric, unit, base, head, rounds }: FromZero): ErrorFinding {
  return { cell, metric, ...(unit !== undefined && { unit }), baseRate: base, headRate: head, p: 4 ** -rounds };
}

/** Results whose p is at most their level by Holm's steps: the smallest divides it by all, the next by one fewer, up to the first that fails. */
function significantByHolm<Tested extends { readonly p: number }>(
  tested: readonly Tested[],
  level: number,
): ReadonlySet<Tested> {
  const ordered = tested.toSorted((left, right) => left.p - right.p);
  const end = ordered.findIndex(({ p }, step) => p > level / (ordered.length - step));
  return new Set(end < 0 ? ordered : ordered.slice(0, end));
}

/** Chance does not make this many requests of one version fail in at least four of five rounds. */
function isBroken({ rounds }: Pick<CellErrors, 'rounds'>): boolean {
  const broken = rounds.filter(({ base, head }) => {
    const rate = rateOf([head]);
    return rate >= BROKEN_RATE && rate >= BROKEN_RATIO * rateOf([base]);
  }).length;
  return broken >= Math.max(BROKEN_ROUNDS, 0.8 * rounds.length);
}

/** Compares the head's medians with the absolute budgets of the policy; unmatched budgets are noted. */
export function budgetAnswers(
  readings: readonly HeadReading[],
  { budgets }: Pick<Policy, 'budgets'>,
): Judged<'budget'> {
  const compared = budgets.map((budget) => ({
    budget,
    answers: readings
      .filter((reading) => isAbout(budget, reading))
      .map(({ cell, metric, better, values }) => {
        const { limit } = budget;
        const found = median(values) ?? 0;
        return limitAnswer(
          'budget',
          { cell, metric, limit, found },
          better === 'lower' ? found > limit : found < limit,
        );
      }),
  }));
  return {
    answers: compared.flatMap(({ answers }) => answers),
    notes: compared
      .filter(({ answers }) => answers.length === 0)
      .map(({ budget }) => ({ kind: 'unmatched-budget', budget })),
  };
}

function rateOf(counts: readonly { readonly failed: number; readonly requests: number }[]): number {
  const requests = counts.reduce((sum, count) => sum + count.requests, 0);
  return requests === 0 ? 0 : counts.reduce((sum, count) => sum + count.failed, 0) / requests;
}

/** Operations whose responses changed, by the policy: one answer for all services with the same change. */
export function responseAnswers({ rounds, suite }: RunInRounds, { answers: policy }: Policy): Judged<'response'> {
  const { answers: record, versus } = rounds;
  if (policy === 'ignore' || versus !== undefined) {
    return { answers: [], notes: [] };
  }
  const fails = policy === 'fail';
  const byChange = new Map<string, ChangedResponse>();
  for (const { service, ...change } of record?.changed ?? []) {
    const key = JSON.stringify(change);
    byChange.set(key, { ...change, services: [...(byChange.get(key)?.services ?? []), service] });
  }
  return {
    answers: [...byChange.values()].map((of) => {
      const cell = { suite: suite.name, service: of.services[0] ?? '', operation: of.operation, tier: ALL_TIERS };
      return { by: 'response', of, cell, verdict: fails ? 'worse' : 'unclear', fails };
    }),
    notes: fails && (record?.requests ?? 0) === 0 ? [{ kind: 'answers-not-compared' }] : [],
  };
}
