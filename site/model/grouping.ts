import { anchorOf, isOfPlant, type Series, seriesKey } from '../../src/history/store/entry.ts';
import { ALL_OPERATIONS, METRIC_NAMES, SATURATION } from '../../src/model/metric.ts';
import { isForeign, operationLabel, serviceLabel, shown, sinceText } from './words.ts';

/** Line with its style: a color for its service, dashes for its tier. */
export interface ChartLine {
  readonly key: string;
  readonly series: Series;
  readonly color: number;
  readonly dash: number;
}

/** Series under one heading of the list. */
export interface SeriesGroup {
  readonly id: string;
  readonly title: string;
  readonly series: readonly Series[];
  /** Benchmarks of other tools have one table, as have ended series. */
  readonly kind: 'own' | 'imported' | 'ended';
}

/** Maximum number of distinguishable lines; the shown series is always among them. */
const MAX_LINES = 12;

const TIER_ORDER = ['low', 'medium', 'high', SATURATION];

/** Lines of the chart in which a series is shown: one operation and one metric, of all services and tiers. */
export function chartLines(all: readonly Series[], chosen: Series): readonly ChartLine[] {
  const ordered = inOrder(all.filter(({ suite }) => suite === chosen.suite));
  const services = unique(ordered.map(({ service }) => service));
  const together = ordered.filter((one) => isTogether(one, chosen));
  const tiers = unique(together.map(({ tier }) => tier));
  const lines = together.map((series) => ({
    key: seriesKey(series),
    series,
    color: services.indexOf(series.service),
    // The highest tier has the solid line: it is the most informative.
    dash: tiers.length - 1 - tiers.indexOf(series.tier),
  }));
  const own = seriesKey(chosen);
  const others = lines.filter(({ key }) => key !== own).slice(0, MAX_LINES - 1);
  return lines.filter((line) => line.key === own || others.includes(line));
}

function isTogether(one: Series, chosen: Series): boolean {
  return one.operation === chosen.operation && one.metric === chosen.metric && one.unit === chosen.unit;
}

/** Headings of the list: a service and an operation each, those of ratios to an anchor first; imported benchmarks and ended series last. */
export function seriesGroups(all: readonly Series[], ended: ReadonlySet<string> = NONE): readonly SeriesGroup[] {
  const alive = all.filter((one) => !ended.has(seriesKey(one)));
  const foreign = alive.filter((one) => isForeign(one) && !isOfPlant(one));
  const over = all.filter((one) => ended.has(seriesKey(one)));
  return [
    ...ownGroups(alive.filter((one) => !isForeign(one))),
    ...tableOf('plants', 'Planted slowdowns', alive.filter(isOfPlant)),
    ...tableOf('imported', 'Imported benchmarks', foreign),
    ...tableOf('ended', 'Ended series', over),
  ];
}

const NONE: ReadonlySet<string> = new Set();

function tableOf(
  id: 'plants' | 'imported' | 'ended',
  title: string,
  series: readonly Series[],
): readonly SeriesGroup[] {
  const kind = id === 'ended' ? id : 'imported';
  return series.length === 0 ? [] : [{ id, title, series: inOrder(series), kind }];
}

function ownGroups(all: readonly Series[]): readonly SeriesGroup[] {
  const groups = new Map<string, Series[]>();
  for (const one of inOrder(all)) {
    const id = JSON.stringify([one.suite, one.service, one.operation, anchorOf(one) ?? '']);
    groups.set(id, [...(groups.get(id) ?? []), one]);
  }
  const suites = unique(all.map(({ suite }) => suite));
  return [...groups].map(([id, series]) => ({
    id,
    title: groupTitle(series[0], suites.length > 1),
    series,
    kind: 'own',
  }));
}

function groupTitle(series: Series | undefined, hasSuites: boolean): string {
  if (series === undefined) {
    return '';
  }
  const title = `${serviceLabel(series.service)}, ${operationLabel(series.operation)}${sinceText(series)}`;
  return hasSuites ? `${shown(series.suite)}: ${title}` : title;
}

/**
 * Ratios to an anchor first, those to the newest release before others; then all operations together before single ones, tiers by load, metrics as in
 * the reports; otherwise in the given order.
 */
export function inOrder(all: readonly Series[]): readonly Series[] {
  const placesOf = (name: 'suite' | 'service' | 'operation' | 'tier' | 'metric') =>
    new Map(unique(all.map((one) => one[name])).map((text, place) => [text, place]));
  const [suites, services, operations, tiers, metrics] = [
    placesOf('suite'),
    placesOf('service'),
    placesOf('operation'),
    placesOf('tier'),
    placesOf('metric'),
  ];
  const anchors = unique(all.flatMap((one) => anchorOf(one) ?? [])).toSorted(newestFirst);
  const anchorRank = (one: Series) => {
    const anchor = anchorOf(one);
    return anchor === undefined ? anchors.length : anchors.indexOf(anchor);
  };
  const ranks = (one: Series): readonly number[] => [
    anchorRank(one),
    suites.get(one.suite) ?? 0,
    services.get(one.service) ?? 0,
    one.operation === ALL_OPERATIONS ? -1 : (operations.get(one.operation) ?? 0),
    ranked(TIER_ORDER, one.tier, tiers.get(one.tier) ?? 0),
    ranked(METRIC_NAMES, one.metric, metrics.get(one.metric) ?? 0),
  ];
  return all
    .map((one) => ({ one, ranks: ranks(one) }))
    .sort((left, right) => firstDifference(left.ranks, right.ranks))
    .map(({ one }) => one);
}

/** Order by the numbers in names: v1.10.0 before v1.9.0. */
function newestFirst(left: string, right: string): number {
  return right.localeCompare(left, 'en', { numeric: true });
}

/** Known names in their order, then others in the given order. */
function ranked(known: readonly string[], name: string, place: number): number {
  const found = known.indexOf(name);
  return found === -1 ? known.length + place : found;
}

function firstDifference(left: readonly number[], right: readonly number[]): number {
  return left.map((rank, index) => rank - (right[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
