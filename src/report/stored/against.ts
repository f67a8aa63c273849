import { counted, formatChange, NO_FIGURE } from '../../foundation/numbers.ts';
import { cleanText, shortCommit } from '../../foundation/text.ts';
import { ADVISORY_RUNS, type BoundVerdict, FIRM_RUNS, isSlowdown } from '../../judge/stored/bound.ts';
import {
  type HistoryComparison,
  type HistoryVerdict,
  isFirm,
  type JudgedByHistory,
  type MoreErrors,
  type StoredComparison,
  type StoredRunCount,
  suspicionsOf,
  type Unmeasured,
} from '../../judge/stored/comparison.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { ALL_OPERATIONS, type CellKey, errorRateChange, errorRateText, formatMetric } from '../../model/metric.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { ComparisonView } from '../comparison/view.ts';
import { metricWord, placeLabel, unsignedChange } from '../comparison/words.ts';
import { type Block, claimBlocks, fold, list, type Section, type Status, type Table } from '../document.ts';
import { aboutOf } from '../views/about.ts';
import { startOf } from '../views/facts.ts';
import { type RunView, viewRun } from '../views/run-view.ts';

/** Verdict of a run against its stored past, for the top of its report. */
export function storedVerdictBlocks(view: RunView, against: HistoryComparison | undefined): readonly Block[] {
  return against === undefined ? [] : claimBlocks(storedVerdict(view, against));
}

/** Run against its stored past: suspicions first, then all comparisons. */
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
  return [
    {
      id: 'baseline',
      title: 'Against the baseline',
      blocks: [
        ...verdict,
        list([...countLines(against), sourceLine(against)]),
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
    isCaptioned: true,
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
      const isChanged = 'status' in verdict ? isSuspicious(verdict) : undefined;
      return {
        head: placeLabel(view, cell, undefined),
        about: aboutOf(view.run, { services: [cell.service], tier: cell.tier, metric, isChanged }),
        cells: [metric === undefined ? NO_FIGURE : metricWord(metric), ...figuresOf(verdict), verdictWords(verdict)],
      };
    }),
  };
}

function isSuspicious(verdict: HistoryVerdict): boolean {
  return 'status' in verdict && verdict.status === 'suspicious';
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
    'status' in verdict ? allowedText(verdict) : NO_FIGURE,
  ];
}

/** Verdict on a run against its past, then the next step. */
export function storedVerdict(view: RunView, against: HistoryComparison): readonly string[] {
  const { verdicts, past, store, confirmationBase } = against;
  const firm = verdicts.filter(isFirm);
  const suspicious = suspicionsOf(against).toSorted(
    (left, right) => Number('bound' in left) - Number('bound' in right),
  );
  const judged = verdicts.filter((one) => one.kind === 'judged').filter(({ family }) => family === 'gate');
  const advised = verdicts.filter((one) => one.kind === 'advisory').filter(({ family }) => family === 'gate');
  const [first] = advised;
  if (suspicious.length > 0) {
    const how =
      confirmationBase === undefined
        ? 'compare it with a commit that was not suspicious'
        : `wiregauge compare --base ${confirmationBase.slice(0, 10)}`;
    return [
      `Suspicious: ${suspicious.length} of ${counted(firm.length, 'comparison')}: ${named(view, suspicious)}.`,
      `A suspicion is not proof. To confirm it on one machine: ${how}.`,
    ];
  }
  if (judged.length > 0) {
    const sizes = judged.map(({ detectable }) => detectable);
    const range = [...new Set([Math.min(...sizes), Math.max(...sizes)].map(unsignedChange))].join(' to ');
    return [
      `Nothing suspicious in ${counted(judged.length, 'comparison')} with the stored runs; slowdowns of ${range}, depending on the metric, would have been found.`,
    ];
  }
  const next = verdicts.some(({ kind }) => kind === 'judged' || kind === 'errors')
    ? []
    : [...nearestLine(past), `Next: add this run to them: ${store}.`];
  if (first === undefined) {
    return [notJudged(past), ...next];
  }
  const worse = advised.filter(({ status }) => status === 'suspicious');
  const which = worse.length === 0 ? '' : `: ${named(view, worse)}`;
  const count = `${worse.length} of ${counted(advised.length, 'comparison')} would be suspicious`;
  return [`Advice only (${ADVICE[first.reason]}): ${count}${which}.`, ...next];
}

/** Conclusion: a suspicion is not yet a regression. Undefined if nothing was judged. */
export function storedStatus(against: HistoryComparison): Status | undefined {
  if (suspicionsOf(against).length > 0) {
    return 'open';
  }
  return against.verdicts.some(({ kind }) => kind === 'judged') ? 'good' : undefined;
}

const MACHINE = ['CPU model', 'CPU cores', 'kernel'];

function notJudged({ stored, onMachine, unlike }: StoredRunCount): string {
  if (unlike.length > 0 && unlike.every(({ differs }) => differs.some(({ what }) => MACHINE.includes(what)))) {
    return `Not judged: none of ${counted(stored, 'run')} is of this kind of machine, so only instruction counts are compared.`;
  }
  if (onMachine >= ADVISORY_RUNS) {
    return 'Not judged: the stored runs have too few of these figures.';
  }
  const none = stored === 0 ? 'there is no stored run' : `none of ${counted(stored, 'run')} is comparable`;
  const why = onMachine === 0 ? none : `advice starts at ${ADVISORY_RUNS} runs, verdicts at ${FIRM_RUNS}`;
  return `Collecting (${onMachine} of ${ADVISORY_RUNS} runs): ${why}.`;
}

