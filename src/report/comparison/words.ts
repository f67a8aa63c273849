import { formatChange, formatCount, NO_FIGURE, withoutUnit } from '../../foundation/numbers.ts';
import { cleanText } from '../../foundation/text.ts';
import type { Times } from '../../judge/study/versus.ts';
import { classOf, type Finding, type FindingClass, worseness } from '../../judge/verdict/finding.ts';
import type { CellKey } from '../../model/metric.ts';
import {
  ALL_OPERATIONS,
  formatMetric,
  isCounted,
  isExact,
  isMetric,
  METRICS,
  type MetricName,
} from '../../model/metric.ts';
import { ALL_TIERS, isOfStart } from '../../model/policy.ts';
import type { ComparisonView } from './view.ts';

export const MINUS = '\u2212';

/** Short names of metrics, for tables and sentences. */
const METRIC_WORDS: Partial<Record<MetricName, string>> = {
  achievedRps: 'requests/s',
  cpuMicrosPerRequest: 'CPU per request',
  serviceCpuShare: 'service core in use',
  loadCpuShare: 'load tool core in use',
  peakMemoryMiB: 'peak memory',
  startUpMs: 'start-up',
  firstRequestMs: 'first request',
  firstMessageP50Ms: 'first message p50',
  firstMessageP99Ms: 'first message p99',
  messagesPerSecond: 'messages/s',
  cpuMicrosPerMessage: 'CPU per message',
  wireBytesPerRequest: 'bytes per request',
  instructionsPerRequest: 'instructions/request',
  syscallsPerRequest: 'system calls/request',
  allocationsPerRequest: 'allocations/request',
  allocatedBytesPerRequest: 'allocated bytes/request',
  memoryGrowthPerRequest: 'memory growth/request',
  sizeMiB: 'build size',
  queriesPerRequest: 'queries/request',
};

const VERDICT_WORDS: Readonly<Record<FindingClass, string>> = {
  regressed: 'regressed',
  accepted: 'accepted',
  'slower-within-limit': 'slower, below the threshold',
  unchanged: 'same',
  improved: 'improved',
  unproven: 'worse, not yet proven',
  'too-noisy': 'inconclusive',
  'too-few-rounds': 'not judged',
  'not-seen': 'not seen at this tier',
};

/** Verdict in one or a few words. */
export function verdictWord(finding: Finding): string {
  const { metric } = finding;
  const found = classOf(finding);
  const isTime = metric.startsWith('latency') || OF_TIME.has(metric);
  if (found === 'not-seen' && (isCounted(metric) || isOfStart(metric))) {
    return isCounted(metric) ? 'not gating' : 'not seen';
  }
  if (found === 'slower-within-limit' && isMetric(metric) && !isTime) {
    return 'more, below the threshold';
  }
  return found === 'unchanged' && !isSame(finding) ? (isTime ? 'not slower' : 'not more') : VERDICT_WORDS[found];
}

function isSame({ better, change: { low, high }, threshold }: Finding): boolean {
  return (
    low !== undefined &&
    high !== undefined &&
    [low, high].every((end) => Math.abs(Math.log1p(worseness({ better }, end))) <= Math.log1p(threshold))
  );
}

const OF_TIME: ReadonlySet<string> = new Set(['achievedRps', 'cpuMicrosPerRequest', 'startUpMs', 'firstRequestMs']);

/** Short name of a metric: "p95", "CPU per request"; for other metrics their own name. */
export function metricWord(metric: string): string {
  return isMetric(metric) ? (METRIC_WORDS[metric] ?? METRICS[metric].title.replace(/^(p\S+) latency$/, '$1')) : metric;
}

/** Label of a comparison without its service: "GetUser p95, 500 users", "CPU per request, saturation". */
export function comparisonLabel(
  { labels }: Pick<ComparisonView, 'labels'>,
  cell: CellKey,
  metric: string | undefined,
): string {
  const operation = cell.operation === ALL_OPERATIONS ? [] : [labels.operation(cell.operation)];
  const what = [...operation, ...(metric === undefined ? [] : [metricWord(metric)])].join(' ');
  const tier = cell.tier === ALL_TIERS ? '' : labels.tier(cell.tier);
  return [what, tier].filter((part) => part !== '').join(', ');
}

/** The same with its service: "REST, GetUser p95, 500 users". */
export function placeLabel(view: Pick<ComparisonView, 'labels'>, cell: CellKey, metric: string | undefined): string {
  const label = comparisonLabel(view, cell, metric);
  return [view.labels.service(cell.service), label].filter((part) => part !== '').join(', ');
}

/** Failure as a sentence, followed by its fix, if any. */
export function failureText({ message, next }: { readonly message: string; readonly next?: string | undefined }) {
  const stopped = /[.!?]$/.test(message.trimEnd()) ? message : `${message}.`;
  return next === undefined ? stopped : `${stopped} ${next}`;
}

export function serviceName({ labels }: Pick<ComparisonView, 'labels'>, service: string): string {
  return cleanText(labels.service(service), 80);
}

/** Place of a finding, for the end of a clause: " at saturation", " for GetUser at 500 users"; may be empty. */
export function whereClause({ labels }: ComparisonView, { operation, tier }: CellKey): string {
  const what = operation === ALL_OPERATIONS ? '' : ` for ${labels.operation(operation)}`;
  return tier === ALL_TIERS ? what : `${what} at ${labels.tier(tier)}`;
}

