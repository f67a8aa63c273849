import { counted } from '../../foundation/numbers.ts';
import { cleanText, wordList } from '../../foundation/text.ts';
import { FEWEST_ROUNDS } from '../../judge/inference/location.ts';
import { isHole } from '../../judge/verdict/coverage.ts';
import {
  type AcceptedRegression,
  type ComparisonResult,
  type Finding,
  hasTooFewRounds,
  type InconclusiveFinding,
  isAccepted,
  isNotSeen,
  type Uncompared,
} from '../../judge/verdict/finding.ts';
import { isFirstRun } from '../../judge/verdict/judge.ts';
import { isCounted, SATURATION } from '../../model/metric.ts';
import { mostRounds } from '../../model/rounds.ts';
import { anchoredLine } from '../stored/drift.ts';
import {
  belowThreshold,
  type Claim,
  changeClause,
  changedAnswersClause,
  claimsOf,
  firstRunLine,
  lossClause,
  moreRoundsClause,
  mostDoubtful,
  regressionsOf,
  unended,
  unseenName,
} from './claims.ts';
import { lostShardsClause } from './shards.ts';
import type { ComparisonView } from './view.ts';
import { intervalClause, isUnproven, metricWord, placeLabel, seenFrom } from './words.ts';

/** Several services are named before the line says only that there are more. */
const MOST_SERVICES = 3;

/** One line: what was found, how sure it is, and what could not be seen. Plain text that is not yet escaped. */
export function headline(view: ComparisonView): string {
  const line = OUTCOMES[view.result.outcome](view);
  const changed = changedAnswersClause(view);
  if (changed === undefined) {
    return `${line}.`;
  }
  // Of what passes it is the news, and nothing may come before it.
  return view.result.outcome === 'passed'
    ? `Answers changed: ${changed}. ${line}.`
    : `${line}; answers changed: ${changed}.`;
}

const OUTCOMES: Readonly<Record<ComparisonResult['outcome'], (view: ComparisonView) => string>> = {
  passed: passedLine,
  regressed: failedLine,
  failed: failedLine,
  inconclusive: inconclusiveLine,
  incomplete: incompleteLine,
};

const CLAIM_WORDS: Readonly<Record<Claim['kind'], string>> = {
  failed: 'Failed in head only',
  answers: 'Answers changed',
  regressed: 'Regression',
  'over-budget': 'Over budget',
  drift: 'Drift',
};

function failedLine(view: ComparisonView): string {
  const [first, ...others] = claimsOf(view);
  const word = view.result.outcome === 'failed' ? CLAIM_WORDS.failed : CLAIM_WORDS.regressed;
  const claim = first === undefined ? word : `${CLAIM_WORDS[first.kind]}: ${first.text}`;
  const more = others.length === 0 ? '' : `, and ${counted(others.length, 'more finding')}`;
  return clauses([`${claim}${more}`, ...unseenClauses(view)]);
}

function passedLine(view: ComparisonView): string {
  const { gate, run } = view;
  if (run?.rounds.anchor !== undefined) {
    return anchoredLine(view, run.rounds.anchor.name);
  }
  if (isFirstRun(view.result)) {
    return firstRunLine(view);
  }
  const accepted = gate.filter(isAccepted);
  const within = gate.length - accepted.length - mostDoubtful(view.gate).length;
  if (gate.length === 0) {
    return clauses(['No gating comparison was made', ...coverageClauses(view), ...watchedClause(view)]);
  }
  const first = accepted[0];
  const found =
    first === undefined
      ? underClause(within)
      : `No new regression: ${acceptedClause(view, first)}${accepted.length > 1 ? `, and ${accepted.length - 1} more accepted` : ''}`;
  return clauses([
    found,
    ...belowClauses(view),
    ...countClause([...gate, ...view.result.errors], 'improved', 'improved'),
    ...watchedClause(view),
    ...unseenClauses(view),
    seenClause(view),
  ]);
}

/** Those that are inconclusive are not among them. */
function underClause(within: number): string {
  return within === 0 ? 'No regression found' : `No regression in ${counted(within, 'comparison')}`;
}

function acceptedClause(view: ComparisonView, finding: AcceptedRegression): string {
  const { until, why } = finding.accepted;
  return `${changeClause(view, finding)}, accepted until ${unended(until)} (${unended(why)})`;
}

