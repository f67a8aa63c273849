import { counted, NO_FIGURE } from '../../foundation/numbers.ts';
import { cleanText } from '../../foundation/text.ts';
import { FEWEST_ROUNDS } from '../../judge/inference/location.ts';
import {
  type AnswerFinding,
  type ErrorFinding,
  type Finding,
  hasTooFewRounds,
  isAccepted,
  isInconclusive,
  isNotSeen,
  type Uncompared,
} from '../../judge/verdict/finding.ts';
import { isCounted } from '../../model/metric.ts';
import {
  adviceText,
  answerClause,
  belowThreshold,
  budgetClause,
  errorClause,
  failureClause,
  lossClause,
  moreRoundsClause,
  mostDoubtful,
  regressionsOf,
  unended,
} from './claims.ts';
import type { ComparisonView } from './view.ts';
import {
  changeText,
  comparisonLabel,
  intervalText,
  percentSize,
  placeLabel,
  seenFrom,
  thresholdText,
  valuesText,
  verdictWord,
} from './words.ts';

/** The figures of a comparison as texts, the same in every report; not yet escaped. */
export interface FindingRow {
  /** With the service: "REST, GetUser p95, 500 users". */
  readonly place: string;
  /** Without the service. */
  readonly label: string;
  readonly values: string;
  readonly change: string;
  readonly interval: string;
  readonly threshold: string;
  readonly verdict: string;
  /** Who accepted it and when, for right behind the verdict; may be empty. */
  readonly acceptedBy: string;
  /** Why, until when, how many more rounds; may be empty. */
  readonly remark: string;
  readonly noise: Finding['noise']['level'];
  readonly seen: string;
  readonly rounds: number;
  /** How its verdict is colored. */
  readonly standing: 'worse' | 'better' | 'neutral';
  readonly isWatched: boolean;
}

/** The texts of a finding. */
export function rowOf(view: ComparisonView, finding: Finding): FindingRow {
  const { cell, metric, noise, rounds, family } = finding;
  return {
    place: placeLabel(view, cell, metric),
    label: comparisonLabel(view, cell, metric),
    values: valuesText(finding),
    change: changeText(finding),
    interval: intervalText(finding),
    threshold: thresholdText(finding),
    verdict: verdictWord(finding),
    acceptedBy: acceptedBy(finding),
    remark: remark(finding),
    noise: noise.level,
    seen: seenFrom(finding),
    rounds,
    standing: standingOf(verdictWord(finding)),
    isWatched: family === 'watch' && !isNotSeen(finding),
  };
}

/** The change with its interval: "+6.1% [+5.2, +7.0]". */
export function shiftText({ change, interval }: FindingRow): string {
  return interval === NO_FIGURE ? `${change}, no interval` : `${change} ${interval}`;
}

/** The verdict with what must be known besides: "inconclusive: about 12 more rounds would do". */
export function verdictText({ verdict, acceptedBy: by, remark: besides }: FindingRow): string {
  return besides === '' ? verdict : `${verdict}${by}: ${besides}`;
}

/** The same for a table that mixes both families. */
export function judgedInFamily(row: FindingRow): string {
  return row.isWatched ? `${verdictText(row)}, not gating` : verdictText(row);
}

/** Who accepted a regression, and when: " by someone on 2026-11-21"; plain text, empty if neither is on record. */
function acceptedBy(finding: Finding): string {
  const { by = '', at = '' } = isAccepted(finding) ? finding.accepted : {};
  const who = by === '' ? '' : ` by ${cleanText(by, MOST_NAME)}`;
  // A label has a time, of which the day is enough.
  const day = at.replace(/^(\d{4}-\d{2}-\d{2})T.*Z$/, '$1');
  return day === '' ? who : `${who} on ${cleanText(day, MOST_NAME)}`;
}

const MOST_NAME = 80;

function standingOf(verdict: string): FindingRow['standing'] {
  const better = verdict === 'improved' ? 'better' : 'neutral';
  return verdict === 'regressed' ? 'worse' : better;
}

/** A service and what was found of it. */
export type ServiceFindings = readonly [service: string, findings: readonly Finding[]];

