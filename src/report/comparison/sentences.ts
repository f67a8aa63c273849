import { counted, formatDuration, formatShare, significant } from '../../foundation/numbers.ts';
import { cleanText, wordList } from '../../foundation/text.ts';
import { FEWEST_ROUNDS } from '../../judge/inference/location.ts';
import { isFirstRun, isHole, isNothingToMeasure } from '../../judge/verdict/coverage.ts';
import {
  type Answer,
  type BudgetFinding,
  type ChangedResponse,
  type ComparisonResult,
  type ErrorFinding,
  type Finding,
  isRegression,
  type Uncompared,
  worseness,
} from '../../judge/verdict/finding.ts';
import type { Faulty } from '../../judge/verdict/note.ts';
import { SATURATION } from '../../model/metric.ts';
import { isOfStart } from '../../model/policy.ts';
import { fewestRounds, mostRounds, type Side } from '../../model/rounds.ts';
import { referenceOf } from '../../model/run/comparison.ts';
import { type PolicyChangeRecord, shardText } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { anchoredLine, driftClause } from '../stored/drift.ts';
import { plantLine } from '../stored/plant.ts';
import { bySureness, type CauseVerdict, causeLabel, causesOf, changeClause } from './causes.ts';
import type { ComparisonView } from './view.ts';
import { metricWord, placeLabel, serviceName, unsignedChange, valueText, whereClause } from './words.ts';

/** Verdict in one line: "Regression: Books 10% slower (fastapi)". Plain text without escapes. */
export function headline(view: ComparisonView): string {
  return plantLine(view) ?? LINES[view.result.outcome](view);
}

const LINES: Readonly<Record<ComparisonResult['outcome'], (view: ComparisonView) => string>> = {
  passed: passedLine,
  regressed: failedLine,
  failed: failedLine,
  inconclusive: inconclusiveLine,
  incomplete: incompleteLine,
};

function failedLine(view: ComparisonView): string {
  const [first, ...others] = claimsOf(view);
  if (first === undefined) {
    return view.result.outcome === 'failed' ? 'Failed in head only' : 'Regression';
  }
  return `${first.title}: ${first.text}${others.length === 0 ? '' : `, and ${others.length} more`}`;
}

function passedLine(view: ComparisonView): string {
  const { gate, run, result } = view;
  if (run?.rounds.anchor !== undefined) {
    return `${anchoredLine(view, run.rounds.anchor.name)}.`;
  }
  if (isFirstRun(result)) {
    return `${firstRunLine(view)}.`;
  }
  if (isNothingToMeasure(result)) {
    return 'Nothing to measure: both versions run the same files.';
  }
  if (gate.length === 0) {
    return 'Nothing was compared that can fail a pull request.';
  }
  const [accepted, ...others] = causesOf(view).filter(({ verdict }) => verdict === 'accepted');
  const answers = result.answers.every(({ by }) => by !== 'response') ? '' : ', but responses changed';
  const [first] = accepted?.findings ?? [];
  const until = first?.accepted ? `, accepted until ${unended(first.accepted.until)}` : '';
  const line =
    accepted === undefined
      ? `No regression${answers}`
      : `No new regression${answers}: ${changeClause(view, accepted)}${until}${others.length === 0 ? '' : `, and ${others.length} more`}`;
  return [line, ...seenSentence(gate)].join('. ').concat('.');
}

/** Smallest slowdown that would have been detected in every service, from the least noisy figure of each. */
function seenSentence(gate: readonly Finding[]): readonly string[] {
  const timed = gate.filter(({ metric }) => !isOfStart(metric));
  const found = [...Map.groupBy(timed, ({ cell }) => cell.service).values()].map(quietest);
  const sizes = found.flatMap((one) => one?.detectable ?? []);
  if (sizes.length === 0 || sizes.length < found.length) {
    return [];
  }
  const metrics = [...new Set(found.map((one) => one?.metric ?? ''))];
  const what = metrics.length === 1 ? (SLOWDOWNS[metrics[0] ?? ''] ?? 'slowdown') : 'slowdown';
  return [`A ${unsignedChange(Math.max(...sizes))} ${what} would have been found`];
}

const SLOWDOWNS: Readonly<Record<string, string>> = {
  cpuMicrosPerRequest: 'CPU slowdown',
  instructionsPerRequest: 'increase in instructions',
};

