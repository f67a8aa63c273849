import type { Policy } from '../../model/policy.ts';
import type { BudgetFinding, ComparisonResult, ErrorFinding, Finding, Uncompared } from './finding.ts';
import type { Lost } from './input.ts';

/** All that an outcome hangs on. */
export interface OutcomeBasis {
  readonly findings: readonly Finding[];
  readonly errors: readonly ErrorFinding[];
  readonly budgets: readonly BudgetFinding[];
  readonly lost: readonly Lost[];
}

/**
 * The outcome by the policy and its exit code: 1 for what fails a pull request, 2 where nothing could be judged, or a shard was lost.
 * What should have been compared and could not be is inconclusive, however well the rest stands.
 */
export function outcomeOf(judged: OutcomeBasis, policy: Policy): Pick<ComparisonResult, 'outcome' | 'exitCode'> {
  if (judged.lost.some(({ reason }) => reason === 'head-failed')) {
    return { outcome: 'failed', exitCode: 1 };
  }
  if (isRegressed(judged)) {
    return { outcome: 'regressed', exitCode: 1 };
  }
  if (isUnjudged(judged) || judged.lost.some(({ reason }) => reason === 'shard-lost')) {
    return { outcome: 'incomplete', exitCode: 2 };
  }
  return isOpen(judged) ? OPEN[policy.inconclusive] : { outcome: 'passed', exitCode: 0 };
}

const OPEN: Readonly<Record<Policy['inconclusive'], Pick<ComparisonResult, 'outcome' | 'exitCode'>>> = {
  warn: { outcome: 'inconclusive', exitCode: 0 },
  fail: { outcome: 'inconclusive', exitCode: 1 },
  pass: { outcome: 'passed', exitCode: 0 },
};

function isRegressed({ findings, errors, budgets }: OutcomeBasis): boolean {
  return (
    findings.some(
      ({ family, verdict, accepted }) => family === 'gate' && verdict === 'regressed' && accepted === undefined,
    ) ||
    errors.some(({ verdict }) => verdict === 'regressed') ||
    budgets.some(({ verdict }) => verdict === 'over')
  );
}

/** Nothing that may fail a pull request was judged, though it should have been. */
function isUnjudged({ findings, lost }: OutcomeBasis): boolean {
  const enough = findings.filter(({ reason }) => reason !== 'too-few-rounds');
  const isAllWatched = findings.length > 0 && findings.every(({ family }) => family === 'watch');
  const wasMeant = lost.some(({ gate, reason }) => gate && reason !== 'new' && reason !== 'gone');
  return isAllWatched && !wasMeant ? enough.length === 0 : !enough.some(({ family }) => family === 'gate');
}

/** Reasons that leave a question open; the others say that there was none to ask. */
const LEAVES_OPEN: ReadonlySet<Uncompared['reason']> = new Set(['base-failed', 'missing', 'not-positive', 'invalid']);

function isOpen({ findings, lost }: OutcomeBasis): boolean {
  return (
    findings.some(({ family, verdict }) => family === 'gate' && verdict === 'inconclusive') ||
    lost.some(({ gate, reason }) => gate && LEAVES_OPEN.has(reason))
  );
}