function inconclusiveLine(view: ComparisonView): string {
  const [first, ...others] = mostDoubtful(view.gate);
  if (first === undefined) {
    const found = view.gate.length === 0 ? 'no gating comparison was made' : notSlower(view);
    return clauses([`Inconclusive: ${found}`, ...coverageClauses(view)]);
  }
  const place = cleanText(placeLabel(view, first.cell, first.metric), 160);
  const which = others.length === 0 ? place : `mainly ${place}`;
  const cause = hasTooFewRounds(first) ? `only ${counted(first.rounds, 'round')}` : `noise ${first.noise.level}`;
  const count = inconclusiveClause(view);
  const policy = view.result.exitCode === 1 ? ['the policy fails inconclusive results'] : [];
  const rest = `${count} (${which}: ${cause}${roundsClause(view, first)})`;
  return clauses([
    ...(unprovenClause(view) ?? [`Inconclusive: ${notSlower(view)}, but ${rest}`]),
    ...policy,
    ...coverageClauses(view),
  ]);
}

/** What is over its threshold with all of its interval, though not surely enough; undefined without such. */
function unprovenClause(view: ComparisonView): readonly string[] | undefined {
  const [first, ...others] = mostDoubtful(view.gate).filter(isUnproven);
  if (first === undefined) {
    return undefined;
  }
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  const evidence = `${intervalClause(first)}, ${counted(first.rounds, 'round')}${roundsClause(view, first)}`;
  return [
    `Inconclusive: worse, not yet proven: ${changeClause(view, first)} (${evidence})${more}`,
    inconclusiveClause(view),
  ];
}

/** What still holds, without denying what was found. */
function notSlower({ gate }: ComparisonView): string {
  if (gate.some(isAccepted)) {
    return 'no proven regression other than accepted ones';
  }
  return gate.some(({ verdict }) => verdict === 'slower-within-limit')
    ? 'no proven slowdown beyond its limit'
    : 'no proven slowdown';
}

function roundsClause({ run }: ComparisonView, { moreRounds, rounds }: InconclusiveFinding): string {
  if (moreRounds === undefined) {
    return '';
  }
  const clause = moreRoundsClause(moreRounds);
  const profile = run?.rounds.profile;
  const longer = profile === undefined ? undefined : LONGER.get(profile.name);
  // A forecast alone does not help if all rounds of the profile were played.
  const isPlayedOut = profile !== undefined && rounds >= mostRounds(profile);
  const what = longer !== undefined && isPlayedOut ? `, but ${profile?.name} has no more: use --profile ${longer}` : '';
  return `; ${clause}${what}`;
}

/** The profile with more rounds, or longer ones. */
const LONGER: ReadonlyMap<string, string> = new Map([
  ['smoke', 'quick'],
  ['quick', 'thorough'],
  ['standard', 'thorough'],
]);

function incompleteLine(view: ComparisonView): string {
  const { findings, rounds } = view.result;
  const [lost] = lostShardsClause(view);
  if (lost !== undefined) {
    const rest = findings.length === 0 ? 'nothing else could be compared' : `otherwise ${notSlower(view)}`;
    return clauses([`Incomplete: ${lost}`, rest, ...unseenClauses(view, [])]);
  }
  if (!findings.some(hasTooFewRounds)) {
    return `Not judged: nothing could be compared${lossesClause(view)}`;
  }
  const kept = rounds.map((one) => `${cleanText(view.labels.service(one.service), 80)} has ${one.kept}`);
  const has = kept.length === 0 ? '' : `${wordList(kept)}; `;
  return `Not judged: too few rounds (${has}a verdict needs ${FEWEST_ROUNDS})`;
}

/** Losses that leave a question open go before those that say that there was none. */
function lossesClause(view: ComparisonView): string {
  const lost = view.result.uncompared.filter(({ reason }) => reason !== 'head-failed');
  const first = lost.find(isHole) ?? lost[0];
  const more = lost.length > 1 ? `, and ${lost.length - 1} more` : '';
  return first === undefined ? '' : ` (${lossClause(view, first)}${more})`;
}

function unseenClauses(view: ComparisonView, lost = lostShardsClause(view)): readonly string[] {
  const told = mostDoubtful(view.gate).length === 0 ? [] : [inconclusiveClause(view)];
  return [...lost, ...told, ...coverageClauses(view)];
}

/** "1 of 8 comparisons is inconclusive". */
function inconclusiveClause({ gate }: ComparisonView): string {
  const count = mostDoubtful(gate).length;
  return `${count} of ${counted(gate.length, 'comparison')} ${count === 1 ? 'is' : 'are'} inconclusive`;
}

function watchedClause({ result }: ComparisonView): readonly string[] {
  const count = regressionsOf(result.findings.filter(({ family }) => family === 'watch')).length;
  return count === 0 ? [] : [`${counted(count, 'non-gating row')} regressed`];
}

