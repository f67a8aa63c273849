import { looksFor } from '../inference/family-test.ts';
import { FEWEST_ROUNDS } from '../inference/rank-scores.ts';
import { budgetFindings, errorFindings, untestedErrors } from './absolute.ts';
import { withAcceptances } from './acceptances.ts';
import { comparedOf } from './compared.ts';
import type { Compared, ComparisonResult, Finding } from './finding.ts';
import { findingsOf } from './findings.ts';
import type { ComparisonInput, Lost } from './input.ts';
import type { RunInRounds } from './kept-cells.ts';
import { tooFewRounds } from './notes.ts';
import { outcomeOf } from './outcome.ts';
import { isGate, type Policy } from './policy.ts';
import { worseness } from './series.ts';

/** How head stands against base in a run, complete or not, by its own policy or another. */
export function judgeRun(run: RunInRounds, policy: Policy = run.rounds.policy): ComparisonResult {
  return judge(comparedOf(run, policy), policy, run.seed);
}

/**
 * How head stands against base: a verdict for every comparison, and the outcome by the policy. Pure: the same input,
 * policy and seed always give the same result. The probability that any comparison that may fail a pull request is called a regression
 * where nothing changed is at most alpha; errors have a tenth of alpha for each cell on top, budgets and the other
 * family do not count. The rule is that of docs/statistics.md.
 */
export function judge(input: ComparisonInput, policy: Policy, seed: number): ComparisonResult {
  const looks = looksFor(input.looks, reachedBy(input.compared), input.isFinal);
  const accepting = withAcceptances(findingsOf(input.compared, { policy, looks, seed }), policy, input.day);
  const { findings } = accepting;
  const errors = errorFindings(input.errors, policy, seed);
  const { budgets, notes: budgetNotes } = budgetFindings(input.readings, policy);
  const lost = input.lost.map((one) => ({ ...one, gate: isGateLoss(one, policy) }));
  return {
    ...outcomeOf({ findings, errors, budgets, lost }, policy),
    findings,
    uncompared: lost.map(({ gate: _gate, ...uncompared }) => uncompared),
    errors,
    budgets,
    rounds: input.rounds,
    notes: [
      ...tooFewRounds(input.rounds),
      ...input.notes,
      ...accepting.notes,
      ...budgetNotes,
      ...untestedErrors(input.errors, errors, policy),
    ],
    remarks: input.remarks,
    alpha: policy.alpha,
    gateSize: findings.filter(({ family }) => family === 'gate').length,
    looks: looks.map(({ rounds }) => rounds),
  };
}

/**
 * Whether more rounds could not change the outcome for the better, so that a comparison may stop at a look: a regression that nobody
 * accepted, or every comparison that may fail a pull request is surely below its threshold.
 */
export function isDecided({ findings }: ComparisonResult): boolean {
  const gate = findings.filter(({ family }) => family === 'gate');
  return gate.some(isRed) || (gate.length > 0 && gate.every(isSettled));
}

function isRed({ verdict, accepted }: Finding): boolean {
  return verdict === 'regressed' && accepted === undefined;
}

function isSettled({ verdict, accepted, better, change, threshold }: Finding): boolean {
  const worst = better === 'lower' ? change.high : change.low;
  const isBelow = worst !== undefined && worseness({ better }, worst) < threshold;
  return accepted !== undefined || (verdict !== 'inconclusive' && isBelow);
}

/** The rounds that every service has; one with too few for any verdict does not hold up the others. */
function reachedBy(compared: readonly Compared[]): number {
  const enough = compared.map(({ base }) => base.length).filter((rounds) => rounds >= FEWEST_ROUNDS);
  return enough.length === 0 ? 0 : Math.min(...enough);
}

function isGateLoss({ cell, metric, gate }: Lost, policy: Policy): boolean {
  return metric === undefined ? gate : isGate(policy, { cell, metric }, gate);
}
