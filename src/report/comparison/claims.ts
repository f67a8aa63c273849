import { counted, formatShare, significant } from '../../foundation/numbers.ts';
import { cleanText, wordList } from '../../foundation/text.ts';
import { FEWEST_ROUNDS } from '../../judge/inference/location.ts';
import {
  type Answer,
  type BudgetFinding,
  type ChangedResponse,
  type ErrorFinding,
  type Finding,
  isRegression,
  type Uncompared,
  worseness,
} from '../../judge/verdict/finding.ts';
import { fewestRounds } from '../../model/rounds.ts';
import type { PolicyChangeRecord } from '../../model/run/rounds.ts';
import { driftClause } from '../stored/drift.ts';
import { detailText } from '../views/losses.ts';
import { bySureness, causesOf, changeClause } from './causes.ts';
import type { ComparisonView } from './view.ts';
import { metricWord, placeLabel, serviceName, valueText, whereClause } from './words.ts';

/** Reason that a pull request fails, as a clause without a period. */
export interface Claim {
  /** Short form for a title. */
  readonly title: string;
  readonly text: string;
  /** Answer that shows it best. */
  readonly answer: Answer;
}

const TITLES: Readonly<Record<Answer['by'], string>> = {
  loss: 'Failed in head only',
  errors: 'Regression',
  response: 'Responses changed',
  change: 'Regression',
  budget: 'Over budget',
  drift: 'Drift',
};

/** Everything that fails a pull request, the most important first: failures of head, errors, responses, regressions, budgets, drift. */
export function claimsOf(view: ComparisonView): readonly Claim[] {
  const causes = causesOf(view).filter(({ verdict }) => verdict === 'regressed');
  const failing = view.result.answers.filter(({ fails }) => fails);
  const claim = (answer: Answer, text = clauseOf(view, answer)) => ({ title: TITLES[answer.by], text, answer });
  const order: readonly Answer['by'][] = ['loss', 'errors', 'response', 'change', 'budget', 'drift'];
  return order.flatMap((by) => {
    const own = failing.filter((answer) => answer.by === by);
    // Figures that changed in one place count as one change.
    return by === 'change'
      ? causes.flatMap((cause) => {
          const answer = own.find(({ of }) => of === cause.findings[0]);
          return answer === undefined ? [] : [claim(answer, changeClause(view, cause))];
        })
      : own.map((answer) => claim(answer));
  });
}

/** An answer in one clause. */
export function clauseOf(view: ComparisonView, answer: Answer): string {
  switch (answer.by) {
    case 'loss':
      return answer.fails ? failureClause(view, answer.of) : lossClause(view, answer.of);
    case 'errors':
      return errorClause(view, answer.of);
    case 'response':
      return responseClause(view, answer.of);
    case 'change':
      return changeClause(view, { findings: [answer.of] });
    case 'budget':
      return budgetClause(view, answer.of);
    case 'drift':
      return driftClause(view, answer, view.run?.rounds.anchor?.name ?? 'the anchor');
  }
}

/** Regressions that are not accepted, the one most surely over its threshold first. */
export function regressionsOf(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(isRegression).toSorted(bySureness);
}

/** Inconclusive findings, the one that may hide the largest slowdown first. */
export function mostDoubtful(findings: readonly Finding[]): readonly Finding[] {
  return findings
    .filter(({ verdict }) => verdict === 'inconclusive')
    .toSorted((left, right) => dread(right) - dread(left));
}

/** Largest slowdown in the interval, in thresholds; the estimate without an interval. */
function dread({ better, change, threshold }: Finding): number {
  const end = better === 'lower' ? change.high : change.low;
  return worseness({ better }, end ?? change.estimate) / threshold;
}

/** Limit of an untrusted text, so that the line has room for the rest. */
const MAX_CLAUSE = 240;

