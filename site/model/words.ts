import { formatChange, formatCount, formatPoints, grouped, NO_FIGURE } from '../../src/foundation/numbers.ts';
import { cleanText } from '../../src/foundation/text.ts';
import { anchorOf, isOfPlant, type Series } from '../../src/history/store/entry.ts';
import {
  ALL_OPERATIONS,
  formatMetric,
  isErrorRate,
  isMetric,
  METRICS,
  memberOf,
  SATURATION,
} from '../../src/model/metric.ts';
import { PROTOCOL_TITLES, type ProtocolName } from '../../src/model/service.ts';

export const DAY_MS = 86_400_000;

/** Display name of a service; if it is that of its protocol, with that title. */
export function serviceLabel(service: string): string {
  return isProtocol(service) ? PROTOCOL_TITLES[service] : shown(service);
}

function isProtocol(name: string): name is ProtocolName {
  return Object.hasOwn(PROTOCOL_TITLES, name);
}

/** Benchmark of another tool, whose names have no meaning here: Wiregauge measures no such metric. */
export function isForeign({ metric }: Pick<Series, 'metric'>): boolean {
  return !isMetric(metric);
}

/** Operation, or the member of a service in its place; a benchmark of another tool keeps its name. */
export function operationLabel(operation: string, of?: Pick<Series, 'metric'>): string {
  const member = of !== undefined && isForeign(of) ? undefined : memberOf({ operation });
  if (member !== undefined) {
    return `member ${shown(member)}`;
  }
  return operation === ALL_OPERATIONS ? 'all operations' : shown(operation);
}

/** Name of a tier in reports: "500 users (medium)"; its short name if its runs lack the load. */
export function tierLabel({ tier, load }: Pick<Series, 'tier' | 'load'>): string {
  if (tier === SATURATION) {
    return 'saturation';
  }
  return load === undefined ? shown(tier) : `${shown(load)} (${shown(tier)})`;
}

/** The same for a tier of several series; its short name also if its load differs between them. */
export function sharedTierLabel(tier: string, all: readonly Series[]): string {
  const loads = new Set(all.flatMap((one) => (one.tier === tier ? (one.load ?? []) : [])));
  const [load] = loads;
  return tierLabel(load === undefined || loads.size > 1 ? { tier } : { tier, load });
}

export function metricTitle(metric: string): string {
  return isMetric(metric) ? METRICS[metric].title : shown(metric);
}

/** Metric of a series; that of a member is not its service's. */
export function seriesMetricTitle(series: Pick<Series, 'metric' | 'operation'>): string {
  const title = metricTitle(series.metric);
  return isForeign(series) || memberOf(series) === undefined ? title : title.replace(/^service /, '');
}

/** Place of a series, without its metric: "REST, all operations, saturation". */
function placeLabel(series: Series): string {
  const { service, operation } = series;
  return [serviceLabel(service), operationLabel(operation), tierLabel(series)].filter((part) => part !== '').join(', ');
}

/** Label of a chart's line; the title has its operation: "REST, saturation". */
export function lineLabel(series: Series): string {
  const { service, operation } = series;
  if (isForeign(series)) {
    return seriesLabel(series);
  }
  const own = [serviceLabel(service), tierLabel(series)].filter((part) => part !== '').join(', ');
  return own || operationLabel(operation) || 'all';
}

/**
 * Full label of a series: "REST, all operations, saturation: service CPU time per request"; for ratios with their anchor. A benchmark of another tool
 * keeps its name there, with its load and its metric only if they are more specific than "all" and "value".
 */
export function seriesLabel(series: Series): string {
  if (isOfPlant(series)) {
    return `${serviceLabel(series.service)}: time to find a ${series.metric}`;
  }
  if (!isForeign(series)) {
    return `${placeLabel(series)}: ${seriesMetricTitle(series)}${sinceText(series)}`;
  }
  const name = operationLabel(series.operation, series) || serviceLabel(series.service);
  const tier = series.tier === 'all' || series.tier === '' ? '' : `, ${tierLabel(series)}`;
  const metric = series.metric === 'value' ? '' : `: ${seriesMetricTitle(series)}`;
  return `${name}${tier}${metric}${sinceText(series)}`;
}

