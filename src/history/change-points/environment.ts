import * as z from 'zod/mini';
import { median } from '../../foundation/statistics.ts';
import { ALL_OPERATIONS, memberOf } from '../../model/metric.ts';
import { anchorOf, type HistoryEntry, type Series, turnOf } from '../store/entry.ts';
import { count, name, object, type Stored, text, word } from '../store/fields.ts';
import { isOfMachine } from './strata.ts';

/** Units that move together: services, operations if there are fewer than 3 services, or imported benchmarks. */
const PARTS = ['services', 'operations', 'benchmarks'] as const;

/** Reason why a change may come from the environment and not from the commit. Names of machines are untrusted text. */
const knownReason = z.discriminatedUnion('reason', [
  z.object({ reason: z.literal('gap'), days: count }),
  z.object({ reason: z.literal('machine'), before: text(), after: text() }),
  z.object({ reason: z.literal('many'), moved: count, of: count, what: word(PARTS) }),
]);

export type EnvironmentReason = Stored<z.output<typeof knownReason>>;

const KNOWN_REASONS: readonly string[] = ['gap', 'machine', 'many'];

/** Reason in a file of change points; undefined for one of a later version. */
export const reasonSchema = z.union([
  knownReason,
  z.pipe(
    object({ reason: name.check(z.refine((reason) => !KNOWN_REASONS.includes(reason), 'is incomplete')) }),
    z.transform(() => undefined),
  ),
]);

const DAY_MS = 86_400_000;

/** A gap is at least this many days, and this many times the median interval. */
const GAP = { days: 14, times: 5 };

/** Number of intervals before a run whose median is the usual interval. */
const USUAL = 30;

/** Number of runs on either side whose machines are compared. */
const NEAR = 10;

/** Number of runs up to a change that decide about gaps and machines. */
export const SEEN_BEFORE = USUAL + 2;

/** Gap before a change, and machines that differ from there on. Counts and ratios to an anchor do not depend on either. */
export function reasonsAt(
  { series, runs }: { readonly series: Series; readonly runs: readonly HistoryEntry[] },
  index: number,
  neighbor: number | undefined,
): readonly EnvironmentReason[] {
  const isMeasured = anchorOf(series) === undefined && isOfMachine(series.metric);
  const gaps = [index, ...(neighbor === undefined ? [] : [neighbor])].flatMap((place) => gapBefore(runs, place));
  return isMeasured ? [...gaps.slice(0, 1), ...otherMachines(runs, index)] : [];
}

function gapBefore(runs: readonly HistoryEntry[], index: number): readonly EnvironmentReason[] {
  const times = runs.slice(Math.max(0, index - USUAL - 1), index + 1).map(({ at }) => Date.parse(at) / DAY_MS);
  const intervals = times.slice(1).map((time, place) => time - (times[place] ?? time));
  const last = intervals.pop() ?? 0;
  const usual = median(intervals) ?? Number.POSITIVE_INFINITY;
  return last >= GAP.days && last >= GAP.times * usual ? [{ reason: 'gap', days: Math.round(last) }] : [];
}

/** Reports new machines if no machine from before a run is used after it. */
function otherMachines(runs: readonly HistoryEntry[], index: number): readonly EnvironmentReason[] {
  const before = runs.slice(Math.max(0, index - NEAR), index).flatMap(machineClass);
  const after = runs.slice(index, index + NEAR).flatMap(machineClass);
  const [last, first] = [before.at(-1), after[0]];
  const isOther = last !== undefined && first !== undefined && !after.some((one) => before.includes(one));
  return isOther ? [{ reason: 'machine', before: last, after: first }] : [];
}

/**
 * Processor, cores, major and minor version of the kernel, and on GitHub the system of the image, without the parts that change with weekly
 * updates.
 */
function machineClass({ runner }: HistoryEntry): readonly string[] {
  if (runner === undefined) {
    return [];
  }
  const { cpuModel, cores, kernel, image } = runner;
  const system = image === undefined ? [] : [image.split('-')[0] ?? image];
  return [[cpuModel, `${cores} cores`, `kernel ${kernel.split('.').slice(0, 2).join('.')}`, ...system].join(', ')];
}

interface Moved {
  readonly series: Series;
  readonly run: string;
  readonly shift: number;
  readonly neighbor?: { readonly run: string } | undefined;
  readonly environment?: readonly EnvironmentReason[] | undefined;
}

/** Changes, each labeled if most series of its run moved with it. Changes of runs that are not among the entries are unchanged. */
export function withTogether<Change extends Moved>(
  changes: readonly Change[],
  entries: readonly HistoryEntry[],
): readonly Change[] {
  const runs = new Map(entries.map((entry) => [entry.run, entry]));
  // A change that may equally begin with a neighboring run counts there, too.
  const beginning = Map.groupBy(
    changes.flatMap((one) => [one.run, ...(one.neighbor ? [one.neighbor.run] : [])].map((run) => ({ run, one }))),
    ({ run }) => run,
  );
  const known = new Map<string, readonly EnvironmentReason[]>();
  return changes.map((change) => {
    const entry = runs.get(change.run);
    if (entry === undefined || anchorOf(change.series) !== undefined) {
      return change;
    }
    const way = `${change.run} ${isWorse(change)}`;
    const all = (beginning.get(change.run) ?? []).map(({ one }) => one);
    const alike = all.filter((one) => anchorOf(one.series) === undefined && isWorse(one) === isWorse(change));
    const together = known.get(way) ?? movedTogether(entry, alike);
    known.set(way, together);
    const { environment = [], ...rest } = change;
    const reasons: readonly EnvironmentReason[] = [
      ...environment.filter(({ reason }) => reason !== 'many'),
      ...together,
    ];
    return { ...rest, ...(reasons.length > 0 && { environment: reasons }) } as Change;
  });
}

function isWorse({ series, shift }: Moved): boolean {
  return turnOf(series, shift) === 'worse';
}

/** Fewer than 3 parts often move together because of a commit. */
const FEWEST_PARTS = 3;

const MAX_PARTS = 0.75;

/** Reports that three quarters of a run moved the same way: of its services if it has at least 3, otherwise of its operations. */
function movedTogether(
  { kind, series }: Pick<HistoryEntry, 'kind' | 'series'>,
  changes: readonly Moved[],
): readonly EnvironmentReason[] {
  const all = partsOf(series.filter((one) => anchorOf(one) === undefined));
  const moved = partsOf(changes.map((one) => one.series));
  const services = all.services.filter((one) => moved.services.includes(one));
  if (services.length < MAX_PARTS * all.services.length) {
    return [];
  }
  if (all.services.length >= FEWEST_PARTS) {
    return [{ reason: 'many', moved: services.length, of: all.services.length, what: 'services' }];
  }
  const operations = all.operations.filter((one) => moved.operations.includes(one));
  const isMost = operations.length >= Math.max(FEWEST_PARTS, MAX_PARTS * all.operations.length);
  const what = kind === 'import' ? 'benchmarks' : 'operations';
  return isMost ? [{ reason: 'many', moved: operations.length, of: all.operations.length, what }] : [];
}

/** Services and their single operations; members count as parts of a service. */
function partsOf(all: readonly Series[]): {
  readonly services: readonly string[];
  readonly operations: readonly string[];
} {
  const series = all.filter((one) => memberOf(one) === undefined);
  const single = series.filter(({ operation }) => operation !== ALL_OPERATIONS);
  const name = ({ service, operation }: Series) => JSON.stringify([service, operation]);
  return {
    services: [...new Set(series.map(({ service }) => service))],
    operations: [...new Set((single.length === 0 ? series : single).map(name))],
  };
}
