import { counted, NO_FIGURE } from '../../foundation/numbers.ts';
import { ADVISORY_RUNS, FIRM_RUNS, isSlowdown } from '../../judge/stored/bound.ts';
import {
  type HistoryComparison,
  type HistoryVerdict,
  type JudgedByHistory,
  type MoreErrors,
  type StoredRunCount,
  suspicionsOf,
} from '../../judge/stored/comparison.ts';
import { ALL_OPERATIONS, type CellKey, formatMetric } from '../../model/metric.ts';
import { ALL_TIERS } from '../../model/policy.ts';
import {
  allowedText,
  countLines,
  runsText,
  sizeText,
  storedChangeText,
  storedVerdictWords,
  subjectOf,
} from '../comparison/stored-words.ts';
import type { Standing } from '../document.ts';
import { type About, aboutOf } from './about.ts';
import { startOf } from './facts.ts';
import { operationLabel, type RunView, serviceLabel, tierLabel } from './run-view.ts';
import { metricLabel } from './service-comparison.ts';

/** The heads of the columns of a row. */
export const AGAINST_COLUMNS = ['metric', 'expected', 'now', 'change', 'explained up to', 'verdict'] as const;

/** One comparison with the past, as texts that are not yet escaped. */
export interface StoredRow {
  readonly about: About;
  readonly place: string;
  /** In the order of AGAINST_COLUMNS. */
  readonly texts: readonly string[];
}

/** The comparisons of a run with its past: what stands out, everything over all operations, and each operation alone. */
export interface StoredRows {
  readonly suspicious: readonly StoredRow[];
  readonly whole: readonly StoredRow[];
  readonly operations: readonly StoredRow[];
}

/** The rows of a run's comparison with its past, in the order of its cells. */
export function storedRows(view: RunView, { verdicts }: HistoryComparison): StoredRows {
  const isWhole = (verdict: HistoryVerdict) => subjectOf(verdict).cell.operation === ALL_OPERATIONS;
  const rows = (chosen: readonly HistoryVerdict[]) => chosen.map((verdict) => rowOf(view, verdict));
  return {
    suspicious: rows(verdicts.filter(isSuspicious)),
    whole: rows(verdicts.filter(isWhole)),
    operations: rows(verdicts.filter((verdict) => !isWhole(verdict))),
  };
}

function rowOf(view: RunView, verdict: HistoryVerdict): StoredRow {
  const { cell, metric } = subjectOf(verdict);
  const label = metric === undefined ? NO_FIGURE : metricLabel(metric);
  return {
    about: aboutOf(view.run, { services: [cell.service], tier: cell.tier, metric, isChanged: isSuspicious(verdict) }),
    place: placeText(view, cell),
    texts: [label, ...figuresOf(verdict), storedVerdictWords(verdict)],
  };
}

/** Undefined if it was not judged. */
function isSuspicious(verdict: HistoryVerdict): boolean | undefined {
  return 'standing' in verdict ? verdict.standing === 'suspicious' : undefined;
}

function figuresOf(verdict: HistoryVerdict): readonly string[] {
  if (verdict.kind === 'unmeasured') {
    return [NO_FIGURE, NO_FIGURE, NO_FIGURE, NO_FIGURE];
  }
  const { metric, before, now } = verdict.comparison;
  return [
    before === undefined ? NO_FIGURE : formatMetric(metric, before),
    formatMetric(metric, now),
    storedChangeText(verdict.comparison),
    'standing' in verdict ? allowedText(verdict) : NO_FIGURE,
  ];
}

/** Comparisons that a sentence names; the table has all of them. */
const MOST_NAMED = 3;

/** How a run stands against its past: the verdict, then what to do. */
export function storedVerdict(view: RunView, against: HistoryComparison): readonly string[] {
  const isJudged = against.verdicts.some(({ kind }) => kind === 'judged' || kind === 'errors');
  return [
    headline(view, against),
    ...confirmation(against),
    ...unlikeLines(against),
    ...(isJudged ? [] : [nextLine(against)]),
  ];
}

/** What that comes to: a suspicion is not yet a regression. Undefined if nothing was judged. */
export function storedStanding(against: HistoryComparison): Standing | undefined {
  if (suspicionsOf(against).length > 0) {
    return 'open';
  }
  return ofKind(against, 'judged').length > 0 ? 'good' : undefined;
}

/** What belongs to it: what does not gate, what was not judged, slow drifts, and the runs that it was compared with. */
export function storedNotes(view: RunView, against: HistoryComparison): readonly string[] {
  return [
    ...countLines(against),
    ...watchedLines(view, against),
    ...openLines(against),
    ...driftLines(view, against),
    sourceLine(against),
  ];
}

