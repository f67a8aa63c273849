import { ALL_OPERATIONS, isCounted } from '../../model/metric.ts';
import { ALL_TIERS, isGate, isIfSeen, isOfStart, type Policy } from '../../model/policy.ts';
import type { AnchorRecord } from '../../model/run/anchor.ts';
import { plannedCells } from '../../model/run/comparison.ts';
import { lostShards, type MeasuredShard } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { allocatedReadings, judgedAllocated } from '../counts/allocated.ts';
import { countedFindings, sharesOfAlpha } from '../counts/counted.ts';
import { countedReadings } from '../counts/figures.ts';
import { judgedGrowth } from '../counts/memory-growth.ts';
import { headCalls, judgedCalls } from '../counts/need-calls.ts';
import { uncountedServices } from '../counts/notes.ts';
import { headSizes, judgedSizes } from '../counts/sizes.ts';
import { driftAnswers } from '../drift/drift.ts';
import { looksAhead } from '../inference/detectable.ts';
import { looksFor } from '../inference/family-test.ts';
import { FEWEST_ROUNDS } from '../inference/location.ts';
import { budgetAnswers, errorAnswers, responseAnswers } from './absolute.ts';
import { withAcceptances } from './acceptances.ts';
import { comparedOf } from './compared.ts';
import { coverageOf, isFirstRun, isHole, isNothingToMeasure, isSettled, withWhatItTakes } from './coverage.ts';
import {
  type Compared,
  type ComparisonInput,
  type ComparisonResult,
  changeAnswer,
  evidenceIn,
  type Finding,
  type HeadReading,
  type Lost,
  lossAnswer,
  mayFail,
  type Uncompared,
} from './finding.ts';
import { findingsOf } from './findings.ts';
import type { Why } from './note.ts';

/** Comparison and its verdict, from which every report is made. */
export interface JudgedRun {
  readonly run: RunInRounds;
  readonly result: ComparisonResult;
}

export function judgedRun(run: RunInRounds): JudgedRun {
  return { run, result: judgeRun(run) };
}

/**
 * Verdict of head against base in a run, complete or not, by its own policy or another. Each shard of a merged run is tested by its own seed and
 * looks with its share of alpha, and the outcome covers all of them; a lost shard makes it incomplete.
 */
export function judgeRun(run: RunInRounds, policy: Policy = run.rounds.policy): ComparisonResult {
  const own = policyOfMeasured(policy, run);
  const { rounds: share } = sharesOfAlpha(run);
  const rules = policy === run.rounds.policy ? run.rounds.rules : undefined;
  const tested = testedRuns(run).map((part) => ({
    input: comparedOf(part.run, own),
    seed: part.run.seed,
    alpha: share / part.of,
  }));
  const growth = judgedGrowth(run, own);
  const judged = judgeAll(
    {
      tested,
      readings: [
        ...[...headCalls(run), ...countedReadings(run)],
        ...[...growth.readings, ...allocatedReadings(run), ...headSizes(run)],
      ],
      lost: [...lossesOfShards(run), ...uncountedServices(run)],
      responses: responseAnswers(run, own),
      counted: [
        ...[...countedFindings(run, own), ...judgedAllocated(run, own), ...judgedCalls(run, own)],
        ...[...judgedSizes(run, own), ...growth.findings],
      ],
      anchor: run.rounds.anchor,
      areVersions: run.rounds.versus === undefined,
      identical: run.rounds.identical?.map(({ service }) => service) ?? [],
    },
    own,
  );
  return rules === undefined ? judged : { ...judged, rules };
}

/**
 * Verdict of head against base: one for every comparison, and the outcome by the policy. Pure: the same input, policy and seed always give the same
 * result. If nothing changed, the probability that any comparison that may fail a pull request is called a regression is at most alpha; errors add a
 * tenth of alpha for each cell, budgets and the other family do not count. docs/statistics.md describes the rule.
 */
