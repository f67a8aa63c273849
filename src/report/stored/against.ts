import { counted, formatChange, NO_FIGURE } from '../../foundation/numbers.ts';
import { cleanText } from '../../foundation/text.ts';
import { ADVISORY_RUNS, type BoundVerdict, FIRM_RUNS, isSlowdown } from '../../judge/stored/bound.ts';
import {
  type HistoryComparison,
  type HistoryVerdict,
  type JudgedByHistory,
  type MoreErrors,
  type StoredComparison,
  type StoredRunCount,
  suspicionsOf,
  type Unmeasured,
} from '../../judge/stored/comparison.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { ALL_OPERATIONS, type CellKey, errorRateChange, errorRateText, formatMetric } from '../../model/metric.ts';
import { ALL_TIERS } from '../../model/policy.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { ComparisonView } from '../comparison/view.ts';
import { type Block, claimBlocks, fold, list, type Section, type Status, type Table } from '../document.ts';
import { aboutOf } from '../views/about.ts';
import { startOf } from '../views/facts.ts';
import { operationLabel, type RunView, serviceLabel, tierLabel, viewRun } from '../views/run-view.ts';
import { metricLabel } from '../views/service-comparison.ts';

/** The verdict of a run against its stored past, for the top of its report. */
export function storedVerdictBlocks(view: RunView, against: HistoryComparison | undefined): readonly Block[] {
  return against === undefined ? [] : claimBlocks(storedVerdict(view, against));
}

/** The run against its stored past: what is suspicious first, then all comparisons. */
export function baselineSections(
  view: RunView,
  against: HistoryComparison | undefined,
  verdict: readonly Block[] = [],
): readonly Section[] {
  if (against === undefined) {
    return [];
  }
  const table = (caption: string, isShown: (verdict: HistoryVerdict) => boolean) =>
    againstTable(view, against.verdicts.filter(isShown), caption);
  const isWhole = (one: HistoryVerdict) => subjectOf(one).cell.operation === ALL_OPERATIONS;
  const whole = table('Against the baseline, all operations', isWhole);
  const notes = [...countLines(against), sourceLine(against), `The baseline is ${against.file}.`];
  return [
    {
      id: 'baseline',
      title: 'Against the baseline',
      blocks: [
        ...verdict,
        list(notes),
        { ...table('Suspicious compared with the baseline', isSuspicious), only: ['markdown', 'html'] },
        { ...whole, only: ['terminal', 'brief'] },
        {
          ...fold(
            'Against the baseline, comparison by comparison',
            whole,
            table('Against the baseline, each operation alone', (one) => !isWhole(one)),
          ),
          only: ['markdown', 'html'],
        },
      ],
    },
  ];
}

function againstTable(view: RunView, verdicts: readonly HistoryVerdict[], caption: string): Table {
  // A terminal has no room for all.
  const only = ['markdown', 'html'] as const;
  return {
    kind: 'table',
    caption,
    columns: [
      '',
      { text: 'metric', isText: true },
      { text: 'expected', only },
      { text: 'now', only },
      'change',
      { text: 'explained up to', only },
      { text: 'verdict', isText: true },
    ],
    rows: verdicts.map((verdict) => {
      const { cell, metric } = subjectOf(verdict);
      const isChanged = 'standing' in verdict ? isSuspicious(verdict) : undefined;
      return {
        head: placeText(view, cell),
        about: aboutOf(view.run, { services: [cell.service], tier: cell.tier, metric, isChanged }),
        cells: [metric === undefined ? NO_FIGURE : metricLabel(metric), ...figuresOf(verdict), verdictWords(verdict)],
      };
    }),
  };
}

function isSuspicious(verdict: HistoryVerdict): boolean {
  return 'standing' in verdict && verdict.standing === 'suspicious';
}

function figuresOf(verdict: HistoryVerdict): readonly string[] {
  if (verdict.kind === 'unmeasured') {
    return [NO_FIGURE, NO_FIGURE, NO_FIGURE, NO_FIGURE];
  }
  const { metric, before, now } = verdict.comparison;
  return [
    before === undefined ? NO_FIGURE : formatMetric(metric, before),
    formatMetric(metric, now),
    changeText(verdict.comparison),
    'standing' in verdict ? allowedText(verdict) : NO_FIGURE,
  ];
}

