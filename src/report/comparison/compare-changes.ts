import type { Finding } from '../../judge/verdict/finding.ts';
import {
  budgetClause,
  errorClause,
  failureClause,
  lossClause,
  moreRoundsClause,
  mostDoubtful,
  regressionsOf,
  unended,
} from './compare-claims.ts';
import type { ComparisonView } from './compare-view.ts';
import { isAccepted } from './compare-words.ts';

/** Comparisons of one kind that a reader must see, as findings with figures or as sentences; never empty. */
export interface ChangeGroup {
  readonly title: string;
  readonly standing: 'worse' | 'better' | 'neutral';
  readonly findings: readonly Finding[];
  /** Plain text that is not yet escaped. */
  readonly sentences: readonly string[];
}

/** What changed, the worst first, and what could not be seen; what is unchanged is left out. */
export function changeGroups(view: ComparisonView): readonly ChangeGroup[] {
  const { gate, result } = view;
  const groups = [
    sentences('Failed in head only', failedSentences(view), 'worse'),
    sentences('More errors', errorSentences(view), 'worse'),
    findings('Regressed', regressionsOf(gate), 'worse'),
    sentences('Over budget', budgetSentences(view), 'worse'),
    findings('Accepted', gate.filter(isAccepted), 'neutral'),
    findings('Slower within the limit', having(gate, 'slower-within-limit'), 'neutral'),
    findings('Improved', having(gate, 'improved'), 'better'),
    firstOf(result.outcome === 'inconclusive' ? MOST : MOST_BESIDE_OTHERS, 'Inconclusive', mostDoubtful(gate)),
    firstOf(MOST, 'Only watched, changed', watchedChanges(result.findings)),
    sentences('Not compared', notComparedSentences(view), 'neutral'),
  ];
  return groups.filter((group) => group.findings.length > 0 || group.sentences.length > 0);
}

function findings(title: string, found: readonly Finding[], standing: ChangeGroup['standing']): ChangeGroup {
  return { title, standing, findings: found, sentences: [] };
}

function sentences(title: string, texts: readonly string[], standing: ChangeGroup['standing']): ChangeGroup {
  return { title, standing, findings: [], sentences: texts };
}

/** Only the first ones: a noisy machine leaves dozens open, and the list of all comparisons has every one. */
function firstOf(most: number, title: string, found: readonly Finding[]): ChangeGroup {
  const rest = found.length - most;
  return {
    ...findings(title, found.slice(0, most), 'neutral'),
    sentences: rest > 0 ? [`${rest} more in the list of all comparisons.`] : [],
  };
}

const MOST = 8;

/** What could not be told matters most where it is the outcome. */
const MOST_BESIDE_OTHERS = 3;

function having(found: readonly Finding[], verdict: Finding['verdict']): readonly Finding[] {
  return found.filter((finding) => finding.verdict === verdict);
}

function watchedChanges(found: readonly Finding[]): readonly Finding[] {
  const watched = found.filter(({ family }) => family === 'watch');
  const other = watched.filter(({ verdict }) => verdict === 'slower-within-limit' || verdict === 'improved');
  return [...watched.filter(({ verdict }) => verdict === 'regressed'), ...other];
}

function failedSentences(view: ComparisonView): readonly string[] {
  const failed = view.result.uncompared.filter(({ reason }) => reason === 'head-failed');
  return failed.map((one) => `${failureClause(view, one)}.`);
}

function errorSentences(view: ComparisonView): readonly string[] {
  const more = view.result.errors.filter(({ verdict }) => verdict === 'regressed');
  return more.map((one) => `${errorClause(view, one)}.`);
}

function budgetSentences(view: ComparisonView): readonly string[] {
  const over = view.result.budgets.filter(({ verdict }) => verdict === 'over');
  return over.map((one) => `${budgetClause(view, one)}.`);
}

function notComparedSentences(view: ComparisonView): readonly string[] {
  const lost = view.result.uncompared.filter(({ reason }) => reason !== 'head-failed');
  return lost.map((one) => `${lossClause(view, one)}.`);
}

/** What a reader must know of a finding besides its figures; plain text that is not yet escaped, may be empty. */
export function remark(finding: Finding): string {
  if (isAccepted(finding)) {
    const { why = '', until = '' } = finding.accepted ?? {};
    return `${unended(why)}, until ${unended(until)}`;
  }
  if (finding.verdict !== 'inconclusive') {
    return '';
  }
  const cause = finding.reason === 'too-few-rounds' ? ['too few rounds'] : [];
  const more = finding.moreRounds === undefined ? [] : [moreRoundsClause(finding.moreRounds)];
  return [...cause, ...more].join(', ');
}