export function judgeComparison(input: ComparisonInput, policy: Policy, seed: number): ComparisonResult {
  const result = judgeAll({ tested: [{ input, seed, alpha: 1 }] }, policy);
  return input.interleaved === false ? { ...result, interleaved: false } : result;
}

interface Testing {
  readonly input: ComparisonInput;
  readonly seed: number;
  /** Its share of the alpha of the policy. */
  readonly alpha: number;
}

interface Whole {
  readonly tested: readonly Testing[];
  /** Losses outside the tested parts. */
  readonly lost?: readonly Lost[];
  readonly responses?: ReturnType<typeof responseAnswers>;
  /** For budgets of metrics that no round measures. */
  readonly readings?: readonly HeadReading[];
  /** Findings from counts, independent of rounds and looks. */
  readonly counted?: readonly Finding[];
  readonly anchor?: AnchorRecord | undefined;
  /** True if versions of a service are compared, not services with each other. */
  readonly areVersions?: boolean;
  /** Services whose versions run the same files. */
  readonly identical?: readonly string[];
}

function judgeAll(whole: Whole, policy: Policy): ComparisonResult {
  const { tested, responses, counted = [], identical = [], anchor } = whole;
  const { areVersions = true } = whole;
  // Less than all of alpha if parts were lost.
  const share = tested.reduce((sum, { alpha }) => sum + alpha, 0);
  const parts = tested.map((testing) => testPart(testing, policy, areVersions));
  const inputs = tested.map(({ input }) => input);
  const timed = parts.flatMap(({ findings }) => findings);
  const { findings, notes: acceptanceNotes } = withAcceptances([...counted, ...timed], policy, inputs[0]?.day);
  const errors = errorAnswers(tested, { alpha: policy.alpha * Math.min(1, share) });
  const readings = [...inputs.flatMap((input) => input.readings), ...(whole.readings ?? [])];
  const budgets = budgetAnswers(readings, policy);
  const lost = [...(whole.lost ?? []), ...inputs.flatMap((input) => input.lost)];
  const uncompared = lost.map(({ takes, ...one }) => ({ ...one, ...gateRowsOf(takes, policy) }));
  const rounds = inputs.flatMap((input) => input.rounds);
  const notes = [
    ...inputs.flatMap((input) => input.notes),
    ...acceptanceNotes,
    ...budgets.notes,
    ...(responses?.notes ?? []),
    ...errors.notes,
  ];
  const answers = [
    ...uncompared.map(lossAnswer),
    ...errors.answers,
    ...(responses?.answers ?? []),
    ...findings.map(changeAnswer),
    ...budgets.answers,
    ...(anchor === undefined ? [] : driftAnswers(findings, anchor, policy)),
  ];
  const outcome = outcomeOf({ answers, identical }, policy);
  return {
    outcome,
    exitCode: outcome === 'inconclusive' && policy.inconclusive === 'fail' ? 1 : EXIT_CODES[outcome],
    answers,
    coverage: coverageOf({ answers }),
    ...(anchor !== undefined && { isAnchored: true }),
    rounds,
    ...(identical.length > 0 && { identical }),
    notes,
    remarks: inputs.flatMap((input) => input.remarks),
    alpha: policy.alpha,
    gateSize: timed.filter(mayFail).length,
    looks: [...new Set(parts.flatMap((part) => part.looks))].sort((left, right) => left - right),
  };
}

/**
 * Families of a part, with the looks that their rounds reached. For versions, each has an equal share of its alpha (Bonferroni), since any of them
 * fails the pull request. Services are separate questions, and fail nothing.
 */
function testPart({ input, seed, alpha }: Testing, policy: Policy, areVersions: boolean) {
  const shares = areVersions ? Math.max(1, input.families.length) : 1;
  const share = { ...policy, alpha: (policy.alpha * alpha) / shares };
  const families = input.families.map((family) => {
    const compared = input.compared.filter(({ cell }) => (family.service ?? cell.service) === cell.service);
    const reached = reachedBy(compared);
    const looks = looksFor(input.looks, reached, family.isFinal);
    const ahead = looksAhead(family.isFinal ? [] : input.looks, reached);
    return { looks, findings: findingsOf(compared, { policy: share, looks, seed, ahead }) };
  });
  return {
    looks: families.flatMap(({ looks }) => looks.map(({ rounds }) => rounds)),
    findings: families.flatMap(({ findings }) => findings),
  };
}