/** Where a comparison was made, for example "REST", "REST, saturation" or "gRPC, 100 users, GetUser". */
export function placeText(view: RunView, { service, tier, operation }: CellKey): string {
  const load = tier === ALL_TIERS ? '' : `, ${tierLabel(view, tier)}`;
  const part = operation === ALL_OPERATIONS ? '' : `, ${operationLabel(view, operation)}`;
  return `${serviceLabel(view, service)}${load}${part}`;
}

function headline(view: RunView, against: HistoryComparison): string {
  const suspicions = suspicionsOf(against);
  const failing = suspicions.filter(({ kind }) => kind === 'errors');
  const slower = suspicions.filter(({ kind }) => kind === 'judged');
  const judged = ofKind(against, 'judged').filter(({ family }) => family === 'gate');
  if (suspicions.length > 0) {
    const verb = slower.length === 1 ? 'is' : 'are';
    const found = [
      ...(failing.length === 0 ? [] : [`more requests failed than the stored runs explain: ${named(view, failing)}.`]),
      ...(slower.length === 0
        ? []
        : [
            `${slower.length} of ${judged.length} comparisons ${verb} slower than the stored runs explain: ${named(view, slower)}.`,
          ]),
    ];
    return `Suspicious: ${found.join(' ')}`;
  }
  if (judged.length > 0) {
    return `Nothing suspicious in ${judged.length} comparisons with the stored runs. ${reach(judged)}`;
  }
  const advised = ofKind(against, 'advisory').filter(({ family }) => family === 'gate');
  return advised.length > 0 ? adviceLine(view, advised) : notJudged(against.past);
}

/** What could have been seen, and for how many comparisons that excludes a regression. */
function reach(judged: readonly JudgedByHistory[]): string {
  const sizes = judged.map(({ detectable }) => detectable);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)].map(sizeText);
  const cleared = judged.filter(({ standing }) => standing === 'within-bound').length;
  const range = least === most ? `of ${least}` : `of ${least} in the quietest and ${most} in the noisiest`;
  return `A slowdown ${range} would have been detected 9 times in 10; a regression is ruled out in ${cleared}, the others are inconclusive.`;
}

type Advisory = Extract<HistoryVerdict, { kind: 'advisory' }>;

function adviceLine(view: RunView, advised: readonly Advisory[]): string {
  const worse = advised.filter(({ standing }) => standing === 'suspicious');
  const reason = advised.some((verdict) => verdict.reason === 'few-rounds')
    ? 'this run has fewer than 3 rounds, or less than half of what the stored runs have'
    : `fewer than ${FIRM_RUNS} stored runs are comparable`;
  const found =
    worse.length === 0 ? 'nothing stands out' : `${worse.length} would be suspicious: ${named(view, worse)}`;
  return `Advice only, because ${reason}: of ${advised.length} comparisons ${found}.`;
}

/** What two kinds of machine differ in. */
const MACHINE = ['CPU model', 'CPU cores', 'kernel'];

function notJudged({ stored, onMachine, stratum, unlike }: StoredRunCount): string {
  if (unlike.length > 0 && unlike.every(({ differs }) => differs.some(({ what }) => MACHINE.includes(what)))) {
    const { cpuModel, cores, kernelMajor } = stratum;
    const machine = `${cpuModel}, ${counted(cores, 'core')}, kernel ${kernelMajor}`;
    return `Not judged: none of the ${runsText(stored)} before this one is of this kind of machine (${machine}), so only instruction counts are compared.`;
  }
  if (onMachine >= ADVISORY_RUNS) {
    return 'Not judged: the stored runs have too few of these figures.';
  }
  const count = `Collecting (${onMachine} of ${ADVISORY_RUNS} runs)`;
  if (stored === 0) {
    return `${count}: there is no stored run before this one, so nothing is judged yet.`;
  }
  return onMachine === 0
    ? `${count}: none of the ${runsText(stored)} before this one is comparable, so nothing is judged.`
    : `${count}: nothing is judged yet. Advice starts at ${ADVISORY_RUNS} runs, verdicts at ${FIRM_RUNS}; until then, differences are only shown.`;
}

/** Kinds of stored runs that sentences tell of. */
const MOST_UNLIKE = 3;

