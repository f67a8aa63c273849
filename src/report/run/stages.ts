import { formatChange, formatCount, formatShare, NO_FIGURE } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import { formatMetric, type MetricName } from '../../model/metric.ts';
import type { StageSample } from '../../model/run/sample.ts';
import { isStaged } from '../../model/suite/suite.ts';
import { metricWord } from '../comparison/words.ts';
import { type Cell, noted, type Section, type Table, type TableRow } from '../document.ts';
import type { RunView, TierView } from '../views/run-view.ts';
import { capital, cellAt, cellsAt, compareServices } from '../views/service-comparison.ts';
import { tierParts } from './charts.ts';

/** Results of users who come and go: totals of each such tier, and its stages; empty without any. */
export function stagesSection(view: RunView): Section {
  const note =
    'Users who come and go, each with at most one request in flight: latency is how long they waited for an answer. Their number changes linearly within a stage. Totals cover all stages, with the change against the first service.';
  const names = view.run.suite.tiers.filter(isStaged).map(({ name }) => name);
  const tiers = view.tiers.filter(({ name, isSaturation }) => !isSaturation && names.includes(name));
  const blocks = tierParts(tiers, (tier) => [totalsTable(view, tier), stagesTable(view, tier)]);
  return { id: 'stages', title: 'Users by stage', blocks: noted(note, ...blocks) };
}

const TOTALS = [
  'latencyMeanMs',
  'latencyP50Ms',
  'latencyP90Ms',
  'latencyP99Ms',
  'latencyMinMs',
  'latencyMaxMs',
  'achievedRps',
] as const satisfies readonly MetricName[];

function totalsTable(view: RunView, tier: TierView): Table {
  const place = { tier };
  const compared = TOTALS.map((metric) => compareServices(view, place, metric));
  const first = view.services[0] && cellAt(view, place, view.services[0])?.requests;
  const rows = cellsAt(view, [tier]).map(({ service, index, cell, about }): TableRow => {
    const failed = cell.failures.reduce((sum, { count }) => sum + count, 0);
    const figures = compared.map((services, at): Cell => {
      const { figure, change } = services[index] ?? {};
      const metric = TOTALS[at];
      return figure === undefined || metric === undefined
        ? { text: NO_FIGURE, tone: 'faint' }
        : { text: formatMetric(metric, figure.median), details: [changed(change?.change)] };
    });
    const more = index === 0 || first === undefined || first === 0 ? undefined : cell.requests / first - 1;
    const requests = { text: formatCount(cell.requests), details: [changed(more)] };
    return { head: service.label, about, cells: [requests, formatCount(failed), ...figures] };
  });
  return {
    kind: 'table',
    isCaptioned: true,
    caption: `Totals at ${tier.label}`,
    columns: ['', 'requests', 'failed', ...TOTALS.map(metricWord)],
    rows,
    detailNames: [`against ${view.services[0]?.label ?? ''}`],
  };
}

function changed(change: number | undefined) {
  return { text: change === undefined ? '' : formatChange(change), tone: 'faint' as const };
}

const STAGE_FIGURES = [
  'achievedRps',
  'latencyP50Ms',
  'latencyP95Ms',
  'latencyP99Ms',
  'errorRate',
  'serviceCpuShare',
  'loadCpuShare',
] as const satisfies readonly MetricName[];

function stagesTable(view: RunView, tier: TierView): Table {
  const all = cellsAt(view, [tier]).flatMap(({ service, about, cell }) => {
    const rounds = cell.samples.flatMap(({ stages }) => (stages === undefined ? [] : [stages]));
    return rounds.length === 0 ? [] : [{ service, about, rounds }];
  });
  const first = all[0]?.rounds[0] ?? [];
  return {
    kind: 'table',
    isCaptioned: true,
    caption: `Stages at ${tier.label}`,
    columns: ['', ...STAGE_FIGURES.map(metricWord)],
    rows: first.flatMap((stage, index) =>
      all.map(({ service, about, rounds }) => ({
        ...{ group: stageWords(stage), head: service.label, about },
        cells: STAGE_FIGURES.map((metric) => stageText(rounds, index, metric)),
      })),
    ),
  };
}

function stageText(rounds: readonly (readonly StageSample[])[], index: number, metric: MetricName): string {
  const value = median(rounds.flatMap((stages) => stages[index]?.values[metric] ?? []));
  if (value === undefined) {
    return NO_FIGURE;
  }
  return metric === 'errorRate' ? formatShare(value) : formatMetric(metric, value);
}

/** "0 to 30 s, 0 to 100 users", "10 to 70 s, 100 users". */
function stageWords({ fromSeconds, seconds, fromUsers, users }: StageSample): string {
  const [begin, end] = [fromSeconds, fromSeconds + seconds].map((value) => String(Math.round(value * 10) / 10));
  const [from, to] = [fromUsers, users].map(formatCount);
  return capital(`${begin} to ${end} s, ${from === to ? to : `${from} to ${to}`} users`);
}
