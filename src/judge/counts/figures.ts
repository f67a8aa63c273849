import { mean } from '../../foundation/statistics.ts';
import { ALL_OPERATIONS, type CellKey, COUNTED, memberOf, memberOperation } from '../../model/metric.ts';
import { ALL_TIERS, isGate, type Policy } from '../../model/policy.ts';
import type { Side } from '../../model/rounds.ts';
import {
  type CountedStart,
  countedWindows,
  firstCounted,
  highestWindow,
  membersOfStart,
  startOfMember,
  WINDOWS,
  warmWindows,
} from '../../model/run/instructions.ts';
import type { Run, RunInRounds } from '../../model/run/run.ts';
import { operationsFor } from '../../model/suite/groups.ts';
import type { HeadReading } from '../verdict/finding.ts';

type CountedMetric = (typeof COUNTED)[number];

/** Fewest starts of each version: a single start does not show the spread. */
export const FEWEST_STARTS = 2;

/** More starts are not made; the spread is reported. */
export const MAX_STARTS = 4;

/** Counts per request in the valid windows, by start. */
export type Windows = readonly (readonly number[])[];

export interface CountedFigure {
  readonly cell: CellKey;
  readonly metric: CountedMetric;
  readonly base: Windows;
  readonly head: Windows;
  /** True if the windows with the same start and index ran at the same time. */
  readonly arePairs: boolean;
}

interface CountedSuite {
  readonly suite: Pick<Run['suite'], 'name' | 'operations' | 'groups'>;
}

export interface CountedValue extends Pick<CountedFigure, 'cell' | 'metric'> {
  /** Mean of its windows for each start. */
  readonly means: readonly number[];
  /** Mean of the starts. */
  readonly value: number;
}

/** Counts of the head: of each service, operation and member, unless it has too few starts. */
export function countedValues({ suite }: CountedSuite, starts: readonly CountedStart[]): readonly CountedValue[] {
  const heads = startsOfSide(starts, 'head');
  return servicesOfStarts(heads).flatMap((service) => {
    const own = heads.filter((start) => start.service === service);
    return partsOf({ suite }, service, own).flatMap(({ starts: counted, operation, cells }) =>
      cells.flatMap(({ cell, metric }) => {
        const windows = windowsOf({ suite }, counted, { operation: operation ?? cell.operation, metric });
        const means = windows.map((one) => mean(one) ?? 0);
        return isInformative(windows) ? [{ cell, metric, means, value: mean(means) ?? 0 }] : [];
      }),
    );
  });
}

export function countedReadings(run: Run): readonly HeadReading[] {
  return countedValues(run, run.instructions?.starts ?? []).map(({ cell, metric, means }) => ({
    ...{ cell, metric, values: means },
    better: 'lower',
  }));
}

/** Counts of each service, operation and member in both versions, unless it has too few starts or a window counted nothing. */
export function countedFigures(run: RunInRounds): readonly CountedFigure[] {
  const starts = run.instructions?.starts ?? [];
  return servicesOfStarts(starts).flatMap((service) => {
    const own = starts.filter((start) => start.service === service);
    return partsOf(run, service, own).flatMap(({ starts: counted, operation, cells }) => {
      const pairs = pairsOf(run, service, counted);
      return cells.flatMap(({ cell, metric }) => {
        const of = { operation: operation ?? cell.operation, metric };
        const windows = pairs === undefined ? apart(run, counted, of) : together(run, pairs, of);
        const figure = { cell, metric, ...windows, arePairs: pairs !== undefined };
        return [figure.base, figure.head].every(isInformative) ? [figure] : [];
      });
    });
  });
}

/** The service itself, and each member that was counted in all of its starts: a member takes part in all operations. */
function partsOf(suite: CountedSuite, service: string, starts: readonly CountedStart[]) {
  const operations = [...new Set(starts.flatMap((start) => start.operations.map(({ operation }) => operation)))];
  const [first, ...others] = starts.map(membersOfStart);
  const members = (first ?? []).filter((member) => others.every((names) => names.includes(member)));
  return [
    // Each cell has its operation.
    { starts, operation: undefined, cells: cellsOf(suite, service, operations) },
    ...members.map((member) => ({
      starts: starts.map((start) => startOfMember(start, member)),
      operation: ALL_OPERATIONS,
      cells: cellsOfMember(suite, service, member),
    })),
  ];
}

type Pair = Readonly<Record<Side, CountedStart>>;

/** Starts that ran at the same time as one of the other version; undefined if there are none, or if they have too few common windows. */
function pairsOf(
  { rounds, instructions }: RunInRounds,
  service: string,
  starts: readonly CountedStart[],
): readonly Pair[] | undefined {
  const isStored = (instructions?.stored ?? []).some((one) => one.service === service);
  const bases = new Map(startsOfSide(starts, 'base').map((base) => [base.start, base]));
  const pairs = startsOfSide(starts, 'head').flatMap((head) => {
    const base = bases.get(head.start);
    return base === undefined ? [] : [{ base, head }];
  });
  const areTogether = rounds.interleave === 'blocks' && !isStored && pairs.length > 0 && pairs.every(isWhole);
  return areTogether ? pairs : undefined;
}

function isWhole({ base, head }: Pair): boolean {
  const operations = [...base.operations, ...head.operations];
  return operations.every(({ instructions }) => instructions.length >= firstOf({ base, head }) + WINDOWS);
}