/** The findings of each service, in the order in which services and comparisons came; those that can fail go first. */
export function byService({ result }: ComparisonView): readonly ServiceFindings[] {
  const services = [...new Set(result.findings.map(({ cell }) => cell.service))];
  return services.map((service) => {
    const own = result.findings.filter(({ cell }) => cell.service === service);
    return [service, own.toSorted((left, right) => rank(left) - rank(right))];
  });
}

function rank({ family }: Finding): number {
  return family === 'gate' ? 0 : 1;
}

/** Comparisons of one kind that a reader must see, as findings with figures or as sentences; never empty. */
export interface ChangeGroup {
  readonly title: string;
  readonly standing: 'worse' | 'better' | 'neutral';
  readonly findings: readonly Finding[];
  /** Plain text that is not yet escaped. */
  readonly sentences: readonly string[];
  /** What is worth a look only for those who ask. */
  readonly isFolded?: true | undefined;
}

/** What changed, the worst first, and what could not be seen; what is unchanged is left out. */
export function changeGroups(view: ComparisonView): readonly ChangeGroup[] {
  const { gate, result } = view;
  const judged = mostDoubtful(gate).filter((finding) => !hasTooFewRounds(finding));
  const groups = [
    sentences('Failed in head only', failedSentences(view), 'worse'),
    sentences('More errors', errorSentences(view, 'regressed'), 'worse'),
    sentences('No longer 0', errorSentences(view, 'regressed', true), 'worse'),
    sentences('Now 0', errorSentences(view, 'improved', true), 'better'),
    sentences('Answers changed', answerSentences(view, 'fails'), 'worse'),
    findings('Regressed', regressionsOf(gate), 'worse'),
    sentences('Over budget', budgetSentences(view), 'worse'),
    sentences('Answers changed', answerSentences(view, 'warns'), 'neutral'),
    findings('Accepted', gate.filter(isAccepted), 'neutral'),
    findings('More, below the threshold', belowThreshold(gate).counted, 'neutral'),
    findings('Slower, below the threshold', belowThreshold(gate).timed, 'neutral'),
    findings(
      'Improved',
      gate.filter(({ verdict }) => verdict === 'improved'),
      'better',
    ),
    firstOf(result.outcome === 'inconclusive' ? MOST : MOST_BESIDE_OTHERS, 'Inconclusive', judged),
    sentences('Not judged', notJudgedSentences(view), 'neutral'),
    sentences('Not gating', varyingSentences(view), 'neutral'),
    { ...sentences('Not seen at this tier', notSeenSentences(view), 'neutral'), isFolded: true as const },
    firstOf(MOST, 'Not gating, changed', watchedChanges(result.findings)),
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

/** What is inconclusive matters most if that is the outcome. */
const MOST_BESIDE_OTHERS = 3;

function watchedChanges(found: readonly Finding[]): readonly Finding[] {
  const watched = found.filter(({ family }) => family === 'watch');
  const other = watched.filter(({ verdict }) => verdict === 'slower-within-limit' || verdict === 'improved');
  return [...watched.filter(({ verdict }) => verdict === 'regressed'), ...other];
}

/** Which services, or which of their rows, have too few rounds; nothing if that is the headline. */
function notJudgedSentences(view: ComparisonView): readonly string[] {
  const unjudged = view.result.findings.filter(hasTooFewRounds);
  const isHeadline = unjudged.length === view.result.findings.length;
  return view.result.rounds.flatMap(({ service, kept }) => {
    const own = unjudged.filter(({ cell }) => cell.service === service);
    const rows = own.map(({ cell, metric }) => comparisonLabel(view, cell, metric)).join(', ');
    const fewest = Math.min(...own.map(({ rounds }) => rounds));
    const some = `: ${cleanText(rows, MOST_ROWS)} could be compared in ${fewest} of ${kept} rounds`;
    const has = kept < FEWEST_ROUNDS ? ` has ${counted(kept, 'round')}` : some;
    const sentence = `${cleanText(view.labels.service(service), MOST_NAME)}${has}, and a verdict needs ${FEWEST_ROUNDS}.`;
    return own.length === 0 || isHeadline ? [] : [sentence];
  });
}

/** What noise hid of each service, and which changes it would not have hidden; then what the load tool hid. */
function notSeenSentences(view: ComparisonView): readonly string[] {
  const hidden = view.result.findings.filter((finding) => isNotSeen(finding) && !isCounted(finding.metric));
  const byNoise = [...new Set(hidden.map(({ cell }) => cell.service))].map((service) => {
    const own = hidden.filter(({ cell }) => cell.service === service);
    const rows = own.map((one) => {
      const size = one.detectable === undefined ? '' : ` (from ${seenFrom(one)})`;
      return `${comparisonLabel(view, one.cell, one.metric)}${size}`;
    });
    return `${cleanText(view.labels.service(service), MOST_NAME)}: ${cleanText(rows.join(', '), MOST_ROWS)}.${sizesClause(own)}`;
  });
  const byLoadTool = view.result.uncompared.filter(isHiddenOnly);
  return [...byNoise, ...byLoadTool.map((one) => `${lossClause(view, one)}.`)];
}

/** What the sizes in brackets mean, and that some have none. */
function sizesClause(hidden: readonly Finding[]): string {
  const unsized = hidden.filter(({ detectable }) => detectable === undefined).length;
  if (unsized === hidden.length) {
    return ' With so few rounds, a change of any size may be missed.';
  }
  const rest = unsized === 0 ? '' : ' For a row without a size, a change of any size may be missed.';
  return ` A change of at least the size in brackets would have been detected.${rest}`;
}

/** Whether all that a loss takes of what may fail counts only if it can be seen. */
function isHiddenOnly({ rows, hidden = 0 }: Uncompared): boolean {
  return rows === 0 && hidden > 0;
}

/** What is counted and differs too much from start to start for its threshold. */
function varyingSentences(view: ComparisonView): readonly string[] {
  return view.result.findings
    .filter((finding) => isNotSeen(finding) && isCounted(finding.metric))
    .map(
      (finding) => `${cleanText(placeLabel(view, finding.cell, finding.metric), MOST_NAME)}: ${variesClause(finding)}.`,
    );
}

function variesClause({ noise }: Finding): string {
  return `varies by ${percentSize(noise.sd)}: not gating`;
}

const MOST_ROWS = 1000;

function failedSentences(view: ComparisonView): readonly string[] {
  const failed = view.result.uncompared.filter(({ reason }) => reason === 'head-failed');
  return failed.map((one) => `${failureClause(view, one)}.${adviceText(one)}`);
}

function errorSentences(view: ComparisonView, verdict: ErrorFinding['verdict'], isFigure = false): readonly string[] {
  const more = view.result.errors.filter((one) => one.verdict === verdict && (one.metric !== undefined) === isFigure);
  return more.map((one) => `${errorClause(view, one)}.`);
}

function answerSentences(view: ComparisonView, verdict: AnswerFinding['verdict']): readonly string[] {
  const changed = view.result.answers.filter((one) => one.verdict === verdict);
  return changed.map((one) => `${answerClause(view, one)}.`);
}

function budgetSentences(view: ComparisonView): readonly string[] {
  const over = view.result.budgets.filter(({ verdict }) => verdict === 'over');
  return over.map((one) => `${budgetClause(view, one)}.`);
}

function notComparedSentences(view: ComparisonView): readonly string[] {
  const lost = view.result.uncompared.filter((one) => one.reason !== 'head-failed' && !isHiddenOnly(one));
  return lost.map((one) => `${lossClause(view, one)}.${adviceText(one)}`);
}

/** What a reader must know of a finding besides its figures; plain text that is not yet escaped, may be empty. */
export function remark(finding: Finding): string {
  if (isAccepted(finding)) {
    const { why, until } = finding.accepted;
    return `${unended(why)}, until ${unended(until)}`;
  }
  // Why a service was not judged is said once, not in each of its rows.
  if (!isInconclusive(finding) || hasTooFewRounds(finding)) {
    return '';
  }
  if (isNotSeen(finding) && isCounted(finding.metric)) {
    return `it varies by ${percentSize(finding.noise.sd)}`;
  }
  if (isNotSeen(finding)) {
    return finding.detectable === undefined ? '' : `only changes of ${seenFrom(finding)} or more would be`;
  }
  return finding.moreRounds === undefined ? '' : moreRoundsClause(finding.moreRounds);
}
