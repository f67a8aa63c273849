import { mean, median, standardDeviation } from '../../foundation/statistics.ts';
import { ALL_OPERATIONS, type CellKey, SATURATION } from '../../model/metric.ts';
import { ALL_TIERS } from '../../model/policy.ts';
import type { VersusReference } from '../../model/run/comparison.ts';
import { studentQuantile } from '../inference/distributions.ts';
import type { CellTable } from '../reading/cells.ts';
import { type ComparisonResult, evidenceIn, type Finding } from '../verdict/finding.ts';

/** Ratio of two services, with a 95% interval if the rounds give one. */
export interface Times {
  readonly times: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

export interface ServiceRatio {
  /** Cell of the service that is compared with the reference. */
  readonly cell: CellKey;
  readonly metric: string;
  /** Medians over the rounds, in the metric's unit. */
  readonly reference: number;
  readonly other: number;
  /** Other service's figure as a multiple of the reference's. */
  readonly ratio: Times;
  /** `better` and `worse` by the test, `same` if the interval is within the threshold of the policy in both directions, else `unclear`. */
  readonly status: 'better' | 'worse' | 'same' | 'unclear';
  readonly noise: Finding['noise']['level'];
  readonly rounds: number;
}

export interface Pairing {
  readonly service: string;
  readonly ratios: readonly ServiceRatio[];
  /** Requests per second of CPU time at saturation, as a multiple of the reference's; undefined if it was not compared. */
  readonly perCpuSecond: ServiceRatio | undefined;
  /** The same for the highest rate. */
  readonly capacity: ServiceRatio | undefined;
}

export interface PairedServices extends VersusReference {
  readonly pairings: readonly Pairing[];
}

export interface StudyEvidence {
  readonly paired?: PairedServices | undefined;
  /** Figures from slots, which measure each service at a different time. */
  readonly slots?: CellTable | undefined;
}

/** Every service against the reference, the one with the most requests per CPU second first. */
export function pairingsOf(result: Pick<ComparisonResult, 'answers'>): readonly Pairing[] {
  const findings = evidenceIn(result, 'change');
  const names = [...new Set(findings.map(({ cell }) => cell.service))];
  return names.map((service) => pairingOf(service, findings)).toSorted((left, right) => gainOf(right) - gainOf(left));
}

/** 0 whichever is better; 2 if nothing could be compared, or, because its requests failed, only the memory of a service. */
export function exitCodeOfVersus(result: Pick<ComparisonResult, 'answers'>): 0 | 2 {
  const findings = evidenceIn(result, 'change');
  const compared = new Set(findings.filter(({ cell }) => cell.tier !== ALL_TIERS).map(({ cell }) => cell.service));
  const hasFailed = evidenceIn(result, 'loss').some(
    ({ cell, reason }) => reason === 'invalid' && !compared.has(cell.service),
  );
  return findings.length === 0 || hasFailed ? 2 : 0;
}

function gainOf({ perCpuSecond }: Pairing): number {
  return perCpuSecond?.ratio.times ?? 0;
}

function pairingOf(service: string, findings: readonly Finding[]): Pairing {
  const ratios = findings.filter(({ cell }) => cell.service === service).map(statusOf);
  const atSaturation = (metric: string) =>
    ratios.find(
      (one) => one.metric === metric && one.cell.tier === SATURATION && one.cell.operation === ALL_OPERATIONS,
    );
  const cpu = atSaturation('cpuMicrosPerRequest');
  return {
    service,
    ratios,
    perCpuSecond: cpu && { ...cpu, ratio: inverse(cpu.ratio) },
    capacity: atSaturation('achievedRps'),
  };
}

const STATUSES: Readonly<Record<Finding['verdict'], ServiceRatio['status']>> = {
  improved: 'better',
  regressed: 'worse',
  'slower-within-limit': 'worse',
  unchanged: 'same',
  inconclusive: 'unclear',
};

/**
 * An interval that contains 1 shows no difference, even if the test of all comparisons together is significant. A version is unchanged if it is not slower; a
 * service is the same only if it is also not faster.
 */
function statusIn({ low, high }: Times, { verdict, threshold }: Finding): ServiceRatio['status'] {
  const status = STATUSES[verdict];
  if (low === undefined || high === undefined) {
    return status;
  }
  if ((status === 'better' || status === 'worse') && (low > 1 || high < 1)) {
    return status;
  }
  return low > 1 / (1 + threshold) && high < 1 + threshold ? 'same' : 'unclear';
}

function statusOf(finding: Finding): ServiceRatio {
  const { cell, metric, base, head, change, noise, rounds } = finding;
  const { estimate, low, high } = change;
  const ratio = { times: 1 + estimate, low: plusOne(low), high: plusOne(high) };
  return {
    cell,
    metric,
    reference: base,
    other: head,
    ratio,
    status: statusIn(ratio, finding),
    noise: noise.level,
    rounds,
  };
}

export function inverse({ times, low, high }: Times): Times {
  return {
    times: 1 / times,
    low: high === undefined ? undefined : 1 / high,
    high: low === undefined ? undefined : 1 / low,
  };
}

function plusOne(change: number | undefined): number | undefined {
  return change === undefined ? undefined : 1 + change;
}

/** Starts of a service in the slots of these tiers, and the ratio of geometric means to those of the reference; undefined if one of them was never started there. */
export function startUpOf(
  { service, reference }: { readonly service: string; readonly reference: string },
  tiers: readonly string[],
  cells: CellTable,
) {
  const [own, other] = [service, reference].map((name) => startsOf(name, tiers, cells));
  const medianMs = median(own ?? []);
  if (own === undefined || other === undefined || medianMs === undefined || other.length === 0) {
    return undefined;
  }
  return { medianMs, starts: own.length, times: service === reference ? undefined : timesOf(own, other) };
}

function startsOf(service: string, tiers: readonly string[], cells: CellTable): readonly number[] {
  return tiers.flatMap((tier) => {
    const samples = cells.at({ service, operation: ALL_OPERATIONS, tier })?.samples ?? [];
    // Less than a millisecond is not measurable.
    return samples.flatMap(({ values: { startUpMs } }) => (startUpMs === undefined ? [] : Math.max(1, startUpMs)));
  });
}

/** Welch's interval for the difference of logarithms, since the two services have different spreads. */
function timesOf(own: readonly number[], other: readonly number[]): Times {
  const [one, two] = [spreadOf(own), spreadOf(other)];
  const difference = one.mean - two.mean;
  const variance = one.ofMean + two.ofMean;
  if (own.length < 2 || other.length < 2 || variance === 0) {
    return { times: Math.exp(difference) };
  }
  const degrees = variance ** 2 / (one.ofMean ** 2 / (own.length - 1) + two.ofMean ** 2 / (other.length - 1));
  const reach = studentQuantile(0.975, degrees) * Math.sqrt(variance);
  return { times: Math.exp(difference), low: Math.exp(difference - reach), high: Math.exp(difference + reach) };
}

function spreadOf(values: readonly number[]): { readonly mean: number; readonly ofMean: number } {
  const logs = values.map(Math.log);
  return { mean: mean(logs) ?? 0, ofMean: (standardDeviation(logs) ?? 0) ** 2 / logs.length };
}
