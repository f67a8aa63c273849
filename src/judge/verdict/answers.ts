import type { CellKey } from '../../model/metric.ts';
import { ALL_TIERS } from '../../model/policy.ts';
import {
  type AnchorDrift,
  type AnswerFinding,
  type BudgetFinding,
  type ComparisonResult,
  type ErrorFinding,
  type Finding,
  type InconclusiveFinding,
  isAccepted,
  isInconclusive,
  isRegression,
  type Uncompared,
} from './finding.ts';
import { worseness } from './findings.ts';

/** Answer to one question of a comparison, with its evidence: a change, a loss, errors, a budget, changed answers or a drift. */
export type Answer = {
  readonly cell: CellKey;
  readonly metric?: string | undefined;
  readonly verdict: 'worse' | 'better' | 'same' | 'unclear' | 'unseen';
  /** True if it fails a pull request. */
  readonly fails: boolean;
} & Evidence;

type Evidence =
  | { readonly by: 'change'; readonly of: Finding }
  | { readonly by: 'loss'; readonly of: Uncompared }
  | { readonly by: 'errors'; readonly of: ErrorFinding }
  | { readonly by: 'budget'; readonly of: BudgetFinding }
  | { readonly by: 'answers'; readonly of: AnswerFinding }
  | { readonly by: 'drift'; readonly of: AnchorDrift };

/** Lists of a result that answers are made of. */
export type Answered = Pick<ComparisonResult, 'findings' | 'uncompared' | 'errors' | 'budgets' | 'answers' | 'drifts'>;

/** All answers of a comparison: the one list that reports, comments, annotations, checks and the outcome read. */
export function answersOf({
  findings,
  uncompared,
  errors,
  budgets,
  answers,
  drifts = [],
}: Answered): readonly Answer[] {
  const suite = [...findings, ...uncompared][0]?.cell.suite ?? '';
  const limited = <By extends 'budget' | 'drift', Of extends BudgetFinding | AnchorDrift>(by: By, of: Of) => {
    const fails = of.verdict === 'over';
    const { cell, metric } = of;
    return { by, of, cell, metric, verdict: fails ? ('worse' as const) : ('same' as const), fails };
  };
  return [
    ...uncompared.map((of): Answer => {
      const fails = of.reason === 'head-failed';
      return { by: 'loss', of, cell: of.cell, metric: of.metric, verdict: fails ? 'worse' : 'unseen', fails };
    }),
    ...errors.map((of): Answer => {
      const verdict = ERROR_VERDICTS[of.verdict];
      return { by: 'errors', of, cell: of.cell, metric: of.metric, verdict, fails: verdict === 'worse' };
    }),
    ...answers.map((of): Answer => {
      const fails = of.verdict === 'fails';
      const cell = { suite, service: of.services[0] ?? '', operation: of.operation, tier: ALL_TIERS };
      return { by: 'answers', of, cell, verdict: fails ? 'worse' : 'unclear', fails };
    }),
    ...findings.map((of): Answer => {
      const fails = of.family === 'gate' && isRegression(of);
      return { by: 'change', of, cell: of.cell, metric: of.metric, verdict: VERDICTS[classOf(of)], fails };
    }),
    ...budgets.map((of) => limited('budget', of)),
    ...drifts.map((of) => limited('drift', of)),
  ];
}

const ERROR_VERDICTS = { regressed: 'worse', unchanged: 'same', improved: 'better' } as const;

/** Class of a finding, which decides the words, the color and the place of it in all reports. */
export type FindingClass =
  | Exclude<Finding['verdict'], 'inconclusive'>
  | InconclusiveFinding['reason']
  | 'accepted'
  | 'unproven';

/** `unproven`: all of the interval is over the threshold; alone it would be significant, among that many comparisons it is not. */
export function classOf(finding: Finding): FindingClass {
  if (!isInconclusive(finding)) {
    return isAccepted(finding) ? 'accepted' : finding.verdict;
  }
  const { better, change, threshold, reason } = finding;
  const best = better === 'lower' ? change.low : change.high;
  const isOver = best !== undefined && worseness({ better }, best) >= threshold;
  return reason === 'too-noisy' && isOver ? 'unproven' : reason;
}

const VERDICTS: Readonly<Record<FindingClass, Answer['verdict']>> = {
  regressed: 'worse',
  accepted: 'worse',
  'slower-within-limit': 'worse',
  improved: 'better',
  unchanged: 'same',
  unproven: 'unclear',
  'too-noisy': 'unclear',
  'too-few-rounds': 'unseen',
  'not-seen': 'unseen',
};