/** CPU per request at saturation, the least noisy signal of a service, else the finding that detects the smallest change. */
function quietest(findings: readonly Finding[]): Finding | undefined {
  const seeing = findings.filter(({ detectable }) => detectable !== undefined);
  return (
    seeing.find(({ metric, cell }) => metric === 'cpuMicrosPerRequest' && cell.tier === SATURATION) ??
    seeing.toSorted((left, right) => (left.detectable ?? 0) - (right.detectable ?? 0))[0]
  );
}

function inconclusiveLine(view: ComparisonView): string {
  const causes = causesOf(view);
  const unproven = causes.find(({ verdict }) => verdict === 'unproven');
  if (unproven !== undefined) {
    return `Inconclusive: ${changeClause(view, unproven)}, not yet proven${roundsClause(view)}`;
  }
  const [first] = mostDoubtful(view.gate);
  if (first === undefined) {
    const lost = view.losses.find(isHole);
    return `Inconclusive: ${lost === undefined ? 'nothing was compared that can fail a pull request' : lossClause(view, lost)}`;
  }
  const cause =
    first.reason === 'too-few-rounds'
      ? `has only ${first.rounds} of ${counted(roundsNeeded(view), 'round')}`
      : 'is too noisy';
  return `Inconclusive: ${cleanText(causeLabel(view, first), 160)} ${cause}${roundsClause(view)}`;
}

function roundsClause(view: ComparisonView): string {
  const { run, gate } = view;
  const [first] = mostDoubtful(gate);
  if (first?.moreRounds === undefined) {
    return '';
  }
  const profile = run?.rounds.profile;
  const longer = LONGER.get(profile?.name ?? '');
  // A forecast alone does not help if all rounds of the profile were measured.
  const isFinished = profile !== undefined && first.rounds >= mostRounds(profile);
  const next = longer !== undefined && isFinished ? `: use --profile ${longer}` : '';
  // A verdict needs a test, even if fewer rounds would show the change.
  return `; ${moreRoundsClause(Math.max(first.moreRounds, roundsNeeded(view) - first.rounds))}${next}`;
}

const LONGER: ReadonlyMap<string, string> = new Map([
  ['smoke', 'quick'],
  ['quick', 'thorough'],
  ['standard', 'thorough'],
]);

function incompleteLine(view: ComparisonView): string {
  const { findings, losses, result } = view;
  const lost = lostShardsClause(view);
  if (lost !== undefined) {
    return `Incomplete: ${lost}`;
  }
  if (!findings.some(({ reason }) => reason === 'too-few-rounds')) {
    const others = losses.filter(({ reason }) => reason !== 'head-failed');
    const first = others.find(isHole) ?? others[0];
    return `Not judged: ${first === undefined ? 'nothing could be compared' : lossClause(view, first)}`;
  }
  const kept = result.rounds.map((one) => `${serviceName(view, one.service)} has ${one.kept}`);
  const has = kept.length === 0 ? '' : `${wordList(kept)}; `;
  return `Not judged: too few rounds (${has}a verdict needs ${roundsNeeded(view)})`;
}

/** Services whose shard was lost, for the middle of a line; undefined if none was. */
function lostShardsClause(view: ComparisonView): string | undefined {
  const lost = view.losses.filter(({ reason }) => reason === 'shard-lost');
  const names = [...new Set(lost.map(({ cell }) => serviceName(view, cell.service)))];
  const which = wordList(names, 3);
  return names.length === 0
    ? undefined
    : `${which} ${names.length === 1 ? 'is not judged: its shard was' : 'are not judged: their shards were'} lost`;
}

const COUNT_WORDS: readonly (readonly [CauseVerdict, string])[] = [
  ['regressed', 'regressed'],
  ['accepted', 'accepted'],
  ['unproven', 'not yet proven'],
  ['slower-within-limit', 'slower, below the threshold'],
  ['improved', 'improved'],
  ['not-gating', 'regressed, not gating'],
  ['unchanged', 'unaffected'],
  ['too-noisy', 'too noisy'],
  ['too-few-rounds', 'not judged'],
];

/** Services that were not measured because both versions run the same files; empty if none. */
export function identicalLines(view: ComparisonView): readonly string[] {
  const names = (view.result.identical ?? []).map((service) => serviceName(view, service));
  const which = names.length > 20 ? `${names.length} services` : wordList(names);
  const verb = names.length === 1 ? 'runs' : 'run';
  return names.length === 0 ? [] : [`Not measured: ${which} ${verb} the same files in both versions.`];
}