/** Failure of head only, for use after words that say so: "REST at 500 users (it exited in 2 rounds)". */
function failureClause(view: ComparisonView, loss: Uncompared): string {
  const { cell } = loss;
  const detail = detailText(loss, view.run);
  const place = cleanText(`${view.labels.service(cell.service)}${whereClause(view, cell)}`, MAX_CLAUSE);
  return detail === '' ? place : `${place} (${unended(detail)})`;
}

/** Fix for a failure, to follow its sentence; empty if its output already has it. */
export function adviceText({ printed = '', next }: Uncompared): string {
  return printed.trim() !== '' || next === undefined ? '' : ` ${cleanText(next, 700)}`;
}

const LOSS_WORDS: Readonly<Record<Uncompared['reason'], string>> = {
  new: 'new',
  gone: 'gone',
  'head-failed': 'failed in head',
  'base-failed': 'failed in base',
  missing: 'figures missing',
  'not-positive': 'figures not above zero',
  'left-out': 'could not be read',
  'both-failed': 'failed in both versions',
  'unknown-direction': 'no direction',
  invalid: 'too many errors',
  'generator-limited': 'load tool at its limit',
  'shard-lost': 'shard lost',
};

/** Details that do not themselves name what is missing. */
const NEEDS_WORDS: ReadonlySet<string> = new Set(['failed', 'unkept', 'uncounted']);

/** Missing comparisons, with the reason: "gRPC, 500 users: the load tool was at its limit in 7 of 10 rounds". */
export function lossClause(view: ComparisonView, loss: Uncompared): string {
  const { cell, metric, reason } = loss;
  const detail = detailText(loss, view.run);
  const place = cleanText(placeLabel(view, cell, metric), MAX_CLAUSE);
  const needed = reason === 'missing' ? REQUESTS_OF_TAIL.get(metric ?? '') : undefined;
  const why = needed === undefined ? '' : `; it needs ${needed} answers in each round: ${MORE_ANSWERS}`;
  const text = `${unended(detail)}${why}`;
  if (typeof loss.detail !== 'string' && !NEEDS_WORDS.has(loss.detail.kind)) {
    return `${place}: ${text}`;
  }
  return `${place}: ${LOSS_WORDS[reason]}${detail === '' ? '' : ` (${text})`}`;
}

/** Responses that a tail quantile requires: with fewer it would equal the maximum. */
const REQUESTS_OF_TAIL: ReadonlyMap<string, number> = new Map([
  ['latencyP90Ms', 10],
  ['latencyP95Ms', 20],
  ['latencyP99Ms', 100],
  ['latencyP999Ms', 1000],
]);

const MORE_ANSWERS = 'give the operation more `weight` or the tier more users, or use a longer profile';

/** Number of rounds that a verdict needs: an interrupted comparison is judged only from its first planned test on. */
export function roundsNeeded({ run }: ComparisonView): number {
  const { ended, profile } = run?.rounds ?? {};
  const isUnplanned = ended === 'interrupted' || ended === 'running';
  return Math.max(FEWEST_ROUNDS, isUnplanned && profile !== undefined ? fewestRounds(profile) : 0);
}

/** Number of rounds beyond any budget: the noise has to be reduced in another way. */
const HOPELESS_ROUNDS = 100;

/** Number of further rounds that would decide a comparison; the estimate may be below its present rounds. */
export function moreRoundsClause(rounds: number): string {
  if (rounds > HOPELESS_ROUNDS) {
    return 'more rounds would not help';
  }
  return rounds < 1 ? 'a few more rounds would do' : `about ${counted(rounds, 'more round')} would do`;
}

/** Foreign text without its period, for the middle of a sentence. */
export function unended(text: string): string {
  return cleanText(text, MAX_CLAUSE).replace(/\.$/, '');
}

/** Line of a comparison whose base has none of the services. */
export function firstRunLine({ run, labels, losses }: ComparisonView): string {
  const added = losses.filter(({ reason }) => reason === 'new').map(({ cell }) => cell.service);
  const names = [...new Set(added)].slice(0, MAX_SERVICES).map((service) => serviceName({ labels }, service));
  const what = run?.rounds.base.adopted === 'no-configuration' ? 'Wiregauge' : wordList(names);
  return `First run: this pull request adds ${what}. The next one gets a verdict`;
}