function gateRowsOf(takes: Lost['takes'], policy: Policy): Pick<Uncompared, 'rows' | 'hidden'> {
  const gating = takes.filter((one) => isGate(policy, one, one.gate));
  const hidden = gating.filter((one) => isIfSeen(policy, one, one.ifSeen)).length;
  return { rows: gating.length - hidden, ...(hidden > 0 && { hidden }) };
}

/**
 * True if a service may stop at a look: if the outcome is known, since a comparison of any service is a regression that is not accepted or has more
 * errors; or if every comparison of its own that may fail a pull request is below its threshold with its whole interval, except those that noise
 * hides (`isHidden`), or nothing of it is compared. Stopping then can hide a slowdown, but raises no alarm. Rounds do not change counts.
 */
export function isDecided(result: ComparisonResult, service: string): boolean {
  const isRed = result.answers.some(({ by, fails }) => fails && (by === 'change' || by === 'errors'));
  const own = evidenceIn(result, 'change').filter(({ cell, metric }) => cell.service === service && !isCounted(metric));
  const gating = own.filter(({ family }) => family === 'gate');
  // Nothing is compared where both versions fail, and more rounds would not change that.
  return isRed || own.length === 0 || (gating.length > 0 && gating.every(isSettled));
}

/** Rounds of every service; one with too few for a verdict does not delay the others. */
function reachedBy(compared: readonly Compared[]): number {
  const enough = compared.map(({ base }) => base.length).filter((rounds) => rounds >= FEWEST_ROUNDS);
  return enough.length === 0 ? 0 : Math.min(...enough);
}

type OutcomeBasis = Pick<ComparisonResult, 'answers' | 'identical'>;

/** Outcome by the policy. A comparison that should have been made and is missing makes it inconclusive, even if all others passed. */
function outcomeOf(judged: OutcomeBasis, policy: Policy): ComparisonResult['outcome'] {
  const failing = judged.answers.filter(({ fails }) => fails);
  if (failing.length > 0) {
    return failing.some(({ by }) => by === 'loss') ? 'failed' : 'regressed';
  }
  if (isFirstRun(judged) || isNothingToMeasure(judged)) {
    return 'passed';
  }
  if (isUnjudged(judged) || evidenceIn(judged, 'loss').some(({ reason }) => reason === 'shard-lost')) {
    return 'incomplete';
  }
  return isOpen(judged) && policy.inconclusive !== 'pass' ? 'inconclusive' : 'passed';
}

const EXIT_CODES = { passed: 0, inconclusive: 0, regressed: 1, failed: 1, incomplete: 2 } as const;

/** True if no gating comparison was judged, though there should be some. Counts do not replace rounds, nor memory lost loads. */
function isUnjudged(result: OutcomeBasis): boolean {
  const all = evidenceIn(result, 'change');
  const hasHole = evidenceIn(result, 'loss').some(isHole);
  const own = hasHole ? all.filter(({ metric }) => !isOfStart(metric)) : all;
  const timed = own.filter(({ metric }) => !isCounted(metric));
  const findings = timed.length > 0 ? timed : own;
  const enough = findings.filter(({ reason }) => reason !== 'too-few-rounds');
  const isAllWatched = findings.length > 0 && !findings.some(mayFail);
  return isAllWatched && !hasHole ? enough.length === 0 : !enough.some(mayFail);
}

/** Rows hidden by noise cannot fail; if all are hidden, nothing passed. */
function isOpen(result: OutcomeBasis): boolean {
  const [findings, uncompared] = [evidenceIn(result, 'change'), evidenceIn(result, 'loss')];
  const gate = findings.filter(({ family }) => family === 'gate');
  const isHiding = uncompared.some(({ hidden = 0 }) => hidden > 0);
  const isAllHidden =
    gate.every(({ metric }) => isOfStart(metric)) && (isHiding || findings.some(({ reason }) => reason === 'not-seen'));
  return isAllHidden || gate.some(({ verdict }) => verdict === 'inconclusive') || uncompared.some(isHole);
}

