import { counted, formatDuration } from '../../foundation/numbers.ts';
import { cleanText, wordList } from '../../foundation/text.ts';
import { isFirstRun, isHole, isNothingToMeasure } from '../../judge/verdict/coverage.ts';
import type { ComparisonResult, Finding, Uncompared } from '../../judge/verdict/finding.ts';
import { SATURATION } from '../../model/metric.ts';
import { isOfStart } from '../../model/policy.ts';
import { mostRounds } from '../../model/rounds.ts';
import { anchoredLine } from '../stored/drift.ts';
import { plantLine } from '../stored/plant.ts';
import { type CauseVerdict, causeLabel, causesOf, changeClause } from './causes.ts';
import { claimsOf, firstRunLine, lossClause, moreRoundsClause, mostDoubtful, roundsNeeded, unended } from './claims.ts';
import { lostShardsClause } from './rounds.ts';
import type { ComparisonView } from './view.ts';
import { serviceName, unsignedChange } from './words.ts';

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
  const services = [...new Set(timed.map(({ cell }) => cell.service))];
  const found = services.map((service) => quietest(timed.filter(({ cell }) => cell.service === service)));
  const sizes = found.flatMap((one) => one?.detectable ?? []);
  if (sizes.length === 0 || sizes.length < services.length) {
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
  const cause = first.reason === 'too-few-rounds' ? `has only ${first.rounds} of ${counted(roundsNeeded(view), 'round')}` : 'is too noisy';
  return `Inconclusive: ${cleanText(causeLabel(view, first), 160)} ${cause}${roundsClause(view)}`;
}

function roundsClause({ run, gate }: ComparisonView): string {
  const [first] = mostDoubtful(gate);
  if (first?.moreRounds === undefined) {
    return '';
  }
  const profile = run?.rounds.profile;
  const longer = LONGER.get(profile?.name ?? '');
  // A forecast alone does not help if all rounds of the profile were measured.
  const isFinished = profile !== undefined && first.rounds >= mostRounds(profile);
  const next = longer !== undefined && isFinished ? `: use --profile ${longer}` : '';
  return `; ${moreRoundsClause(first.moreRounds)}${next}`;
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
