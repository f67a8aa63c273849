import {
  type Answer,
  type AnswerBy,
  type Finding,
  type InconclusiveFinding,
  isAccepted,
  isInconclusive,
  isRegression,
  type Uncompared,
} from './finding.ts';
import { worseness } from './findings.ts';

/** Answer that a change between two versions gives. */
export function changeAnswer(of: Finding): AnswerBy<'change'> {
  const { cell, metric, family } = of;
  return {
    by: 'change',
    of,
    cell,
    metric,
    verdict: VERDICTS[classOf(of)],
    fails: family === 'gate' && isRegression(of),
  };
}

/** Answer that a missing comparison gives. */
export function lossAnswer(of: Uncompared): AnswerBy<'loss'> {
  const { cell, metric, reason } = of;
  const fails = reason === 'head-failed';
  return { by: 'loss', of, cell, metric, verdict: fails ? 'worse' : 'unseen', fails };
}

/** Answer that a figure within or over its limit gives. */
export function limitAnswer<By extends 'budget' | 'drift'>(by: By, of: AnswerBy<By>['of'], fails: boolean) {
  const { cell, metric } = of;
  return { by, of, cell, metric, verdict: fails ? ('worse' as const) : ('same' as const), fails };
}

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