const MOST_NAMED = 3;

/** Verdict on a run against its past, then the next step. */
export function storedVerdict(view: RunView, against: HistoryComparison): readonly string[] {
  const isJudged = against.verdicts.some(({ kind }) => kind === 'judged' || kind === 'errors');
  return [
    headline(view, against),
    ...confirmation(against),
    ...unlikeLines(against),
    ...(isJudged ? [] : [nextLine(against)]),
  ];
}

/** Conclusion: a suspicion is not yet a regression. Undefined if nothing was judged. */
export function storedStatus(against: HistoryComparison): Status | undefined {
  if (suspicionsOf(against).length > 0) {
    return 'open';
  }
  return ofKind(against, 'judged').length > 0 ? 'good' : undefined;
}

/** Where a comparison was made, for example "REST", "REST, saturation" or "gRPC, 100 users, GetUser". */
function placeText(view: RunView, { service, tier, operation }: CellKey): string {
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

/** Smallest detectable change, and the number of comparisons for which that excludes a regression. */
function reach(judged: readonly JudgedByHistory[]): string {
  const sizes = judged.map(({ detectable }) => detectable);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)].map(sizeText);
  const cleared = judged.filter(({ standing }) => standing === 'within-bound').length;
  const range = least === most ? `of ${least}` : `of ${least} in the quietest and ${most} in the noisiest`;
  return `A slowdown ${range} would have been detected 9 times in 10; a regression is ruled out in ${cleared}, the others are inconclusive.`;
}

function adviceLine(view: RunView, advised: readonly Extract<HistoryVerdict, { kind: 'advisory' }>[]): string {
  const worse = advised.filter(({ standing }) => standing === 'suspicious');
  const reason = advised.some((verdict) => verdict.reason === 'few-rounds')
    ? 'this run has fewer than 3 rounds, or less than half of what the stored runs have'
    : `fewer than ${FIRM_RUNS} stored runs are comparable`;
  const found = worse.length === 0 ? 'nothing unusual' : `${worse.length} would be suspicious: ${named(view, worse)}`;
  return `Advice only, because ${reason}: of ${advised.length} comparisons ${found}.`;
}

/** Differences of two kinds of machine. */
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
    return `${metricLabel(metric)} of ${placeText(view, cell)} ${changeText(one.comparison)} (up to ${allowedText(one)} explained)`;
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

const STANDINGS: Readonly<Record<BoundVerdict, string>> = {
  suspicious: 'suspicious',
  'within-bound': 'no regression',
  inconclusive: 'inconclusive',
};

const UNMEASURED: Readonly<Record<Unmeasured['reason'], string>> = {
  new: 'not in the baseline',
  gone: 'in the baseline, but not in this run',
  failed: 'failed in this run',
  missing: 'missing in this run',
  failing: 'too many of its requests failed, so its figures are not comparable',
  saturated: 'saturated, so its figures are not comparable',
  'generator-limited': 'the load tool was at its limit, so only CPU per request is compared',
};

const ADVICE: Readonly<Record<Extract<HistoryVerdict, { kind: 'advisory' }>['reason'], string>> = {
  'few-runs': `fewer than ${FIRM_RUNS} runs`,
  'few-rounds': 'too few rounds',
};

/** Never more than the verdict allows. */
function verdictWords(verdict: HistoryVerdict): string {
  switch (verdict.kind) {
    case 'judged':
    case 'errors':
      return judgedWords(verdict);
    case 'advisory':
      return `advice only: ${judgedWords(verdict)} (${ADVICE[verdict.reason]})`;
    case 'collecting':
      return `collecting, not judged: ${verdict.runs} of ${ADVISORY_RUNS} runs`;
    case 'other-runner':
      return 'not judged: all runs are from another kind of machine';
    case 'stated':
      return 'shown, not judged';
    case 'unmeasured':
      return `unmeasured: ${UNMEASURED[verdict.reason]}${verdict.runs === 0 ? '' : `; ${runsText(verdict.runs)} of the baseline have it`}`;
  }
}