/** First window that may count in both versions. */
function firstOf({ base, head }: Pair): number {
  const firsts = [base, head].flatMap((start) => start.operations.map((one) => firstCounted(start, one)));
  return Math.max(0, ...firsts);
}

interface Requested {
  readonly operation: string;
  readonly metric: CountedMetric;
}

function apart(suite: CountedSuite, starts: readonly CountedStart[], of: Requested): Record<Side, Windows> {
  const windows = (side: Side) => windowsOf(suite, startsOfSide(starts, side), of);
  return { base: windows('base'), head: windows('head') };
}

/** Pairs without the windows in which either version executed most: a garbage collection may fall into different windows in each version. */
function together(suite: CountedSuite, pairs: readonly Pair[], of: Requested): Record<Side, Windows> {
  const counted = pairs.map((pair) => {
    const windows = (start: CountedStart, metric: CountedMetric) =>
      perRequest(suite, start, { ...of, metric, countsOf: (one) => warmWindows(start, one, firstOf(pair)) });
    const sides = [pair.base, pair.head] as const;
    const highest = sides.map((start) => highestWindow(windows(start, 'instructionsPerRequest')));
    return sides.map((start) => windows(start, of.metric).filter((_, window) => !highest.includes(window)));
  });
  return { base: counted.map(([base = []]) => base), head: counted.map(([, head = []]) => head) };
}

/** Number of metrics that may raise an alarm, known before anything is counted. */
export function plannedFigures(run: RunInRounds, policy: Policy): number {
  const { base, head } = run.rounds;
  const services = head.services.filter((service) => base.services.includes(service));
  const operationsOfBoth = (service: string): readonly string[] => {
    const ofBase = operationsFor(base, service);
    return operationsFor(head, service).filter((operation) => ofBase.includes(operation));
  };
  const wholes = services.flatMap((service) => cellsOf(run, service, operationsOfBoth(service)));
  const members = run.services
    .filter(({ name }) => services.includes(name))
    .flatMap(({ name, members: parts = [] }) => parts.flatMap((part) => cellsOfMember(run, name, part.name)));
  // Verdicts of runs by earlier versions do not change.
  const isPlanned = ({ metric }: { readonly metric: CountedMetric }) =>
    metric !== 'allocationsPerRequest' || run.instructions?.hasAllocations === true;
  return [...wholes, ...members].filter((one) => isPlanned(one) && gates(policy, one)).length;
}

/** True if a metric may fail the comparison. Only the whole service gates: a change in a member changes it, too, and the report names the member. */
export function gates(policy: Policy, one: Pick<CountedFigure, 'cell' | 'metric'>): boolean {
  return isGate(policy, one, memberOf(one.cell) === undefined);
}

/** A single operation equals the whole service. */
function cellsOf({ suite }: CountedSuite, service: string, operations: readonly string[]) {
  return [ALL_OPERATIONS, ...(operations.length > 1 ? operations : [])].flatMap((operation) =>
    COUNTED.map((metric) => ({ cell: { suite: suite.name, service, operation, tier: ALL_TIERS }, metric })),
  );
}

function cellsOfMember({ suite }: CountedSuite, service: string, member: string): ReturnType<typeof cellsOf> {
  const cell = { suite: suite.name, service, operation: memberOperation(member), tier: ALL_TIERS };
  return COUNTED.map((metric) => ({ cell, metric }));
}

function isInformative(starts: Windows): boolean {
  const isCounted = (windows: readonly number[]) => windows.length > 1 && windows.every((count) => count > 0);
  return starts.length >= FEWEST_STARTS && starts.every(isCounted);
}

export function servicesOfStarts(starts: readonly CountedStart[]): readonly string[] {
  return [...new Set(starts.map(({ service }) => service))];
}

export function startsOfSide(starts: readonly CountedStart[], side: Side): readonly CountedStart[] {
  return starts.filter((start) => start.side === side);
}

function windowsOf(suite: CountedSuite, starts: readonly CountedStart[], of: Requested): Windows {
  return starts.map((start) => perRequest(suite, start, { ...of, countsOf: (one) => countedWindows(start, one) }));
}

interface RequestedWindows extends Requested {
  /** Valid windows of an operation. */
  readonly countsOf: (operation: CountedStart['operations'][number]) => ReturnType<typeof countedWindows>;
}

const WINDOWS_OF = {
  instructionsPerRequest: 'instructions',
  syscallsPerRequest: 'syscalls',
  allocationsPerRequest: 'allocations',
} as const;

function perRequest(
  { suite }: CountedSuite,
  start: CountedStart,
  { operation, metric, countsOf }: RequestedWindows,
): readonly number[] {
  const parts = start.operations
    .filter((one) => operation === ALL_OPERATIONS || one.operation === operation)
    .map((one) => {
      const share = operationsFor(suite, start.service).find(({ name }) => name === one.operation)?.share ?? 0;
      return { share, counts: countsOf(one)[WINDOWS_OF[metric]].map((count) => count / one.requests) };
    });
  const whole = parts.reduce((sum, { share }) => sum + share, 0);
  const windows = parts.length === 0 ? 0 : Math.min(...parts.map(({ counts }) => counts.length));
  return Array.from({ length: windows }, (_, window) =>
    parts.reduce((sum, { share, counts }) => sum + (share / whole) * (counts[window] ?? 0), 0),
  );
}
