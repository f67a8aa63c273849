import type { Finding } from '../../judge/verdict/finding.ts';
import { METRIC_NAMES, SATURATION } from '../../model/metric.ts';
import type { Run } from '../../model/run/run.ts';
import type { ComparisonView } from '../comparison/view.ts';
import { metricWord } from '../comparison/words.ts';
import { reportLabels } from './run-view.ts';

/** Subject of a row or a chart, as words with the indexes of its names in the filters: "s0 t2 m5 c1". A missing word matches all. */
export type About = string;

interface Subject {
  readonly services?: readonly string[];
  readonly tier?: string | undefined;
  readonly metric?: string | undefined;
  /** True if it differs from its reference; undefined if nothing was judged. */
  readonly isChanged?: boolean | undefined;
}

/** Filters of a page, in the order of their numbers. */
export interface Filters {
  readonly services: readonly string[];
  readonly tiers: readonly string[];
  readonly metrics: readonly string[];
  /** Label of the filter for changed rows. */
  readonly changed: string;
}

/** Words for a subject; a name that the run lacks matches all. */
export function aboutOf(run: Run, { services = [], tier = '', metric = '', isChanged }: Subject): About {
  const own = run.services.map(({ name }) => name);
  const metrics: readonly string[] = METRIC_NAMES;
  const places: readonly (readonly [word: string, place: number])[] = [
    ...services.map((name) => ['s', own.indexOf(name)] as const),
    ['t', tiersOf(run).indexOf(tier)],
    ['m', metrics.indexOf(metric)],
    ['c', isChanged === undefined ? -1 : Number(isChanged)],
  ];
  return places.flatMap(([word, place]) => (place < 0 ? [] : [`${word}${place}`])).join(' ');
}

/** Subject of a finding, and the direction of its change; undefined for figures that were measured elsewhere. */
export function aboutFinding(
  { run }: Pick<ComparisonView, 'run'>,
  { cell, metric, verdict }: Finding,
): About | undefined {
  const isChanged = verdict !== 'unchanged' && verdict !== 'inconclusive';
  return run && aboutOf(run, { services: [cell.service], tier: cell.tier, metric, isChanged });
}

/** All services, tiers and metrics that rows of a run can be about. */
export function filtersOf(run: Run, changed: string): Filters {
  const labels = reportLabels(run);
  return {
    services: run.services.map(({ name }) => labels.service(name)),
    tiers: tiersOf(run).map(labels.tier),
    metrics: METRIC_NAMES.map(metricWord),
    changed,
  };
}

function tiersOf({ suite }: Run): readonly string[] {
  return [...suite.tiers.map(({ name }) => name), SATURATION];
}
