import { type CellReading, hasMark } from '../../src/judge/reading/cells.ts';
import { ALL_OPERATIONS, type MetricName } from '../../src/model/metric.ts';
import type { Run } from '../../src/model/run/run.ts';
import type { SweepRecord } from '../../src/model/run/sweep.ts';
import { isClosed, type Tier } from '../../src/model/suite/suite.ts';
import { tierWords } from '../../src/model/suite/tier-words.ts';
import type { LabeledName, RunView } from '../../src/report/views/run-view.ts';

/** A run's figures over the argument that its suite sweeps. */
export interface SweepReading {
  readonly run: Run;
  /** Unit of the argument: "objects in an answer". */
  readonly title: string;
  /** Tiers with the same users, each with a different argument; in the suite's order. */
  readonly lines: readonly SweepLine[];
  /** Services that are shown together; each panel has at least one. */
  readonly panels: readonly { readonly title: string; readonly services: readonly string[] }[];
  /** Empty if no line shows it. */
  readonly furtherObjects: readonly FurtherObject[];
}

export interface SweepLine {
  /** "16 users at full rate", "500 users". */
  readonly label: string;
  /** Users without think time and without an end, who show the capacity of a service. */
  readonly isFullRate: boolean;
  /** In ascending order of the argument. */
  readonly points: readonly SweepPoint[];
}

/** One tier of a line, with every service of the run. */
export interface SweepPoint {
  readonly at: number;
  readonly tier: string;
  readonly services: readonly SweepCell[];
}

/** Service at a point, over all operations: the tier has one. */
export interface SweepCell {
  readonly service: LabeledName;
  /** Undefined if it was not measured. */
  readonly cell: CellReading | undefined;
}

/**
 * CPU time of one additional object for a service: (cpu(n) - cpu(m)) / (n - m) in microseconds, from the CPU time per request at the largest and the
 * smallest argument at which it was measured at full rate, n and m. Fixed costs of a request, such as reading it, finding its operation and
 * responding at all, cancel out. The rest is everything that grows with the response: creating, copying and sending it, in the service and in the
 * kernel. It does not measure a serializer alone, and is a straight line between two points: caches and buffers can make the objects between them
 * cheaper or more expensive.
 */
export interface FurtherObject {
  readonly service: LabeledName;
  readonly cpuMicros: number;
  /** Multiple of the reference's; undefined if the reference has none above 0. */
  readonly times: number | undefined;
  readonly from: number;
  readonly to: number;
}

/** Run over its suite's argument; undefined for a run without a sweep, or without a point that is one of its tiers. */
export function sweepOf(view: RunView): SweepReading | undefined {
  const { sweep } = view.run.suite;
  const lines = sweep === undefined ? [] : linesOf(view, sweep);
  if (sweep === undefined || lines.length === 0) {
    return undefined;
  }
  const fullRate = lines.find(({ isFullRate }) => isFullRate);
  return {
    run: view.run,
    title: sweep.title,
    lines,
    panels: panelsOf(view, sweep),
    furtherObjects: fullRate === undefined ? [] : furtherObjects(view, fullRate),
  };
}

/** Figure of a service as a multiple of the reference's at the same point; undefined for the reference, and if one is missing or 0. */
export function timesReference(point: SweepPoint, service: LabeledName, metric: MetricName): number | undefined {
  const [reference] = point.services;
  const own = point.services.find((one) => one.service.name === service.name);
  const [base, other] = [reference, own].map((one) => one?.cell?.figures[metric]?.median ?? 0);
  return reference === own || !base || !other ? undefined : other / base;
}

function linesOf(view: RunView, sweep: SweepRecord): readonly SweepLine[] {
  const groups: Group[] = [];
  for (const tier of view.tiers) {
    const known = view.run.suite.tiers.find(({ name }) => name === tier.name);
    const at = sweep.points.find((point) => point.tier === tier.name)?.at;
    if (known !== undefined && at !== undefined) {
      join(groups, known, at);
    }
  }
  const labels = groups.map(({ first }) => tierWords({ ...first, operations: undefined }));
  return groups.map(({ first, tiers }, index) => {
    const label = labels[index] ?? '';
    const isOnly = labels.filter((other) => other === label).length === 1;
    return {
      label: isOnly ? label : `${label} (from ${first.name})`,
      isFullRate: isClosed(first) && first.requestsPerUser === undefined,
      points: tiers.toSorted((left, right) => left.at - right.at).map((point) => pointOf(view, point)),
    };
  });
}

interface Group {
  readonly first: Tier;
  readonly tiers: { readonly at: number; readonly tier: string }[];
}

/** Adds the tier to the first group of the same load without such a point: another tier there has a different request with the same argument. */
function join(groups: Group[], tier: Tier, at: number): void {
  const point = { at, tier: tier.name };
  const group = groups.find(({ first, tiers }) => isSameLoad(first, tier) && tiers.every((other) => other.at !== at));
  if (group === undefined) {
    groups.push({ first: tier, tiers: [point] });
  } else {
    group.tiers.push(point);
  }
}

function isSameLoad(left: Tier, right: Tier): boolean {
  return loadOf(left) === loadOf(right);
}

/** Everything about a tier except its name and its argument. */
function loadOf({ name: _name, operations: _operations, ...load }: Tier): string {
  return JSON.stringify(Object.entries(load).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function pointOf(view: RunView, { at, tier }: Group['tiers'][number]): SweepPoint {
  const services = view.services.map((service) => ({
    service,
    cell: view.cells.at({ service: service.name, operation: ALL_OPERATIONS, tier }),
  }));
  return { at, tier, services };
}

function panelsOf({ services }: RunView, { panels }: SweepRecord): SweepReading['panels'] {
  const names = services.map(({ name }) => name);
  const shown = panels.map((panel) => ({
    title: panel.title,
    services: names.filter((name) => panel.services.includes(name)),
  }));
  const filled = shown.filter((panel) => panel.services.length > 0);
  return filled.length === 0 ? [{ title: 'All services', services: names }] : filled;
}

function furtherObjects({ services }: RunView, line: SweepLine): readonly FurtherObject[] {
  const found = services.flatMap((service) => furtherObject(service, line));
  const reference = found.find(({ service }) => service === services[0])?.cpuMicros ?? 0;
  return found.map((one) => ({ ...one, times: reference > 0 ? one.cpuMicros / reference : undefined }));
}

function furtherObject(service: LabeledName, line: SweepLine): readonly Omit<FurtherObject, 'times'>[] {
  const costs = line.points.flatMap(({ at, services }) => {
    const cell = services.find((one) => one.service === service)?.cell;
    const cpu = cell?.figures.cpuMicrosPerRequest?.median;
    // A failed request has a different cost.
    return cpu === undefined || hasMark(cell, 'failing') ? [] : [{ at, cpu }];
  });
  const [from, to] = [costs[0], costs.at(-1)];
  return from === undefined || to === undefined || from === to
    ? []
    : [{ service, cpuMicros: (to.cpu - from.cpu) / (to.at - from.at), from: from.at, to: to.at }];
}
