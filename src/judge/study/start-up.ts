import { mean, median, standardDeviation } from '../../foundation/statistics.ts';
import { ALL_OPERATIONS } from '../../model/metric.ts';
import { studentQuantile } from '../inference/distributions.ts';
import type { CellTable } from '../reading/cells.ts';
import type { Times } from './versus.ts';

interface StartUp {
  readonly medianMs: number;
  readonly starts: number;
  /** As a multiple of the reference's: of the geometric means, with an interval of 95% if both started twice. Undefined for the reference. */
  readonly times: Times | undefined;
}

/** The starts of a service in the slots of these tiers, against those of the reference; undefined if one of them was never started there. */
export function startUpOf(
  { service, reference }: { readonly service: string; readonly reference: string },
  tiers: readonly string[],
  cells: CellTable,
): StartUp | undefined {
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
    // Less than a millisecond is not seen.
    return samples.flatMap(({ values: { startUpMs } }) => (startUpMs === undefined ? [] : Math.max(1, startUpMs)));
  });
}

/** Welch's interval for the difference of logarithms: the two services scatter differently. */
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

/** For the logarithms: their mean, and the variance of that. */
function spreadOf(values: readonly number[]): { readonly mean: number; readonly ofMean: number } {
  const logs = values.map(Math.log);
  return { mean: mean(logs) ?? 0, ofMean: (standardDeviation(logs) ?? 0) ** 2 / logs.length };
}
