import { mean } from '../../foundation/index.ts';
import {
  ALL_OPERATIONS,
  ALL_TIERS,
  type CellKey,
  COUNTED,
  type CountedStart,
  countedWindows,
  isGate,
  type Policy,
  type Run,
  type RunInRounds,
  type Side,
} from '../../model/index.ts';

/** A metric that is counted and not timed. */
export type CountedMetric = (typeof COUNTED)[number];

/** Starts of each version from which on they tell anything: a start says how a service varies only beside another one. */
export const FEWEST_STARTS = 2;

/** What varies more than these can tell is said to vary. */
export const MOST_STARTS = 4;

/** The counts per request of the windows that count, by start. */
export type Windows = readonly (readonly number[])[];

/** One figure of both versions. */
export interface CountedFigure {
  readonly cell: CellKey;
  readonly metric: CountedMetric;
  readonly base: Windows;
  readonly head: Windows;
}

/** What services and operations counts are of. */
export interface CountedSuite {
  readonly suite: Pick<Run['suite'], 'name' | 'operations'>;
}

/** One figure of one version. */
export interface CountedValue extends Pick<CountedFigure, 'cell' | 'metric'> {
  readonly starts: Windows;
  /** Of each start the mean of its windows. */
  readonly means: readonly number[];
  /** Of a start as such: their mean. */
  readonly value: number;
}

/** What was counted of the head, of the whole of each service and of each operation; without what had too few starts. */
export function countedValues({ suite }: CountedSuite, starts: readonly CountedStart[]): readonly CountedValue[] {
  const heads = startsOfSide(starts, 'head');
  return servicesOfStarts(heads).flatMap((service) => {
    const own = heads.filter((start) => start.service === service);
    return cellsOf({ suite }, service, operationsIn(own)).flatMap(({ cell, metric }) => {
      const windows = windowsOf({ suite }, own, { operation: cell.operation, metric });
      const means = windows.map((one) => mean(one) ?? 0);
      return isTelling(windows) ? [{ cell, metric, starts: windows, means, value: mean(means) ?? 0 }] : [];
    });
  });
}

/** What was counted of the whole of each service and of each operation, in both versions; without what had too few starts, or counted nothing in a window. */
export function countedFigures(run: RunInRounds): readonly CountedFigure[] {
  const starts = run.instructions?.starts ?? [];
  return servicesOfStarts(starts).flatMap((service) => {
    const own = starts.filter((start) => start.service === service);
    return cellsOf(run, service, operationsIn(own)).flatMap(({ cell, metric }) => {
      const windows = (side: Side) => windowsOf(run, startsOfSide(own, side), { operation: cell.operation, metric });
      const figure = { cell, metric, base: windows('base'), head: windows('head') };
      return [figure.base, figure.head].every(isTelling) ? [figure] : [];
    });
  });
}

function operationsIn(starts: readonly CountedStart[]): readonly string[] {
  return [...new Set(starts.flatMap(({ operations }) => operations.map(({ operation }) => operation)))];
}

/** How many figures may raise an alarm, as it is known before anything is counted. */
export function plannedFigures(run: RunInRounds, policy: Policy): number {
  const { base, head } = run.rounds;
  const services = head.services.filter((service) => base.services.includes(service));
  const operations = head.operations.filter((operation) => base.operations.includes(operation));
  return services.flatMap((service) => cellsOf(run, service, operations)).filter((one) => isGate(policy, one, true))
    .length;
}

/** A single operation is the whole. */
function cellsOf({ suite }: CountedSuite, service: string, operations: readonly string[]) {
  return [ALL_OPERATIONS, ...(operations.length > 1 ? operations : [])].flatMap((operation) =>
    COUNTED.map((metric) => ({ cell: { suite: suite.name, service, operation, tier: ALL_TIERS }, metric })),
  );
}

function isTelling(starts: Windows): boolean {
  const isCounted = (windows: readonly number[]) => windows.length > 1 && windows.every((count) => count > 0);
  return starts.length >= FEWEST_STARTS && starts.every(isCounted);
}

/** The services that were started to be counted. */
export function servicesOfStarts(starts: readonly CountedStart[]): readonly string[] {
  return [...new Set(starts.map(({ service }) => service))];
}

/** The starts of one version. */
export function startsOfSide(starts: readonly CountedStart[], side: Side): readonly CountedStart[] {
  return starts.filter((start) => start.side === side);
}

function windowsOf(
  { suite }: CountedSuite,
  starts: readonly CountedStart[],
  { operation, metric }: { readonly operation: string; readonly metric: CountedMetric },
): Windows {
  return starts.map((start) => {
    const parts = start.operations
      .filter((one) => operation === ALL_OPERATIONS || one.operation === operation)
      .map((one) => {
        const share = suite.operations.find(({ name }) => name === one.operation)?.share ?? 0;
        const { instructions, syscalls } = countedWindows(start, one);
        const counts = metric === 'instructionsPerRequest' ? instructions : syscalls;
        return { share, perRequest: counts.map((count) => count / one.requests) };
      });
    const whole = parts.reduce((sum, { share }) => sum + share, 0);
    const windows = Math.min(...parts.map(({ perRequest }) => perRequest.length));
    return Array.from({ length: Math.max(0, windows) }, (_, window) =>
      parts.reduce((sum, { share, perRequest }) => sum + (share / whole) * (perRequest[window] ?? 0), 0),
    );
  });
}