/** Numbers of verdicts on services at a load, and the time: "1 regressed · 7 unaffected · 3 too noisy · 4 min". */
export function countsLine(view: ComparisonView): string {
  const { answers, identical = [] } = view.result;
  const causes = causesOf(view);
  const isPlant = view.run?.rounds.plant !== undefined;
  const count = (verdict: CauseVerdict) => causes.filter((cause) => cause.verdict === verdict).length;
  const errored = answers.filter(({ by, fails }) => by === 'errors' && fails).length;
  const places = (reasons: (one: Uncompared) => boolean) =>
    new Set(view.losses.filter(reasons).map(({ cell }) => JSON.stringify([cell.service, cell.tier]))).size;
  const counts: readonly (readonly [number, string])[] = [
    [places(({ reason }) => reason === 'head-failed'), 'failed'],
    [errored, 'with more errors'],
    ...COUNT_WORDS.map(
      ([verdict, words]) => [count(verdict), isPlant && verdict === 'regressed' ? 'found' : words] as const,
    ),
    [places((one) => isHole(one) && one.reason !== 'head-failed'), 'not measured'],
    [identical.length, 'identical'],
    [places(({ reason }) => reason === 'new'), 'new'],
    [places(({ reason }) => reason === 'gone'), 'gone'],
  ];
  const seconds = view.run?.spent.totalSeconds;
  return [
    ...counts.filter(([size]) => size > 0).map(([size, words]) => `${size} ${words}`),
    ...(seconds === undefined ? [] : [seconds < 60 ? formatDuration(seconds) : `${Math.round(seconds / 60)} min`]),
  ].join(' · ');
}

/** Reason that a pull request fails, as a clause without a period. */
export interface Claim {
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
function lossClause(view: ComparisonView, loss: Uncompared): string {
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
function firstRunLine({ run, labels, losses }: ComparisonView): string {
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

/** Reason that something was not compared, as a clause; for compared services with their names. */
export function detailText({ cell, detail }: Pick<Uncompared, 'cell' | 'detail'>, run?: RunInRounds): string {
  if (typeof detail === 'string') {
    return detail;
  }
  const versus = run?.rounds.versus;
  const nameOf = (side: Side) =>
    versus === undefined ? `the ${side}` : side === 'base' ? referenceOf(versus, cell.service) : cell.service;
  const namesOf = (sides: readonly Side[]) =>
    sides.length > 1 && versus === undefined ? 'both versions' : wordList(sides.map(nameOf));
  switch (detail.kind) {
    case 'not-in':
      return `the ${detail.side} does not have it`;
    case 'failed':
      return `${detail.isAdopted ? 'the base fails with the configuration of the head: ' : ''}${detail.rounds === undefined ? '' : `${detail.rounds} rounds failed: `}${detail.said}`;
    case 'unkept':
      return `none of ${counted(detail.rounds, 'round')} was kept, ${detail.failed} failed${detail.said === undefined ? '' : `: ${detail.said}`}`;
    case 'in-no-round':
      return `missing in all rounds of ${detail.sides.length > 1 ? 'both versions' : namesOf(detail.sides)}`;
    case 'holes':
      return `${detail.of === 'missing' ? 'missing' : 'not above 0'} in ${detail.count} of ${counted(detail.rounds, 'round')}`;
    case 'shard':
      return `shard ${shardText(detail.shard)} ${detail.isCutShort ? 'ended before it had enough rounds' : 'has no run.json'}`;
    case 'uncounted':
      return `${detail.side} could not be counted: ${detail.said}`;
    default:
      return faultText(detail, nameOf, namesOf);
  }
}

function faultText(fault: Faulty, nameOf: (side: Side) => string, namesOf: (sides: readonly Side[]) => string): string {
  const rounds = `in ${fault.count} of ${counted(fault.rounds, 'round')}`;
  const disturbed = fault.isDisturbed ? ', while other programs took over 10% of a core' : '';
  if (fault.kind === 'errors') {
    return `over 1% of the requests failed in ${namesOf(fault.sides)} ${rounds}${disturbed}`;
  }
  const { more, isBeyond, isCpuLeft } = fault;
  const whose = more && ` (of ${nameOf('head')} in ${more.head}, of ${nameOf('base')} in ${more.base})`;
  const beyond = isBeyond ? ': a load tool on one core cannot fill the core of this service' : '';
  const left = isCpuLeft ? '; CPU per request is still compared' : '';
  return `the load tool was at its limit ${rounds}${whose ?? ''}${disturbed}${beyond}${left}`;
}
