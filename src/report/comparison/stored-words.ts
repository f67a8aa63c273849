import { counted, formatChange, NO_FIGURE } from '../../foundation/numbers.ts';
import { ADVISORY_RUNS, type BoundVerdict, FIRM_RUNS } from '../../judge/stored/bound.ts';
import type {
  HistoryComparison,
  HistoryVerdict,
  JudgedByHistory,
  MoreErrors,
  StoredComparison,
  Unmeasured,
} from '../../judge/stored/comparison.ts';
import type { Times } from '../../judge/study/versus.ts';
import { type CellKey, errorRateChange, errorRateText, formatMetric, type MetricName } from '../../model/metric.ts';

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

/** What stands in a table: never more than the verdict allows. */
export function storedVerdictWords(verdict: HistoryVerdict): string {
  switch (verdict.kind) {
    case 'judged':
      return `${shortWords(verdict)}${seenFrom(verdict)}`;
    case 'advisory':
      return `${shortWords(verdict)}${seenFrom(verdict)} (${ADVICE[verdict.reason]})`;
    case 'unmeasured':
      return `${shortWords(verdict)}${verdict.runs === 0 ? '' : `; ${runsText(verdict.runs)} of the baseline have it`}`;
    default:
      return shortWords(verdict);
  }
}

/** The same in few words, without its figures. */
export function shortWords(verdict: HistoryVerdict): string {
  switch (verdict.kind) {
    case 'judged':
      return `${STANDINGS[verdict.standing]}${onlyWatched(verdict)}`;
    case 'advisory':
      return `advice only: ${STANDINGS[verdict.standing]}${onlyWatched(verdict)}`;
    case 'errors':
      return `${STANDINGS[verdict.standing]}${onlyWatched(verdict)}`;
    case 'collecting':
      return `collecting, not judged: ${verdict.runs} of ${ADVISORY_RUNS} runs`;
    case 'other-runner':
      return 'not judged: all runs are from another kind of machine';
    case 'stated':
      return 'shown, not judged';
    case 'unmeasured':
      return `unmeasured: ${UNMEASURED[verdict.reason]}`;
  }
}

function onlyWatched({ standing, family }: Pick<JudgedByHistory, 'standing' | 'family'>): string {
  return standing === 'suspicious' && family === 'watch' ? ', not gating' : '';
}

function seenFrom({ standing, detectable }: JudgedByHistory): string {
  return standing === 'inconclusive' ? `, detects slowdowns of ${sizeText(detectable)} or more` : '';
}

/** The cell and, but for a cell as a whole, the metric that a verdict is about. */
export function subjectOf(verdict: HistoryVerdict): {
  readonly cell: CellKey;
  readonly metric?: MetricName | undefined;
} {
  return verdict.kind === 'unmeasured' ? verdict : verdict.comparison;
}

/** The change alone, for example "+4.2%"; of an error rate both shares, and a change from zero has no per cent. */
export function storedChangeText({ metric, before, now, change }: StoredComparison): string {
  if (metric === 'errorRate' && before !== undefined) {
    return errorRateChange(before, now);
  }
  if (change !== undefined) {
    return formatChange(change);
  }
  return before === undefined ? NO_FIGURE : `from 0 to ${formatMetric(metric, now)}`;
}

/** How far from the expected value an unchanged run may be, for example "+4.2%"; of an error rate the largest, for example "5%". */
export function allowedText(verdict: JudgedByHistory | MoreErrors): string {
  if ('limit' in verdict) {
    return errorRateText(verdict.limit);
  }
  const { comparison, bound } = verdict;
  const { before } = comparison;
  return before === undefined || before === 0 ? NO_FIGURE : formatChange(bound / before - 1);
}

/** The size of a slowdown, for example "4.2%". */
export function sizeText(slowdown: number): string {
  return formatChange(slowdown).replace('+', '');
}

/** "1 run", "12 runs". */
export function runsText(runs: number): string {
  return counted(runs, 'run');
}

/** A multiple with its interval: "1.72 [1.66, 1.79]"; a dash if there is none. */
export function ratioText(ratio: Times | undefined): string {
  if (ratio === undefined) {
    return NO_FIGURE;
  }
  const { times, low, high } = ratio;
  const interval = low === undefined || high === undefined ? '' : endsText({ low, high }, ', ');
  return interval === '' ? timesText(times) : `${timesText(times)} [${interval}]`;
}

/** The ends of an interval: "1.18, 1.24"; an end that nothing bounds is left out: "1.24 or less". */
export function endsText({ low, high }: { readonly low: number; readonly high: number }, between: string): string {
  const isOpenAbove = !Number.isFinite(high);
  if (low <= 0) {
    return isOpenAbove ? '' : `${timesText(high)} or less`;
  }
  return isOpenAbove ? `${timesText(low)} or more` : `${timesText(low)}${between}${timesText(high)}`;
}

/** Three digits: "1.72", "0.583", "12.3". */
export function timesText(times: number): string {
  return times >= 999.5 ? times.toFixed(0) : times.toPrecision(3);
}

/** A multiple that somebody wrote, without digits that they did not: "1.5". */
export function limitText(times: number): string {
  return String(Number(times.toPrecision(6)));
}

/** Instructions per request against stored counts, by the run that has these, and why others cannot be compared. */
export function countLines({ counts }: HistoryComparison): readonly string[] {
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