/** Both error rates, and the probability that chance explains the difference; for a figure that was or became 0: "allocations 0 → 3 allocs/op". */
function errorClause(view: ComparisonView, finding: ErrorFinding): string {
  const { cell, metric, unit = '', baseRate, headRate, p } = finding;
  if (metric !== undefined) {
    const [before, now] = [baseRate, headRate].map((value) => significant(value, Number.isInteger(value) ? 0 : 2));
    const figures = `${placeLabel(view, cell, metric)}: ${before} → ${now}${unit === '' ? '' : ` ${unit}`}`;
    return `${cleanText(figures, MAX_CLAUSE)}${p === 0 ? '' : ` (${chanceText(p)})`}`;
  }
  const service = view.labels.service(cell.service);
  const rates = `fails ${formatShare(headRate)} of its requests${whereClause(view, cell)}`;
  return `${cleanText(`${service} ${rates}`, MAX_CLAUSE)} (base ${formatShare(baseRate)}, ${chanceText(p)})`;
}

function chanceText(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(3)}`;
}

function budgetClause(view: ComparisonView, { cell, metric, limit, found }: BudgetFinding): string {
  const service = view.labels.service(cell.service);
  const place = cleanText(`${service}'s ${metricWord(metric)}${whereClause(view, cell)}`, MAX_CLAUSE);
  const side = found > limit ? 'over' : 'under';
  return `${place} is ${valueText(metric, found)}, ${side} the budget of ${valueText(metric, limit)}`;
}

/** Operation whose responses changed: "GetUser {"id":1}, at $.users[0].extra (REST; 3 of 10 requests)". */
function responseClause(
  { labels }: ComparisonView,
  { operation, services, arguments: requested, path, requests, changedRequests }: ChangedResponse,
): string {
  const request = `${labels.operation(operation)} ${cleanText(requested, 80)}`;
  const names = wordList(
    services.map((name) => serviceName({ labels }, name)),
    MAX_SERVICES,
  );
  const count = requests > 1 ? `; ${changedRequests} of ${counted(requests, 'request')}` : '';
  return cleanText(`${request}, at ${cleanText(path, 160)} (${names}${count})`, 500);
}

const MAX_SERVICES = 3;

/** Policy that judged, if it is not the base's alone, and the head's changes to it. */
export function policySentences({ result: { rules } }: Pick<ComparisonView, 'result'>): readonly string[] {
  if (rules === undefined) {
    return [];
  }
  const { file, pending, applied, accepted, load = [] } = rules;
  const own = load.filter(({ what }) => OF_VERSION.test(what));
  const said = (changes: readonly PolicyChangeRecord[], what: string, effect: string) =>
    changes.length === 0 ? [] : [`This pull request ${what}: ${changesText(changes)}.${effect}`];
  const by = accepted && ` ${cleanText(accepted.by, 80)} applied it by the ${cleanText(accepted.how, 80)}.`;
  return [
    ...(file === undefined ? [] : [`The policy file ${cleanText(file, 200)} judges, over the policy of the base.`]),
    ...said(pending, 'changes the policy', ' It applies after the merge.'),
    ...said(accepted?.changes ?? [], 'changes the policy', by ?? ''),
    ...said(applied, 'makes the policy stricter, which applies already', ''),
    ...said(
      load.filter((change) => !own.includes(change)),
      'changes what is measured',
      ' Until the merge, load, profile, budget and fail-on are those of the base.',
    ),
    ...said(own, 'changes requests or services', ' Each version is measured with its own.'),
  ];
}

const OF_VERSION = /^(?:request|arguments|limits|cores|headers|needs) of /;

function changesText(changes: readonly PolicyChangeRecord[]): string {
  const texts = changes.map(({ metric, what, from, to }) => {
    const place = metric === undefined ? what : `${metricWord(metric)} ${what}`.trim();
    return cleanText(`${place} ${from} → ${to}`, 200);
  });
  return wordList(texts, 8);
}
