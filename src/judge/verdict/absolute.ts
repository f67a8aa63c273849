import { median } from '../../foundation/statistics.ts';
import { isAbout, type Policy } from '../../model/policy.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { errorRateP } from '../inference/counts.ts';
import type { AnswerFinding, BudgetFinding, CellErrors, ErrorFinding, FromZero, HeadReading } from './finding.ts';
import type { Note } from './note.ts';

const SHARE_OF_ALPHA = 0.1;

const LEAST_RATE = 0.001;

/** From this rate on, errors that came in too few rounds for the test are noted. */
const GLARING_RATE = 0.01;

/** A head that fails this share of its requests, round after round, needs no test if the base fails hardly any. */
const BROKEN_RATE = 0.05;

/** In at least this number of rounds. */
const BROKEN_ROUNDS = 3;

/** Ratio of the failed requests of two versions from which the worse one is broken. */
const BROKEN_RATIO = 5;

interface ErrorsOfPart {
  readonly cells: readonly CellErrors[];
  readonly fromZero?: readonly FromZero[] | undefined;
  readonly seed: number;
}

/**
 * Comparison of the error counts of each cell: one-sided, exact, stratified by round, at a tenth of alpha for all cells together (Holm, 1979) and
 * from 0.1% on. Cells without a failure in either version are no part of the family: which those are does not depend on which version is which. A
 * head that fails 5% and more in nearly every round, and five times as much as the base, is worse without a test. Metrics that are 0 in one
 * version alone are tested with them.
 */
export function errorFindings(
  parts: readonly ErrorsOfPart[],
  { alpha }: Pick<Policy, 'alpha'>,
): { readonly errors: readonly ErrorFinding[]; readonly notes: readonly Note[] } {
  const tested = parts.flatMap(({ cells, seed }) =>
    cells.flatMap(({ cell, rounds }) => {
      const [baseRate, headRate] = [rateOf(rounds.map(({ base }) => base)), rateOf(rounds.map(({ head }) => head))];
      return rounds.length === 0 ? [] : [{ cell, baseRate, headRate, p: errorRateP(rounds, seed), rounds }];
    }),
  );
  const zeros = parts.flatMap(({ fromZero = [] }) => fromZero.map(testedZero));
  const failing = tested.filter(({ baseRate, headRate }) => baseRate + headRate > 0);
  const level = alpha * SHARE_OF_ALPHA;
  const significant = significantByHolm([...failing, ...zeros.filter(({ verdict }) => verdict !== 'improved')], level);
  const found = tested.map((one) => {
    const isWorse = (significant.has(one) && one.headRate >= LEAST_RATE) || isBroken(one);
    return { ...one, verdict: isWorse ? ('regressed' as const) : ('unchanged' as const) };
  });
  return {
    errors: [
      ...found.map(({ rounds: _rounds, ...finding }) => finding),
      ...zeros.map((one) => ({ ...one, verdict: significant.has(one) ? ('regressed' as const) : one.verdict })),
    ],
    notes: found
      .filter(
        ({ verdict, baseRate, headRate, rounds }) =>
          verdict === 'unchanged' &&
          2 ** -rounds.length > level / failing.length &&
          headRate >= GLARING_RATE &&
          baseRate < LEAST_RATE,
      )
      .map(({ cell, headRate, baseRate }) => ({ kind: 'few-errors', cell, headRate, baseRate })),
  };
}

/**
 * With p for "0 in every round of one version, above 0 in every round of the other, by chance": at most 4^-n, whatever the share of rounds
 * with 0 (Barnard, 1945).
 */
function testedZero({ cell, metric, unit, better, base, head, rounds }: FromZero): ErrorFinding {
  const isWorse = head > base === (better === 'lower');
  return {
    ...{ cell, metric, ...(unit !== undefined && { unit }), baseRate: base, headRate: head, p: 4 ** -rounds },
    verdict: isWorse ? 'unchanged' : 'improved',
  };
}

/** Those whose p is at most the level, shared out step by step: the smallest by all, the next by one fewer, up to the first that is not. */
function significantByHolm<Tested extends { readonly p: number }>(
  tested: readonly Tested[],
  level: number,
): ReadonlySet<Tested> {
  const ordered = tested.toSorted((left, right) => left.p - right.p);
  const end = ordered.findIndex(({ p }, step) => p > level / (ordered.length - step));
  return new Set(end < 0 ? ordered : ordered.slice(0, end));
}

/** No chance makes this many requests of one version fail in all rounds but one of five. */
function isBroken({ rounds }: Pick<CellErrors, 'rounds'>): boolean {
  const broken = rounds.filter(({ base, head }) => {
    const rate = rateOf([head]);
    return rate >= BROKEN_RATE && rate >= BROKEN_RATIO * rateOf([base]);
  }).length;
  return broken >= Math.max(BROKEN_ROUNDS, 0.8 * rounds.length);
}

/** Budgets compared with the head's medians, and those that match nothing. */
export interface Budgeted {
  readonly budgets: readonly BudgetFinding[];
  readonly notes: readonly Note[];
}

/** Compares the head's medians with the absolute budgets of the policy. */
export function budgetFindings(readings: readonly HeadReading[], { budgets }: Pick<Policy, 'budgets'>): Budgeted {
  const held = budgets.map((budget) => ({
    budget,
    found: readings.filter((reading) => isAbout(budget, reading)).map((reading) => heldAgainst(reading, budget.limit)),
  }));
  return {
    budgets: held.flatMap(({ found }) => found),
    notes: held.filter(({ found }) => found.length === 0).map(({ budget }) => ({ kind: 'unmatched-budget', budget })),
  };
}

function heldAgainst({ cell, metric, better, values }: HeadReading, limit: number): BudgetFinding {
  const found = median(values) ?? 0;
  const isOver = better === 'lower' ? found > limit : found < limit;
  return { cell, metric, limit, found, verdict: isOver ? 'over' : 'within' };
}

function rateOf(counts: readonly { readonly failed: number; readonly requests: number }[]): number {
  const requests = counts.reduce((sum, count) => sum + count.requests, 0);
  return requests === 0 ? 0 : counts.reduce((sum, count) => sum + count.failed, 0) / requests;
}

/** Judgment of the responses of both versions. */
export interface JudgedAnswers {
  readonly findings: readonly AnswerFinding[];
  readonly notes: readonly Note[];
}

/** Nothing to be judged: figures without answers. */
export const NO_ANSWERS: JudgedAnswers = { findings: [], notes: [] };

/** The operations whose responses changed, by the policy: one finding for all services that changed in the same way. */
export function answerFindings({ rounds }: RunInRounds, { answers: policy }: Policy): JudgedAnswers {
  const { answers: record, versus } = rounds;
  if (policy === 'ignore' || versus !== undefined) {
    return NO_ANSWERS;
  }
  const verdict = policy === 'fail' ? ('fails' as const) : ('warns' as const);
  const byChange = new Map<string, AnswerFinding>();
  for (const { service, ...change } of record?.changed ?? []) {
    const key = JSON.stringify(change);
    const services = [...(byChange.get(key)?.services ?? []), service];
    byChange.set(key, { ...change, services, verdict });
  }
  return {
    findings: [...byChange.values()],
    notes: policy === 'fail' && (record?.requests ?? 0) === 0 ? [{ kind: 'answers-not-compared' }] : [],
  };
}
