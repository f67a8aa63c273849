import { ALL_OPERATIONS, SATURATION } from '../../model/metric.ts';
import type { Side } from '../../model/rounds.ts';
import { type ExecutedFunction, MAX_FUNCTIONS, type SampledProfile } from '../../model/run/functions.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { type ComparedCall, grownFunctions, functionKey as keyOf, treeOfCalls } from '../counts/functions.ts';
import type { Finding } from '../verdict/finding.ts';

const CPU = 'cpuMicrosPerRequest';

/** Self time of a function, in microseconds of CPU time per request. */
interface GrownTime extends Pick<ExecutedFunction, 'name' | 'object'> {
  readonly base: number;
  readonly head: number;
  readonly more: number;
  /** Half of its 95% interval, from the number of stacks alone. */
  readonly margin: number;
  /** Number of stacks in which it was the innermost function. */
  readonly stacks: Readonly<Record<Side, number>>;
}

export interface SampledGrowth {
  readonly profiler: string;
  readonly stacks: Readonly<Record<Side, number>>;
  /** At most three, the largest first; only growth beyond the noise of the number of stacks, and at least a tenth of the service's. */
  readonly grown: readonly GrownTime[];
  /** Call tree of head, in microseconds of CPU time per request. */
  readonly calls: readonly ComparedCall[];
  /** Smallest relevant change in microseconds: below it, a change is by chance or a small part of the whole. */
  readonly least: number;
}

/** Number of standard errors: among a hundred functions, chance exceeds it in one of ten comparisons. */
const TELLING = 3;

/** Smaller shares of the total growth are not a cause of it. */
const LEAST_OF_WHOLE = 0.1;

const OF_95_PERCENT = 1.96;

/** Services of a run that took more CPU time, or became slower while they did, and for which instructions name no function that executes more. */
export function unexplainedCpu(run: RunInRounds, findings: readonly Finding[]): readonly string[] {
  const isOfTime = (metric: string) => metric === CPU || metric === 'achievedRps' || metric.startsWith('latency');
  const worse = findings.filter(({ verdict, metric }) => verdict === 'regressed' && isOfTime(metric));
  const services = [...new Set(worse.map(({ cell }) => cell.service))];
  return services.filter((service) => isUnexplained(run, findings, service));
}

function isUnexplained(run: RunInRounds, findings: readonly Finding[], service: string): boolean {
  const cpu = cpuOf(findings, service);
  const counted = findings.find(
    ({ cell, metric }) =>
      metric === 'instructionsPerRequest' && cell.service === service && cell.operation === ALL_OPERATIONS,
  );
  const isMore = cpu !== undefined && (cpu.verdict === 'regressed' || (cpu.change.low ?? cpu.change.estimate) > 0);
  return isMore && (counted === undefined || grownFunctions(run, counted).length === 0);
}

/** CPU time per request of a service at saturation, where it was profiled. */
function cpuOf(findings: readonly Finding[], service: string): Finding | undefined {
  return findings.find(
    ({ cell, metric }) =>
      metric === CPU && cell.service === service && cell.operation === ALL_OPERATIONS && cell.tier === SATURATION,
  );
}

/** Profiles of a service in both versions, scaled to its CPU time in the rounds that judge; undefined if either was not sampled. */
export function sampledGrowth(
  { profiler }: RunInRounds,
  findings: readonly Finding[],
  service: string,
): SampledGrowth | undefined {
  const own = (side: Side) => profiler?.sampled.find((one) => one.service === service && one.side === side);
  const [base, head, cpu] = [own('base'), own('head'), cpuOf(findings, service)];
  return base === undefined || head === undefined || cpu === undefined
    ? undefined
    : growthBetween({ base, head }, { base: cpu.base, head: cpu.base * (1 + cpu.change.estimate) });
}

/** Growth between two profiles of a service, scaled to its CPU time per request. */
export function growthBetween(
  { base, head }: Readonly<Record<Side, SampledProfile>>,
  cpu: Readonly<Record<Side, number>>,
): SampledGrowth {
  const microsOf = { base: microsOfStack(base, cpu.base), head: microsOfStack(head, cpu.head) };
  const known = new Map(base.functions.map((one) => [keyOf(one), one.self]));
  // An unlisted function was innermost no more often than the last one listed.
  const most = base.functions.length < MAX_FUNCTIONS ? 0 : (base.functions.at(-1)?.self ?? 0);
  const grown = head.functions.map(({ name, object, self }) => {
    const before = known.get(keyOf({ name, object })) ?? Math.min(self, most);
    return { name, object, ...difference({ base: before, head: self }, microsOf) };
  });
  const least = LEAST_OF_WHOLE * (cpu.head - cpu.base);
  return {
    profiler: `${head.profiler} ${head.version}`.trim(),
    stacks: { base: base.stacks, head: head.stacks },
    grown: grown
      .filter(({ more, margin }) => more > 0 && more >= Math.max((TELLING / OF_95_PERCENT) * margin, least))
      .sort((left, right) => right.more - left.more)
      .slice(0, 3),
    calls: treeOfCalls({ base: callsOf(base, microsOf.base), head: callsOf(head, microsOf.head) }),
    least: Math.max(TELLING * microsOf.head, least),
  };
}

function microsOfStack({ stacks, share }: SampledProfile, micros: number): number {
  return stacks === 0 ? 0 : (share * micros) / stacks;
}

/** The number of stacks is random: for n stacks the standard error is the square root of n, and 1 for none. */
function difference(stacks: Readonly<Record<Side, number>>, microsOf: Readonly<Record<Side, number>>) {
  const [base, head] = [stacks.base * microsOf.base, stacks.head * microsOf.head];
  const variance = (side: Side) => Math.max(1, stacks[side]) * microsOf[side] ** 2;
  const margin = OF_95_PERCENT * Math.sqrt(variance('base') + variance('head'));
  return { base, head, more: head - base, margin, stacks };
}

function callsOf({ calls }: SampledProfile, micros: number) {
  return calls.map((call) => ({ ...call, inclusive: call.inclusive * micros }));
}