/** ", since v1.4.0" for a series of ratios to an anchor; empty for any other. */
export function sinceText(series: Pick<Series, 'unit'>): string {
  const anchor = anchorOf(series);
  return anchor === undefined ? '' : `, since ${shown(anchor, 60)}`;
}

/**
 * Difference of a figure from an earlier one: relative to it, which must be above 0; for an error rate the difference of both shares. Undefined
 * without one.
 */
export function differenceOf(series: Pick<Series, 'metric' | 'unit'>, before: number, now: number): number | undefined {
  if (isErrorRate(series)) {
    return now - before;
  }
  return before > 0 ? now / before - 1 : undefined;
}

/** Text of a difference between two runs: "+4.2%", for an error rate "+50 points". */
export function differenceText(series: Pick<Series, 'metric' | 'unit'>, difference: number | undefined): string {
  if (difference === undefined || Number.isNaN(difference)) {
    return NO_FIGURE;
  }
  return isErrorRate(series) ? formatPoints(difference) : formatChange(difference);
}

/**
 * Value with its unit, or in the unit of a larger one on the same axis; a ratio to an anchor as a change; for unknown metrics, four digits and the
 * original unit.
 */
export function figureText(
  { metric, unit }: Pick<Series, 'metric' | 'unit'>,
  value: number | undefined,
  largest = Math.abs(value ?? 0),
): string {
  if (value === undefined || !Number.isFinite(value)) {
    return NO_FIGURE;
  }
  if (anchorOf({ unit }) !== undefined) {
    return formatChange(value - 1);
  }
  if (isMetric(metric) && METRICS[metric].unit === unit) {
    return formatMetric(metric, value);
  }
  const [scaled, scaledUnit] = readableTime(value, unit, largest);
  return `${plainFigure(scaled)} ${shown(scaledUnit)}`.trim();
}

const TIME_UNITS = ['ns', 'µs', 'ms', 's'];

/** Times with four digits or more in a larger unit: 20,130 ns/iter is 20.13 µs/iter. */
function readableTime(value: number, unit: string, largest: number): readonly [number, string] {
  const [, name = '', per = ''] = /^(ns|us|µs|ms)(\/.{1,20})?$/.exec(unit) ?? [];
  let place = TIME_UNITS.indexOf(name === 'us' ? 'µs' : name);
  let divisor = 1;
  if (place === -1) {
    return [value, unit];
  }
  while (largest / divisor >= 1000 && place < TIME_UNITS.length - 1) {
    divisor *= 1000;
    place += 1;
  }
  return [value / divisor, `${TIME_UNITS[place]}${per}`];
}

function plainFigure(value: number): string {
  const rounded = Number(value.toPrecision(4));
  const isPlain = rounded === 0 || (Math.abs(rounded) >= 1e-4 && Math.abs(rounded) < 1e9);
  return isPlain ? grouped(String(rounded)) : rounded.toExponential();
}

/** Both figures in the unit of the larger one: "10.43 µs to 9.705 µs". */
export function figureTexts(series: Pick<Series, 'metric' | 'unit'>, values: readonly (number | undefined)[]) {
  const largest = Math.max(...values.map((value = 0) => Math.abs(value)));
  return values.map((value) => figureText(series, value, largest));
}

/** Untrusted text on one line, without invisible characters. */
export function shown(text: string, most = 160): string {
  return cleanText(text, most);
}

/** "2026-11-21 10:00 UTC". */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Time since a moment: "today", "3 days ago". */
export function agoText(at: number, now: number): string {
  const days = Math.floor(now / DAY_MS) - Math.floor(at / DAY_MS);
  if (days <= 0) {
    return 'today';
  }
  return days === 1 ? 'yesterday' : `${days} days ago`;
}

export function shortSha(sha: string): string {
  return /^[0-9a-f]{12,}$/i.test(sha) ? sha.slice(0, 7) : shown(sha, 40);
}

/** "1 run", "12 runs". */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 || noun.endsWith('series') ? '' : 's'}`;
}