/**
 * Parts of a run that are tested separately, each with the seed and the end of its own job, in the order of the shards; all have the day of the
 * whole. A run without shards is one part. Alpha is divided evenly (Bonferroni).
 */
function testedRuns(run: RunInRounds): readonly { readonly run: RunInRounds; readonly of: number }[] {
  const { shards } = run.rounds;
  if (shards?.kind !== 'merged') {
    return [{ run, of: shards?.of ?? 1 }];
  }
  return shards.measured.map((one) => {
    const services = new Set(shards.services[one.index - 1]);
    return { run: sliceOf(run, one, services), of: shards.of };
  });
}

function sliceOf(run: RunInRounds, { seed, ended }: MeasuredShard, services: ReadonlySet<string>): RunInRounds {
  const { base, head, rounds } = run.rounds;
  const isOwn = (name: string) => services.has(name);
  return {
    ...run,
    seed,
    rounds: {
      ...run.rounds,
      base: { ...base, services: base.services.filter(isOwn) },
      head: { ...head, services: head.services.filter(isOwn) },
      rounds: rounds.filter(({ service }) => isOwn(service)),
      ended,
    },
    samples: run.samples.filter(({ cell }) => isOwn(cell.service)),
  };
}

/** Policy without lines about services of other shards and identical services, which would match nothing. */
function policyOfMeasured(policy: Policy, { rounds: { shards, identical = [], base } }: RunInRounds): Policy {
  const elsewhere = shards?.kind === 'shard' ? shards.services.filter((_, place) => place + 1 !== shards.index) : [];
  const others = new Set([...elsewhere.flat(), ...identical.map(({ service }) => service)]);
  const isNothing = identical.length > 0 && base.services.length === 0;
  const isOwn = ({ service }: { readonly service?: string | undefined }) =>
    service === undefined ? !isNothing : !others.has(service);
  return { ...policy, accepted: policy.accepted.filter(isOwn), budgets: policy.budgets.filter(isOwn) };
}

/**
 * Services of a merged comparison without a verdict because of their shard: its file is missing, or its job was ended before they had enough
 * rounds.
 */
function lossesOfShards(run: RunInRounds): readonly Lost[] {
  const { shards } = run.rounds;
  const planned = plannedCells(run);
  const loss = (service: string, detail: Why): Lost => {
    const cell = { suite: run.suite.name, service, operation: ALL_OPERATIONS, tier: ALL_TIERS };
    return withWhatItTakes({ cell, reason: 'shard-lost', detail }, planned(service));
  };
  const absent = lostShards(shards).flatMap(({ index, of, services }) =>
    services.map((service) => loss(service, { kind: 'shard', shard: { index, of }, isCutShort: false })),
  );
  const measured = shards?.kind === 'merged' ? shards.measured : [];
  const short = measured
    // It ended neither by a look nor by the plan.
    .filter(({ ended }) => ended === 'interrupted' || ended === 'running' || ended === 'budget')
    .flatMap(({ index }) =>
      (shards?.services[index - 1] ?? [])
        .filter((service) => lacksRounds(run, service))
        .map((service) => loss(service, { kind: 'shard', shard: { index, of: shards?.of ?? 1 }, isCutShort: true })),
    );
  return [...absent, ...short];
}

function lacksRounds({ rounds: { base, head, rounds } }: RunInRounds, service: string): boolean {
  const own = rounds.filter((round) => round.service === service);
  const kept = own.filter(({ outcome }) => outcome === 'kept').length;
  const isFailing = own.some(({ outcome }) => outcome === 'failed');
  return base.services.includes(service) && head.services.includes(service) && !isFailing && kept < FEWEST_ROUNDS;
}
