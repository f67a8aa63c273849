import { cleanText } from '../../foundation/text.ts';
import { classOf, type Finding, type FindingClass, worseness } from '../../judge/verdict/finding.ts';
import { ALL_OPERATIONS, isCounted, isExact, SATURATION } from '../../model/metric.ts';
import { ALL_TIERS, isOfStart } from '../../model/policy.ts';
import { type ComparisonView, oncePerView } from './view.ts';
import { metricWord, unsignedChange, valueText, whereClause } from './words.ts';

/** Verdict on a service at a load, from its worst figure; `not-gating` is a regression that cannot fail a pull request. */
export type CauseVerdict = FindingClass | 'not-gating';

/** Cause of changes: a service at a load. All figures that changed there count as one change. */
export interface Cause {
  readonly verdict: CauseVerdict;
  /** Figures with that verdict; the first describes the change best. */
  readonly findings: readonly [Finding, ...Finding[]];
  /** Other changed figures of the same service and load, which may not gate. */
  readonly others: readonly Finding[];
}

/** The worst first. Figures hidden by noise are named like noisy ones, and never represent figures that were measured. */
const ORDER: readonly CauseVerdict[] = [
  'regressed',
  'accepted',
  'unproven',
  'too-few-rounds',
  'too-noisy',
  'slower-within-limit',
  'improved',
  'not-gating',
  'unchanged',
  'not-seen',
];

function verdictOf(finding: Finding): CauseVerdict | undefined {
  const found = classOf(finding);
  return finding.family === 'gate' || found === 'not-seen' ? found : found === 'regressed' ? 'not-gating' : undefined;
}

/** Order of findings by the smallest slowdown in their interval, in thresholds; by the estimate without an interval. */
export function bySureness(left: Finding, right: Finding): number {
  return sureness(right) - sureness(left);
}

/** Counts may have no threshold. */
const LEAST_THRESHOLD = 0.001;

function sureness({ better, change, threshold }: Finding): number {
  const end = better === 'lower' ? change.low : change.high;
  return worseness({ better }, end ?? change.estimate) / Math.max(threshold, LEAST_THRESHOLD);
}

/** Causes of a comparison, the worst verdict first; within a verdict the surest and largest. */
export const causesOf = oncePerView((view): readonly Cause[] => {
  const shown = view.findings.filter((one) => view.gate.includes(one) || one.family !== 'gate');
  const causes = [...Map.groupBy(shown, keyOf(shown)).values()].flatMap((group) => causeOf(group) ?? []);
  const rank = ({ verdict }: Cause) => ORDER.indexOf(verdict);
  return causes.toSorted((left, right) => rank(left) - rank(right) || bySureness(left.findings[0], right.findings[0]));
});

/** Key of the cause of a finding. Counts and start figures belong to saturation, which also measures all operations. */
function keyOf(findings: readonly Finding[]): (finding: Finding) => string {
  const saturated = new Set(findings.filter(({ cell }) => cell.tier === SATURATION).map(({ cell }) => cell.service));
  return ({ cell: { service, tier }, metric }) => {
    const isOfAll = (isCounted(metric) || isOfStart(metric)) && saturated.has(service);
    return JSON.stringify([service, isOfAll ? SATURATION : tier]);
  };
}

function causeOf(group: readonly Finding[]): Cause | undefined {
  const verdicts = new Set(group.map(verdictOf));
  const verdict = ORDER.find((one) => verdicts.has(one));
  const [first, ...rest] = group
    .filter((one) => verdictOf(one) === verdict)
    .toSorted((left, right) => order(left) - order(right) || bySureness(left, right));
  const others = group.filter(
    (one) => verdictOf(one) !== verdict && (one.verdict === 'regressed' || one.verdict === 'improved'),
  );
  return verdict && first
    ? { verdict: verdict === 'not-seen' ? 'too-noisy' : verdict, findings: [first, ...rest], others }
    : undefined;
}

/** Metrics that describe a change best, in this order. */
const TELLING: readonly string[] = [
  'queriesPerRequest',
  'cpuMicrosPerRequest',
  'instructionsPerRequest',
  'achievedRps',
  'latencyP50Ms',
];

function order({ metric, cell }: Finding): number {
  const place = TELLING.indexOf(metric);
  return (place === -1 ? TELLING.length : place) + (cell.operation === ALL_OPERATIONS ? 0 : 10);
}

/** A change in one clause: "GetUser 10% slower at 500 users (REST)", "REST 8.0% more CPU per request at saturation". */
export function changeClause(view: ComparisonView, { findings }: Pick<Cause, 'findings'>): string {
  const [finding] = findings;
  const { cell } = finding;
  const service = view.labels.service(cell.service);
  // Operation of a suite that has only one.
  const [only, ...others] = finding.metric === 'sizeMiB' ? [] : (view.run?.suite.operations ?? []);
  const whole = others.length === 0 ? only?.name : undefined;
  const operation = cell.operation === ALL_OPERATIONS ? whole : cell.operation;
  const where = whereClause(view, { ...cell, operation: ALL_OPERATIONS });
  const change = `${sizeOf(
    finding,
    findings.some(({ metric }) => metric === 'achievedRps' || metric.startsWith('latency')),
  )}${where}`;
  return cleanText(
    operation === undefined ? `${service} ${change}` : `${view.labels.operation(operation)} ${change} (${service})`,
    200,
  );
}

function sizeOf({ metric, better, base, head, change: { estimate } }: Finding, isSlower: boolean): string {
  if (isExact(metric) || metric === 'memoryGrowthPerRequest') {
    const [before, now] = [base, head].map((value) => valueText(metric, value));
    return `${before} → ${now} ${metricWord(metric)}`;
  }
  const size = unsignedChange(estimate);
  const isMore = estimate >= 0;
  if (metric.startsWith('latency') || (metric === 'cpuMicrosPerRequest' && isSlower)) {
    const word = WITHOUT_NAME.has(metric) ? '' : `${metricWord(metric)} `;
    return `${word}${size} ${worseness({ better }, estimate) >= 0 ? 'slower' : 'faster'}`;
  }
  const [noun, less, verb = ''] = NOUNS[metric] ?? [];
  return noun === undefined
    ? `${metricWord(metric)} ${size} ${isMore ? 'higher' : 'lower'}`
    : `${verb}${size} ${isMore ? 'more' : less} ${noun}`;
}

const WITHOUT_NAME: ReadonlySet<string> = new Set(['latencyP50Ms', 'cpuMicrosPerRequest']);

const NOUNS: Readonly<Record<string, readonly [noun: string, less: 'less' | 'fewer', verb?: string]>> = {
  cpuMicrosPerRequest: ['CPU per request', 'less'],
  achievedRps: ['requests/s', 'fewer'],
  peakMemoryMiB: ['memory at peak', 'less', 'uses '],
  wireBytesPerRequest: ['bytes per request', 'fewer'],
  instructionsPerRequest: ['instructions per request', 'fewer'],
  syscallsPerRequest: ['system calls per request', 'fewer'],
  allocationsPerRequest: ['allocations per request', 'fewer'],
  allocatedBytesPerRequest: ['allocated bytes per request', 'fewer'],
};

/** Load of a cause: "REST, saturation", "shop, 500 users", "shop". */
export function causeLabel({ labels }: ComparisonView, { cell: { service, tier } }: Finding): string {
  return [labels.service(service), ...(tier === ALL_TIERS ? [] : [labels.tier(tier)])].join(', ');
}
