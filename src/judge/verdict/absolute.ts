import { formatShare, median } from '../../foundation/index.ts';
import { isAbout, type Policy, type PolicyPlace, type RunInRounds } from '../../model/index.ts';
import { errorRateP } from '../inference/counts.ts';
import type { AnswerFinding, BudgetFinding, CellErrors, ErrorFinding, HeadReading } from './finding.ts';
import { placeName } from './notes.ts';

/** The error rule's p is held against this share of alpha. */
const SHARE_OF_ALPHA = 0.1;

/** Error rates of the head below this are never a regression. */
const LEAST_RATE = 0.001;

/** From this rate on, errors that came in too few rounds for the test are noted. */
const GLARING_RATE = 0.01;

/** How the error counts of each cell stand: one-sided, exact, stratified by round, at a tenth of alpha and from 0.1 % on. */
export function errorFindings(cells: readonly CellErrors[], policy: Policy, seed: number): readonly ErrorFinding[] {
  return cells
    .filter(({ rounds }) => rounds.length > 0)
    .map(({ cell, rounds }) => {
      const [baseRate, headRate] = [rateOf(rounds.map(({ base }) => base)), rateOf(rounds.map(({ head }) => head))];
      const p = errorRateP(rounds, seed);
      const isWorse = p <= policy.alpha * SHARE_OF_ALPHA && headRate >= LEAST_RATE;
      return { cell, baseRate, headRate, p, verdict: isWorse ? ('regressed' as const) : ('unchanged' as const) };
    });
}

/** Errors of the head alone that stand out, in so few rounds that the exact test cannot tell. */
export function untestedErrors(
  cells: readonly CellErrors[],
  findings: readonly ErrorFinding[],
  policy: Policy,
): readonly string[] {
  return findings
    .filter(({ cell, verdict, baseRate, headRate }) => {
      const rounds = cells.find((one) => one.cell === cell)?.rounds.length ?? 0;
      const isTooFew = 2 ** -rounds > policy.alpha * SHARE_OF_ALPHA;
      return verdict === 'unchanged' && isTooFew && headRate >= GLARING_RATE && baseRate < LEAST_RATE;
    })
    .map(
      ({ cell, headRate, baseRate }) =>
        `${placeName(cell)}: ${formatShare(headRate)} of the head's requests failed and ${formatShare(baseRate)} of the base's, in too few rounds to judge.`,
    );
}

/** Budgets held against the head's medians, and those that match nothing. */
export interface Budgeted {
  readonly budgets: readonly BudgetFinding[];
  readonly notes: readonly string[];
}

/** Holds the head's medians against the absolute budgets of the policy. */
export function budgetFindings(readings: readonly HeadReading[], { budgets }: Policy): Budgeted {
  const held = budgets.map((budget) => ({
    budget,
    found: readings.filter((reading) => isAbout(budget, reading)).map((reading) => heldAgainst(reading, budget.limit)),
  }));
  return {
    budgets: held.flatMap(({ found }) => found),
    notes: held.filter(({ found }) => found.length === 0).map(({ budget }) => `${budgetName(budget)} matches nothing.`),
  };
}

function heldAgainst({ cell, metric, better, values }: HeadReading, limit: number): BudgetFinding {
  const found = median(values) ?? 0;
  const isOver = better === 'lower' ? found > limit : found < limit;
  return { cell, metric, limit, found, verdict: isOver ? 'over' : 'within' };
}

function budgetName({ service = '*', operation = '*', tier = '*', metric }: PolicyPlace): string {
  return `The budget for ${metric} of ${service}/${operation}/${tier}`;
}

function rateOf(counts: readonly { readonly failed: number; readonly requests: number }[]): number {
  const requests = counts.reduce((sum, count) => sum + count.requests, 0);
  return requests === 0 ? 0 : counts.reduce((sum, count) => sum + count.failed, 0) / requests;
}

/** What is judged of the answers of both versions. */
export interface JudgedAnswers {
  readonly findings: readonly AnswerFinding[];
  readonly notes: readonly string[];
}

/** Nothing to be judged: figures without answers. */
export const NO_ANSWERS: JudgedAnswers = { findings: [], notes: [] };

/** The operations whose answers changed, by the policy: one finding for all services that changed in the same way. */
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
    notes: policy === 'fail' && (record?.requests ?? 0) === 0 ? [NOT_COMPARED] : [],
  };
}

const NOT_COMPARED =
  'No answers of base and head were compared, so `answers: fail` of the policy could not be applied.';