/** What surely got worse by less than its threshold: of what is counted the first by its figure, of the rest how many. */
function belowClauses(view: ComparisonView): readonly string[] {
  const below = belowThreshold(view.gate);
  const [first, ...others] = below.counted;
  const rest = others.length === 0 ? '' : `, and ${others.length} more`;
  return [
    ...(first === undefined ? [] : [`more, below the threshold: ${changeClause(view, first)}${rest}`]),
    ...countClause(below.timed, 'slower-within-limit', 'slower, below the threshold'),
  ];
}

function countClause(
  findings: readonly { readonly verdict: string }[],
  verdict: Finding['verdict'],
  words: string,
): readonly string[] {
  const count = findings.filter((finding) => finding.verdict === verdict).length;
  return count === 0 ? [] : [`${count} ${words}`];
}

/** From which change on the quietest signal of each service would have shown a slowdown. */
function seenClause(view: ComparisonView): string {
  const services = [...new Set(view.gate.map(({ cell }) => cell.service))];
  const signals = services.flatMap(
    (service) => quietest(view.gate.filter(({ cell }) => cell.service === service)) ?? [],
  );
  const parts = signals.slice(0, MOST_SERVICES).map((finding, index) => {
    const metric = metricWord(finding.metric);
    const isSame = index > 0 && metricWord(signals[index - 1]?.metric ?? '') === metric;
    const service = cleanText(view.labels.service(finding.cell.service), 80);
    return `${seenFrom(finding)}${isSame ? '' : ` ${cleanText(metric, 80)}`} (${service})`;
  });
  return parts.length === 0 ? 'smallest detectable change: unknown' : `smallest detectable change: ${wordList(parts)}`;
}

/** CPU per request at saturation, the least noisy signal of a service, else the finding that sees the smallest change. */
function quietest(findings: readonly Finding[]): Finding | undefined {
  const seeing = findings.filter(({ detectable }) => detectable !== undefined);
  return (
    seeing.find(({ metric, cell }) => metric === 'cpuMicrosPerRequest' && cell.tier === SATURATION) ??
    seeing.toSorted((left, right) => (left.detectable ?? 0) - (right.detectable ?? 0))[0]
  );
}

function clauses(parts: readonly string[]): string {
  return parts.join('; ');
}

/** What is named before the line says only how much more there is. */
const MOST_NAMED = 3;

/** How much was seen of what may fail a pull request, and what was not: one sentence without a full stop. */
export function coverageSentence(view: ComparisonView): string {
  const { rows } = view.result.coverage;
  const some = `${rows === 1 ? 'The' : `All ${rows}`} gating ${rows === 1 ? 'row was' : 'rows were'} seen`;
  const all = rows === 0 ? 'there are no gating rows' : some;
  const [first = all, ...others] = coverageClauses(view);
  const noise = view.result.findings.filter((finding) => isNotSeen(finding) && !isCounted(finding.metric)).length;
  const loadTool = view.result.uncompared.reduce((sum, { hidden = 0 }) => sum + hidden, 0);
  return [
    `${first.slice(0, 1).toUpperCase()}${first.slice(1)}`,
    ...others,
    ...hiddenClause(noise, 'because of noise'),
    ...hiddenClause(loadTool, 'because the load tool was at its limit'),
  ].join('; ');
}

function hiddenClause(count: number, why: string): readonly string[] {
  return count === 0 ? [] : [`${counted(count, 'more row')} at tiers ${count === 1 ? 'was' : 'were'} not seen, ${why}`];
}

/** The same for the middle of a line; nothing if all was seen. A lost shard is told apart. */
export function coverageClauses(view: ComparisonView): readonly string[] {
  const { coverage, uncompared } = view.result;
  const { rows, seen } = coverage;
  const concerned = uncompared.filter((one) => one.rows > 0);
  const holes = concerned.filter((one) => isHole(one) && one.reason !== 'head-failed' && one.reason !== 'shard-lost');
  const others = concerned.filter((one) => !isHole(one));
  return [
    ...(seen < rows ? [`${seen} of ${counted(rows, 'gating row')} seen`] : []),
    ...(holes.length > 0 ? [`not seen: ${namesOf(view, holes)}`] : []),
    ...(others.length > 0 ? [`in one version only: ${namesOf(view, others)}`] : []),
  ];
}

function namesOf(view: ComparisonView, found: readonly Uncompared[]): string {
  const names = found.slice(0, MOST_NAMED).map((one) => unseenName(view, one));
  const more = found.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