function nearestLine({ unlike: [nearest] }: StoredRunCount): readonly string[] {
  const what = (nearest?.differs ?? []).map((one) => `${one.what} ("${one.here}" here, "${one.stored}" there)`);
  return nearest === undefined
    ? []
    : [
        `Nearest: ${counted(nearest.runs, 'run')}, the newest of ${startOf(nearest.newest)}, with a different ${what.join('; ')}.`,
      ];
}

function named(view: RunView, judged: readonly (JudgedByHistory | MoreErrors)[]): string {
  const names = judged.slice(0, 3).map((one) => {
    const { cell, metric } = one.comparison;
    return `${placeLabel(view, cell, metric)} ${changeText(one.comparison)} (up to ${allowedText(one)} explained)`;
  });
  const more = judged.length - names.length;
  return `${names.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function sourceLine({ file, past: { stored, configured, onMachine, newest } }: HistoryComparison): string {
  const left = stored - configured;
  const counts = `${configured} before this one, ${onMachine} on this kind of machine${left > 0 ? `; ${left} with another configuration left out` : ''}`;
  const last =
    newest === undefined
      ? ''
      : ` Newest: ${startOf(newest)}, commit ${newest.commit === undefined ? 'unknown' : shortCommit(newest.commit)}, ${newest.note}.`;
  return `Stored runs (${file}): ${counts}.${last}`;
}

const STATUSES: Readonly<Record<BoundVerdict, string>> = {
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

/** States no more than the verdict supports. */
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
      return `unmeasured: ${UNMEASURED[verdict.reason]}${verdict.runs === 0 ? '' : `; ${counted(verdict.runs, 'run')} of the baseline have it`}`;
  }
}

function judgedWords(judged: JudgedByHistory | MoreErrors): string {
  const { status, family } = judged;
  const gating = status === 'suspicious' && family === 'watch' ? ', not gating' : '';
  if (!('detectable' in judged)) {
    return `${STATUSES[status]}${gating}`;
  }
  const { detectable, drift } = judged;
  const seen = status === 'inconclusive' ? `, detects slowdowns of ${unsignedChange(detectable)} or more` : '';
  const slower =
    drift !== undefined && isSlowdown(drift)
      ? `; slowly worse by ${unsignedChange(drift.per30Runs)} in 30 runs (sign test, p ${Number(drift.p.toPrecision(1))})`
      : '';
  return `${STATUSES[status]}${gating}${seen}${slower}`;
}

/** Cell of a verdict and, except for a whole cell, its metric. */
function subjectOf(verdict: HistoryVerdict): {
  readonly cell: CellKey;
  readonly metric?: StoredComparison['metric'] | undefined;
} {
  return verdict.kind === 'unmeasured' ? verdict : verdict.comparison;
}

/** Change, for example "+4.2%"; for an error rate both shares, since a change from zero has no percentage. */
function changeText({ metric, before, now, change }: StoredComparison): string {
  if (metric === 'errorRate' && before !== undefined) {
    return errorRateChange(before, now);
  }
  if (change !== undefined) {
    return formatChange(change);
  }
  return before === undefined ? NO_FIGURE : `from 0 to ${formatMetric(metric, now)}`;
}

/** Largest distance of an unchanged run from the expected value, for example "+4.2%"; for an error rate the limit, for example "5%". */
function allowedText(verdict: JudgedByHistory | MoreErrors): string {
  if ('limit' in verdict) {
    return errorRateText(verdict.limit);
  }
  const { comparison, bound } = verdict;
  const { before } = comparison;
  return before === undefined || before === 0 ? NO_FIGURE : formatChange(bound / before - 1);
}

/** Instructions per request against stored counts, by the run that has these, and the reason that others cannot be compared. */
function countLines({ counts }: HistoryComparison): readonly string[] {
  const compared = counts.flatMap(({ service, change, commit }) =>
    change === undefined
      ? []
      : [`${service} ${formatChange(change)} since ${commit === undefined ? 'no commit' : shortCommit(commit)}`],
  );
  const others = counts.flatMap(({ service, differs }) =>
    differs.length === 0 ? [] : [`${service} with a different ${differs.join(', ')}`],
  );
  return [
    ...(compared.length === 0 ? [] : [`Instructions per request: ${compared.join(', ')}.`]),
    ...(others.length === 0 ? [] : [`Stored instruction counts that cannot be compared: ${others.join('; ')}.`]),
  ];
}

/** Head of a comparison against stored runs, in one line: the verdict, and its instructions. */
export function baselineSentence(run: RunInRounds, against: HistoryComparison): string {
  const [verdict = ''] = storedVerdict(viewRun(run), against);
  const newest = against.past.newest ?? against.past.unlike[0]?.newest;
  const commit = newest?.commit === undefined ? 'no commit' : shortCommit(newest.commit);
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

/** Lines on the runs that the head was judged against; empty without stored runs in a folder. */
export function againstLines({ run, result }: ComparisonView): readonly string[] {
  const { baseline, base } = run?.rounds ?? {};
  if (baseline === undefined) {
    return [];
  }
  const commit = base?.commit === undefined ? 'the working tree' : shortCommit(base.commit);
  return [`Against base ${commit}: ${OUTCOMES[result.outcome]}.`, cleanText(baseline, 900)];
}
