import type { Finding } from '../../judge/verdict/finding.ts';
import { METRIC_NAMES, SATURATION } from '../../model/metric.ts';
import type { Run } from '../../model/run/run.ts';
import type { ComparisonView } from '../comparison/view.ts';
import { metricWord } from '../comparison/words.ts';
import { reportLabels } from './run-view.ts';

/** Subject of a row or a mark, by indexes in the filters; an omitted field matches all. */
export interface About {
  readonly services: readonly number[];
  readonly tier: number | undefined;
  readonly metric: number | undefined;
  /** True if it differs from its reference; undefined if nothing was judged. */
  readonly isChanged: boolean | undefined;
}

/** The same by name. */
interface Subject {
  readonly services?: readonly string[];
  readonly tier?: string | undefined;
  readonly metric?: string | undefined;
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

/** Indexes of a subject in the filters of its run; a name that the run lacks matches all. */
export function aboutOf(run: Run, { services = [], tier, metric, isChanged }: Subject): About {
  const own = run.services.map(({ name }) => name);
  return {
    services: services.flatMap((name) => numberIn(own, name) ?? []),
    tier: numberIn(tiersOf(run), tier),
    metric: numberIn(METRIC_NAMES, metric),
    isChanged,
  };
}

/** Subject of a finding, and the direction of its change; undefined for figures that were measured elsewhere. */
export function aboutFinding(
  { run }: Pick<ComparisonView, 'run'>,
  { cell, metric, verdict }: Finding,
): About | undefined {
  const isChanged = verdict !== 'unchanged' && verdict !== 'inconclusive';
  return run && aboutOf(run, { services: [cell.service], tier: cell.tier, metric, isChanged });
}

function numberIn(names: readonly string[], name: string | undefined): number | undefined {
  const number = name === undefined ? -1 : names.indexOf(name);
  return number < 0 ? undefined : number;
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
