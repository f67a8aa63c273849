import { presentCounts } from '../../model/run/kept-counts.ts';
import { type FormerNames, presentNames, renamesNothing } from '../../model/suite/former-names.ts';
import { type HistoryChange, isOfDefaultBranch } from './changes.ts';
import { type HistoryEntry, hasOwnFigures, type Series, seriesKey } from './entry.ts';
import type { HistoryIndex, NamesRow } from './index-file.ts';
import type { RunHistograms } from './segment.ts';

type Named = Pick<HistoryIndex, 'names'>;

/** Index with the former names from the newest run of each suite on the default branch, of its runs and these. */
export function withNames(index: HistoryIndex, entries: readonly HistoryEntry[]): HistoryIndex {
  const rows = new Map((index.names ?? []).map((row) => [row.suite, row]));
  for (const entry of entries.filter(
    (one) => (hasOwnFigures(one) || one.kind === 'anchored') && isOfDefaultBranch(one, index.branch),
  )) {
    const { suite, at, wasNamed = NOTHING } = entry;
    if ((rows.get(suite)?.at ?? '') <= at) {
      rows.set(suite, { suite, at, services: wasNamed.services, operations: wasNamed.operations });
    }
  }
  const names = [...rows.values()].filter((row) => !renamesNothing(row));
  const { names: _before, ...rest } = index;
  return names.length === 0
    ? rest
    : { ...rest, names: names.toSorted((left, right) => (left.suite < right.suite ? -1 : 1)) };
}

const NOTHING: FormerNames = { services: {}, operations: {} };

/** True if a later index keeps all renames of an earlier one: then its change points only need their present names. */
export function keepsNames(before: Named | undefined, after: Named): boolean {
  return (before?.names ?? []).every((row) => {
    const now = rowFor(after, row.suite);
    return now !== undefined && isWithin(row.services, now.services) && isWithin(row.operations, now.operations);
  });
}

function isWithin(some: NamesRow['services'], all: NamesRow['services']): boolean {
  const pairs = new Set(pairsOf(all));
  return pairsOf(some).every((pair) => pairs.has(pair));
}

function pairsOf(names: NamesRow['services']): readonly string[] {
  return Object.entries(names).flatMap(([now, former]) => former.map((one) => JSON.stringify([now, one])));
}

function rowFor({ names = [] }: Named, suite: string): NamesRow | undefined {
  return names.find((row) => row.suite === suite);
}

/** Runs under the present names of services and operations; runs with the same columns still share one array. */
export function underPresentNames(entries: readonly HistoryEntry[], index: Named): readonly HistoryEntry[] {
  const renamed = new Map<readonly Series[], readonly Series[]>();
  return entries.map((entry) => {
    const row = rowFor(index, entry.suite);
    if (row === undefined || entry.kind === 'import') {
      return entry;
    }
    const series = renamed.get(entry.series) ?? entry.series.map(presentNames(row, entry.series));
    renamed.set(entry.series, series);
    const { counts } = entry;
    return { ...entry, series, ...(counts !== undefined && { counts: presentCounts(counts, row) }) };
  });
}

/** Distributions of one run under present names. */
export function presentCells(cells: RunHistograms, index: Named, suite: string): RunHistograms {
  const row = rowFor(index, suite);
  const places = Object.keys(cells).map((cell) => {
    const [service = '', operation = '', tier = ''] = cell.split('/');
    return { cell, service, operation, tier };
  });
  const present = places.map(presentNames(row, places));
  return Object.fromEntries(
    present.map(({ cell, service, operation, tier }) => [`${service}/${operation}/${tier}`, cells[cell] ?? '']),
  );
}

export function changesUnderNames(changes: readonly HistoryChange[], index: Named): readonly HistoryChange[] {
  return changes.map((change) => ({ ...change, series: seriesNow(change.series, index) }));
}

function seriesNow(series: Series, index: Named): Series {
  return presentNames(rowFor(index, series.suite), [series])(series);
}

/** Present key of a series, from a key in an older link. */
export function presentKey(key: string, index: Named): string {
  const parts = key.split('/').map((part) => part.replaceAll('%2F', '/').replaceAll('%25', '%'));
  const [suite = '', service = '', operation = '', tier = '', metric = '', unit = ''] = parts;
  return parts.length === 6
    ? seriesKey(seriesNow({ suite, service, operation, tier, metric, unit, better: 'lower' }, index))
    : key;
}

/** Former keys of a series, by the former names of its service and operation. */
export function formerKeys(series: Series, index: Named): readonly string[] {
  const row = rowFor(index, series.suite);
  const former = (names: NamesRow['services'] | undefined, name: string) => [
    name,
    ...(new Map(Object.entries(names ?? {})).get(name) ?? []),
  ];
  const keys = former(row?.services, series.service).flatMap((service) =>
    former(row?.operations, series.operation).map((operation) => seriesKey({ ...series, service, operation })),
  );
  return keys.slice(1);
}
