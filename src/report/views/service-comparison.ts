import { formatChange, NO_FIGURE } from '../../foundation/numbers.ts';
import type { CellReading, Figure } from '../../judge/reading/cells.ts';
import { changeFrom, type FigureChange } from '../../judge/reading/tier-comparison.ts';
import { ALL_OPERATIONS, formatMetric, type MetricName } from '../../model/metric.ts';
import { isSameGroup } from '../../model/suite/groups.ts';
import { aboutOf } from './about.ts';
import type { LabeledName, RunView, TierView } from './run-view.ts';

/** Main metrics of every report, in this order. */
export const MAIN_METRICS = [
  'latencyP50Ms',
  'latencyP90Ms',
  'latencyP99Ms',
  'achievedRps',
  'errorRate',
  'cpuMicrosPerRequest',
] as const satisfies readonly MetricName[];

/** Metrics of streams in reports, in order. */
export const STREAM_METRICS = [
  'firstMessageP50Ms',
  'firstMessageP99Ms',
  'latencyP50Ms',
  'messagesPerSecond',
  'cpuMicrosPerMessage',
  'peakMemoryMiB',
] as const satisfies readonly MetricName[];

/** One metric of one service at one place, and its comparison with the reference's. */
export interface ServiceComparison {
  readonly cell: CellReading | undefined;
  readonly figure: Figure | undefined;
  /** Undefined for the reference itself, if one of the two is missing, and for a service with separate operations. */
  readonly change: FigureChange | undefined;
}

/** Place where services are compared: at one tier, for one operation or all together, which alone have CPU time, memory and bytes. */
export interface ComparedPlace {
  readonly tier: TierView;
  readonly operation?: LabeledName;
}

/** One metric of every service at a place, the reference first. */
export function compareServices(view: RunView, place: ComparedPlace, metric: MetricName): readonly ServiceComparison[] {
  const cells = view.services.map((service) => cellAt(view, place, service));
  const first = view.services[0]?.name ?? '';
  const reference = cells[0]?.figures[metric];
  return view.services.map((service, index) => {
    const cell = cells[index];
    const figure = cell?.figures[metric];
    const isCompared = index > 0 && isSameGroup(view.run.suite, first, service.name);
    return { cell, figure, change: isCompared ? changeFrom(metric, reference, figure) : undefined };
  });
}

/** Cell of a service at a place; undefined if it was not measured. */
export function cellAt(view: RunView, { tier, operation }: ComparedPlace, service: LabeledName) {
  return view.cells.at({ service: service.name, operation: operation?.name ?? ALL_OPERATIONS, tier: tier.name });
}

/** Measured cells of all operations together, by tier and service. */
export function cellsAt(view: RunView, tiers: readonly TierView[] = view.tiers) {
  return tiers.flatMap((tier) =>
    view.services.flatMap((service, index) => {
      const cell = cellAt(view, { tier }, service);
      const about = aboutOf(view.run, { services: [service.name], tier: tier.name });
      return cell === undefined ? [] : [{ tier, service, index, cell, about }];
    }),
  );
}

/** Offered rate of a cell, the same for all services; undefined at saturation or if nothing was measured. */
export function offeredAt(view: RunView, place: ComparedPlace): number | undefined {
  return view.services.map((service) => cellAt(view, place, service)?.offeredRps).find((rate) => rate !== undefined);
}

/** Value of a metric with its unit; a dash without a value. */
export function metricText(metric: MetricName, value: number | undefined): string {
  return value === undefined ? NO_FIGURE : formatMetric(metric, value);
}

/** Change between single starts, without a verdict: "−34%", "same", "overlap"; empty if both are zero. */
export function changeWords({ change, status }: FigureChange): string {
  if (status === 'same') {
    return change === 0 ? '' : 'same';
  }
  if (status === 'overlapping') {
    return 'overlap';
  }
  return change === undefined ? 'from 0' : formatChange(change);
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