function judgedWords(judged: JudgedByHistory | MoreErrors): string {
  const { standing, family } = judged;
  const gating = standing === 'suspicious' && family === 'watch' ? ', not gating' : '';
  if (!('detectable' in judged)) {
    return `${STANDINGS[standing]}${gating}`;
  }
  const { detectable, drift } = judged;
  const seen = standing === 'inconclusive' ? `, detects slowdowns of ${sizeText(detectable)} or more` : '';
  const slower =
    drift !== undefined && isSlowdown(drift)
      ? `; slowly worse by ${sizeText(drift.per30Runs)} in 30 runs (sign test, p ${Number(drift.p.toPrecision(1))})`
      : '';
  return `${STANDINGS[standing]}${gating}${seen}${slower}`;
}

/** The cell and, but for a cell as a whole, the metric that a verdict is about. */
function subjectOf(verdict: HistoryVerdict): {
  readonly cell: CellKey;
  readonly metric?: StoredComparison['metric'] | undefined;
} {
  return verdict.kind === 'unmeasured' ? verdict : verdict.comparison;
}

/** The change alone, for example "+4.2%"; of an error rate both shares, and a change from zero has no percentage. */
function changeText({ metric, before, now, change }: StoredComparison): string {
  if (metric === 'errorRate' && before !== undefined) {
    return errorRateChange(before, now);
  }
  if (change !== undefined) {
    return formatChange(change);
  }
  return before === undefined ? NO_FIGURE : `from 0 to ${formatMetric(metric, now)}`;
}

/** How far from the expected value an unchanged run may be, for example "+4.2%"; of an error rate the largest, for example "5%". */
function allowedText(verdict: JudgedByHistory | MoreErrors): string {
  if ('limit' in verdict) {
    return errorRateText(verdict.limit);
  }
  const { comparison, bound } = verdict;
  const { before } = comparison;
  return before === undefined || before === 0 ? NO_FIGURE : formatChange(bound / before - 1);
}

function sizeText(slowdown: number): string {
  return formatChange(slowdown).replace('+', '');
}

function runsText(runs: number): string {
  return counted(runs, 'run');
}

/** Instructions per request against stored counts, by the run that has these, and why others cannot be compared. */
function countLines({ counts }: HistoryComparison): readonly string[] {
  const compared = counts.flatMap(({ service, change, commit }) =>
    change === undefined ? [] : [`${service} ${formatChange(change)} since ${commit?.slice(0, 7) ?? 'no commit'}`],
  );
  const others = counts.flatMap(({ service, differs }) =>
    differs.length === 0 ? [] : [`${service} with a different ${differs.join(', ')}`],
  );
  return [
    ...(compared.length === 0 ? [] : [`Instructions per request: ${compared.join(', ')}.`]),
    ...(others.length === 0 ? [] : [`Stored instruction counts that cannot be compared: ${others.join('; ')}.`]),
  ];
}

const SHORT_COMMIT = 7;

/** How the head of a comparison compares with stored runs, in one line: the verdict, and the instructions that it executes. */
export function baselineSentence(run: RunInRounds, against: HistoryComparison): string {
  const [verdict = ''] = storedVerdict(viewRun(run), against);
  const newest = against.past.newest ?? against.past.unlike[0]?.newest;
  const commit = newest?.commit?.slice(0, SHORT_COMMIT) ?? 'no commit';
  const when = newest === undefined ? '' : `, ${startOf(newest)}`;
  return [`Against the stored baseline of ${commit}${when}: ${verdict}`, ...countLines(against)].join(' ');
}

const OUTCOMES: Readonly<Record<ComparisonResult['outcome'], string>> = {
  passed: 'no regression',
  regressed: 'a regression',
  failed: 'the head failed',
  inconclusive: 'inconclusive',
  incomplete: 'nothing was judged',
};

/** Lines on what the head was judged against; none without stored runs in a folder. */
export function againstLines({ run, result }: ComparisonView): readonly string[] {
  const { baseline, base } = run?.rounds ?? {};
  if (baseline === undefined) {
    return [];
  }
  const commit = base?.commit?.slice(0, SHORT_COMMIT) ?? 'the working tree';
  return [`Against base ${commit}: ${OUTCOMES[result.outcome]}.`, cleanText(baseline, MOST_LENGTH)];
}

const MOST_LENGTH = 900;
