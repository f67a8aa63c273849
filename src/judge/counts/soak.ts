import { median, sorted } from '../../foundation/statistics.ts';
import { ALL_OPERATIONS, type CellKey, type MetricName } from '../../model/metric.ts';
import { SOAK } from '../../model/plan.ts';
import type { Run } from '../../model/run/run.ts';
import type { Sample, TimeSeries } from '../../model/run/sample.ts';
import { normalQuantile } from '../inference/distributions.ts';
import { type Point, slopesOf } from '../inference/location.ts';
import { DRIFT_MIB, PARTS, slopeOf } from './memory-growth.ts';

/** Change of a figure per minute during a soak, with the ends of its 95% interval. */
export interface Trend {
  readonly cell: CellKey;
  readonly metric: Extract<MetricName, 'peakMemoryMiB' | 'latencyP50Ms' | 'latencyP99Ms'>;
  readonly perMinute: number;
  readonly low: number;
  readonly high: number;
  /** Memory only: true if it grows in each part of the second half; a cache that fills grows in one of them. */
  readonly grows?: boolean;
}

/** Trends of each service in a soak; none for other runs, and none for unreadable memory. */
export function soakTrends({ plan, samples }: Pick<Run, 'plan' | 'samples'>): readonly Trend[] {
  return plan.profile.name === SOAK ? samples.flatMap(trendsOf) : [];
}

function trendsOf({ cell, series, measuredSeconds }: Sample): readonly Trend[] {
  if (series === undefined || cell.operation !== ALL_OPERATIONS) {
    return [];
  }
  const pointsOf = (column: TimeSeries['latencyP50Ms'] = [], from = 0): readonly Point[] =>
    column.flatMap((value, place) => {
      const second = series.second[place] ?? -1;
      return value === null || second < from || second >= measuredSeconds ? [] : [{ at: second / 60, value }];
    });
  const memory = pointsOf(series.memoryMiB, measuredSeconds / 2);
  return [
    ...trend(memory).map((one) => ({
      ...{ cell, metric: 'peakMemoryMiB' as const, ...one },
      grows: one.low * (measuredSeconds / 120) >= DRIFT_MIB && growsInAll(memory),
    })),
    ...trend(pointsOf(series.latencyP50Ms)).map((one) => ({ cell, metric: 'latencyP50Ms' as const, ...one })),
    ...trend(pointsOf(series.latencyP99Ms)).map((one) => ({ cell, metric: 'latencyP99Ms' as const, ...one })),
  ];
}

/** Windows of a series: their medians are nearly independent, as the interval assumes. */
const WINDOWS = 30;

/** Theil–Sen slope of the window medians, with Sen's interval by the ranks of the slopes (1968); empty for too few. */
export function trend(points: readonly Point[]): readonly Pick<Trend, 'perMinute' | 'low' | 'high'>[] {
  const windows = windowsOf(points);
  const slopes = sorted(slopesOf(windows));
  const perMinute = median(slopes);
  if (windows.length < 5 || perMinute === undefined) {
    return [];
  }
  const count = windows.length;
  const spread = normalQuantile(0.975) * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const low = slopes[Math.max(0, Math.floor((slopes.length - spread) / 2) - 1)] ?? perMinute;
  const high = slopes[Math.min(slopes.length - 1, Math.ceil((slopes.length + spread) / 2))] ?? perMinute;
  return [{ perMinute, low, high }];
}

function windowsOf(points: readonly Point[]): readonly Point[] {
  const count = Math.min(WINDOWS, points.length);
  return Array.from({ length: count }, (_, window) => {
    const own = points.slice((window * points.length) / count, ((window + 1) * points.length) / count);
    const middle = (values: readonly number[]): number => median(values) ?? 0;
    return { at: middle(own.map(({ at }) => at)), value: middle(own.map(({ value }) => value)) };
  });
}

function growsInAll(points: readonly Point[]): boolean {
  return Array.from({ length: PARTS }, (_, part) =>
    windowsOf(points.slice((part * points.length) / PARTS, ((part + 1) * points.length) / PARTS)),
  ).every((part) => slopeOf(part) * ((part.at(-1)?.at ?? 0) - (part[0]?.at ?? 0)) >= DRIFT_MIB);
}