/** If no stored run is comparable: what differs, with both values, of the nearest first. */
function unlikeLines({ past: { unlike } }: HistoryComparison): readonly string[] {
  const lines = unlike.slice(0, MOST_UNLIKE).map(({ runs, newest, differs }, place) => {
    const what = differs
      .map(({ what: name, here, stored }) => `${name} ("${here}" here, "${stored}" there)`)
      .join('; ');
    return `${place === 0 ? 'Nearest: ' : ''}${runsText(runs)}, ${runs === 1 ? 'of' : 'newest of'} ${startOf(newest)}, with a different ${what}.`;
  });
  const left = unlike.slice(MOST_UNLIKE).reduce((sum, { runs }) => sum + runs, 0);
  return left === 0 ? lines : [...lines, `${left} more differ in at least as many ways.`];
}

function nextLine({ past, store }: HistoryComparison): string {
  return past.unlike.length === 0
    ? `Next: add this run to them: ${store}.`
    : `Next: measure in the same way as the nearest runs, or start collecting runs of this kind: ${store}.`;
}

function named(view: RunView, judged: readonly (JudgedByHistory | MoreErrors)[]): string {
  const names = judged.slice(0, MOST_NAMED).map((one) => {
    const { cell, metric } = one.comparison;
    return `${metricLabel(metric)} of ${placeText(view, cell)} ${storedChangeText(one.comparison)} (up to ${allowedText(one)} explained)`;
  });
  const more = judged.length - names.length;
  return `${names.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/** A suspicion is a warning: another machine or another day can do the same. */
function confirmation(against: HistoryComparison): readonly string[] {
  const { confirmationBase } = against;
  if (suspicionsOf(against).length === 0) {
    return [];
  }
  const how =
    confirmationBase === undefined
      ? 'compare it with a commit that was not suspicious'
      : `wiregauge compare --base ${confirmationBase.slice(0, 10)}`;
  return [`A suspicion is not proof. To confirm it on one machine: ${how}.`];
}

function watchedLines(view: RunView, against: HistoryComparison): readonly string[] {
  const worse = ofKind(against, 'judged').filter(
    ({ family, standing }) => family === 'watch' && standing === 'suspicious',
  );
  const failing = ofKind(against, 'errors').filter(({ family }) => family === 'watch');
  return [
    ...(failing.length === 0 ? [] : [`More failed requests, not gating: ${named(view, failing)}.`]),
    ...(worse.length === 0 ? [] : [`Slower, not gating: ${named(view, worse)}.`]),
  ];
}

/** What the first line says nothing about. */
function openLines(against: HistoryComparison): readonly string[] {
  const count = (kind: HistoryVerdict['kind']) => ofKind(against, kind).length;
  const open = count('collecting') + count('other-runner') + count('unmeasured');
  const advised = count('judged') > 0 ? count('advisory') : 0;
  return [
    ...(advised > 0 ? [`Advice only: ${counted(advised, 'further comparison')}; see the table for the reason.`] : []),
    ...(count('judged') + count('advisory') + count('errors') > 0 && open > 0
      ? [`Not judged: ${open} more; see the table for the reasons.`]
      : []),
  ];
}

function driftLines(view: RunView, against: HistoryComparison): readonly string[] {
  const drifts = [...ofKind(against, 'judged'), ...ofKind(against, 'advisory')].flatMap(({ comparison, drift }) =>
    drift !== undefined && isSlowdown(drift) ? [{ comparison, drift }] : [],
  );
  const names = drifts.slice(0, MOST_NAMED).map(({ comparison: { cell, metric }, drift }) => {
    const p = Number(drift.p.toPrecision(1));
    return `${metricLabel(metric)} of ${placeText(view, cell)} by ${sizeText(drift.per30Runs)} in 30 runs (sign test, p ${p})`;
  });
  const more = drifts.length - names.length;
  return names.length === 0
    ? []
    : [`Getting slowly worse over the stored runs: ${names.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`];
}

function sourceLine({ past: { stored, configured, onMachine, newest } }: HistoryComparison): string {
  const left = stored - configured;
  const counts = `${configured} before this one, ${onMachine} on this kind of machine${left > 0 ? `; ${left} with another configuration left out` : ''}`;
  const last =
    newest === undefined
      ? ''
      : ` Newest: ${startOf(newest)}, commit ${newest.commit?.slice(0, 10) ?? 'unknown'}, ${newest.note}.`;
  return `Stored runs: ${counts}.${last}`;
}

function ofKind<Kind extends HistoryVerdict['kind']>(
  { verdicts }: HistoryComparison,
  kind: Kind,
): readonly Extract<HistoryVerdict, { kind: Kind }>[] {
  return verdicts.filter((verdict): verdict is Extract<HistoryVerdict, { kind: Kind }> => verdict.kind === kind);
}