/** Change of a finding with the decimals of its interval: "+0.1%" for "[−0.1, +0.3]". */
export function changeText({ change }: Pick<Finding, 'change'>): string {
  return withPercent(signed(change.estimate, decimalsIn(change)));
}

/** Relative change without its sign, for example "6.1%". */
export function percentSize(change: number): string {
  return withPercent(signed(change)).replace(/^[+\u2212]/, '');
}

/** The same in fewer digits, for a sentence: "6.1%", "34%". */
export function unsignedChange(change: number): string {
  return formatChange(change).replace(/^[+\u2212]/, '');
}

/** Share in percent with at most three digits: "2.5%". */
export function percentText(share: number): string {
  return `${Number((share * 100).toPrecision(3))}%`;
}

/** 95% interval in percent, "[+5.2, +7.0]"; a dash if there were too few rounds for one; "exact" without noise. */
export function intervalText({ change, metric }: Pick<Finding, 'change'> & Partial<Pick<Finding, 'metric'>>): string {
  if (metric !== undefined && isExact(metric)) {
    return 'exact';
  }
  const { low, high } = change;
  const decimals = decimalsIn(change);
  return low === undefined || high === undefined ? NO_FIGURE : `[${signed(low, decimals)}, ${signed(high, decimals)}]`;
}

/** Smallest change that these rounds would have detected, with the metric's own sign; a dash if none. */
export function seenFrom({ better, detectable }: Finding): string {
  return detectable === undefined ? NO_FIGURE : changeLimit({ better }, detectable);
}

/** Change for the worse as a limit, with the metric's own sign: 3% worse is +3% for a latency, and -2.9% for a rate, which falls to 1 / 1.03 of its value. */
export function changeLimit({ better }: Pick<Finding, 'better'>, worse: number): string {
  return withPercent(signed(better === 'lower' ? worse : 1 / (1 + worse) - 1));
}

/** Median of the base, and that with the estimated change, or the exact one of the head: "211 → 224 µs". */
export function valuesText({
  metric,
  unit = '',
  base,
  head,
  change,
}: Pick<Finding, 'metric' | 'unit' | 'base' | 'head' | 'change'>) {
  const now = valueText(metric, isExact(metric) ? head : base * (1 + change.estimate));
  return `${withoutUnit(valueText(metric, base))} → ${now}${unit === '' ? '' : ` ${unit}`}`;
}

/** Value with its unit for a known metric; four digits and no unit for others. */
export function valueText(metric: string, value: number): string {
  return isMetric(metric) ? formatMetric(metric, value) : `${Number(value.toPrecision(4))}`;
}

function withPercent(text: string): string {
  return text.endsWith('x') ? text : `${text}%`;
}

/** Percent with sign and no unit: two decimals below 0.1, none from 100; from ten times a multiple ("12x"). */
function signed(change: number, decimals = decimalsOf(percentOf(change))): string {
  if (change > MULTIPLE_FROM) {
    return change > MAX_MULTIPLE ? `>${formatCount(MAX_MULTIPLE)}x` : `${formatCount(change + 1)}x`;
  }
  const text = percentOf(change, decimals).toFixed(decimals);
  return Number(text) === 0 ? '0' : `${change < 0 ? MINUS : '+'}${text}`;
}

const MULTIPLE_FROM = 8.995;

const MAX_MULTIPLE = 9999;

/** Decimals for an estimate and both ends of its interval: those for the farther end. */
function decimalsIn({ estimate, low = estimate, high = estimate }: Finding['change']): number {
  return decimalsOf(Math.max(percentOf(low), percentOf(high)));
}

/** Percent without a sign; only a fall to zero is 100%. */
function percentOf(change: number, decimals = 1): number {
  const most = change < 0 && change > -1 ? 100 - 10 ** -decimals : Number.POSITIVE_INFINITY;
  return Math.min(Math.abs(change) * 100, most);
}

function decimalsOf(percent: number): number {
  if (percent < 0.095) {
    return 2;
  }
  return percent < 99.95 ? 1 : 0;
}

/** Ratio with its interval: "1.72 [1.66, 1.79]"; a dash without a ratio. */
export function ratioText(ratio: Times | undefined): string {
  return ratio === undefined ? NO_FIGURE : `${timesText(ratio.times)} ${boundsText(ratio)}`.trimEnd();
}

/** Interval in brackets: "[1.66, 1.79]"; empty without one. */
export function boundsText({ low, high }: Pick<Times, 'low' | 'high'>, text = timesText): string {
  const ends = low === undefined || high === undefined ? '' : endsText({ low, high }, ', ', text);
  return ends === '' ? '' : `[${ends}]`;
}

/** Ends of an interval: "1.18, 1.24"; an unbounded end is left out: "1.24 or less". */
export function endsText(
  { low, high }: { readonly low: number; readonly high: number },
  between: string,
  text = timesText,
): string {
  const isOpenAbove = !Number.isFinite(high);
  if (low <= 0) {
    return isOpenAbove ? '' : `${text(high)} or less`;
  }
  return isOpenAbove ? `${text(low)} or more` : `${text(low)}${between}${text(high)}`;
}

/** Three digits: "1.72", "0.583", "12.3". */
export function timesText(times: number): string {
  return times >= 999.5 ? times.toFixed(0) : times.toPrecision(3);
}

/** Configured multiple, without extra digits: "1.5". */
export function limitText(times: number): string {
  return String(Number(times.toPrecision(6)));
}
