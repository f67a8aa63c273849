import { formatRate, formatShare, NO_FIGURE } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import { type ServiceAtTier, type TierPair, tierRanking, turningTier } from '../../judge/reading/tier-comparison.ts';
import { ALL_OPERATIONS, formatMetric, formatRange, METRIC_NAMES, type MetricName } from '../../model/metric.ts';
import { MARK_MEANINGS } from '../../model/sample/mark.ts';
import { isSameGroup } from '../../model/suite/groups.ts';
import { arrivalTiers } from '../../model/suite/suite.ts';
import { metricWord } from '../comparison/words.ts';
import {
  type Block,
  type Cell,
  type Chip,
  fold,
  list,
  noted,
  paragraph,
  type Section,
  type Table,
  type TableRow,
} from '../document.ts';
import { aboutOf } from '../views/about.ts';
import { type LabeledName, pairAt, type RunView, type TierView } from '../views/run-view.ts';
import {
  type ComparedPlace,
  capital,
  cellAt,
  changeWords,
  compareServices,
  MAIN_METRICS,
  offeredAt,
  type ServiceComparison,
  STREAM_METRICS,
} from '../views/service-comparison.ts';
import { saturationCharts, tierParts } from './charts.ts';

/** Services side by side at every tier, over all operations. */
export function tierSection(view: RunView): Section {
  // A sweep has separate tables for its main results.
  const isFolded = view.run.suite.sweep !== undefined;
  const blocks = [...noteBlocks(view), mainTable(view), ...streamBlocks(view)];
  return { id: 'whole', title: isFolded ? 'All operations' : '', blocks, isFolded };
}

export function operationSection(view: RunView): Section {
  const blocks = tierParts(view.tiers, (tier) => operationBlocks(view, tier));
  return { id: 'operations', title: 'By operation', blocks, isFolded: true };
}

function noteBlocks(view: RunView): readonly Block[] {
  const [reference, ...others] = view.services;
  if (reference === undefined || !others.some(({ name }) => isSameGroup(view.run.suite, reference.name, name))) {
    return [];
  }
  const overlap = view.rounds > 1 ? '; “overlap”: the ranges of the rounds overlap' : '';
  const surer = view.run.versus !== undefined ? ' Only the rounds above show whether a difference is real.' : '';
  const text = `Changes are against ${reference.label}, between single starts, and are not judged; “same” is under 2% or 0.1 ms${overlap}.${surer}`;
  return [paragraph(text, 'note')];
}

function mainTable(view: RunView): Table {
  const rows = view.tiers.flatMap((tier) => placeRows(view, { tier }, capital(tier.title), MAIN_METRICS));
  return serviceTable(view, 'All operations at each tier', rows, MAIN_METRICS);
}

function streamBlocks(view: RunView): readonly Block[] {
  const tiers = view.tiers.filter((tier) =>
    view.services.some((service) => cellAt(view, { tier }, service)?.figures.firstMessageP50Ms !== undefined),
  );
  const rows = tiers.flatMap((tier) => placeRows(view, { tier }, capital(tier.title), STREAM_METRICS));
  const note = 'Streams at each tier: when the first message arrives, and what a message costs.';
  return noted(note, serviceTable(view, 'Streams at each tier', rows, STREAM_METRICS));
}

/** One row per operation and service at a tier; on a page, which has room, also the metrics that the tables above leave out. */
function operationBlocks(view: RunView, tier: TierView): readonly Block[] {
  const metrics = MAIN_METRICS.filter((metric) => metric !== 'cpuMicrosPerRequest');
  const rows = tier.operations
    .slice(1)
    .flatMap((operation) => placeRows(view, { tier, operation }, operation.label, metrics));
  const title = `All other metrics at ${tier.label}`;
  const others = otherMetrics(view, tier, title);
  return rows.length === 0
    ? [{ ...others, only: ['html'] }]
    : [
        serviceTable(view, `Each operation at ${tier.label}`, rows, metrics),
        { ...fold(title, others), only: ['html'] },
      ];
}

function serviceTable(
  view: RunView,
  caption: string,
  rows: readonly TableRow[],
  metrics: readonly MetricName[],
): Table {
  return {
    kind: 'table',
    caption,
    columns: ['service', ...metrics.map(metricWord)],
    rows,
    detailNames: ['range', `against ${view.services[0]?.label ?? ''}`],
  };
}

function placeRows(
  view: RunView,
  place: ComparedPlace,
  title: string,
  metrics: readonly MetricName[],
): readonly TableRow[] {
  const offered = offeredAt(view, place);
  const rate = offered === undefined ? '' : formatRate(offered);
  // A tier may be named by its rate, with its name after it.
  const isInTitle = title === `${rate} (${place.tier.name})`;
  const group = rate === '' || isInTitle ? title : `${title}, offered ${rate}`;
  return view.services.map((service, index) => ({
    group,
    head: service.label,
    about: aboutOf(view.run, { services: [service.name], tier: place.tier.name }),
    chips: [
      ...((place.operation?.name ?? ALL_OPERATIONS) === ALL_OPERATIONS ? rankChips(view, service, place.tier) : []),
      ...(cellAt(view, place, service)?.marks ?? []).map(({ mark, rounds }) => ({
        text: rounds < view.rounds ? `${mark} (${rounds} of ${view.rounds} rounds)` : mark,
        meaning: MARK_MEANINGS[mark],
      })),
    ],
    cells:
      cellAt(view, place, service) === undefined
        ? [NOT_MEASURED, ...metrics.slice(1).map(() => '')]
        : metrics.map((metric) => valueCell(metric, compareServices(view, place, metric)[index])),
  }));
}

function rankChips(view: RunView, { name }: LabeledName, { name: tier }: TierView): readonly Chip[] {
  const [reference] = view.services;
  const isTurned = turningTier(view.run, view.cells, name) === tier;
  return [
    ...(reference === undefined || reference.name === name ? [] : rankAt(view, [reference.name, name], tier)),
    ...(isTurned ? [{ text: 'turning point', meaning: TURNING }] : []),
  ];
}

const TURNING = 'below 99% of the offered rate, or p90 ten times that of the lowest load and at least 5 ms';

/** Rank of a service against the first one at a tier with a rate, and the evidence; none if they are alike. */
export function rankAt(view: RunView, services: readonly [string, string], tier: string): readonly Chip[] {
  const pair = pairAt(view, tier, services);
  if (pair === undefined || !arrivalTiers(view.run.suite.tiers).some(({ name }) => name === tier)) {
    return [];
  }
  const ranking = tierRanking(pair);
  switch (ranking.kind) {
    case 'holds-alone':
      return [{ text: aheadOr(pair, ranking.ahead), meaning: `only ${ranking.ahead.label} sustains the rate` }];
    case 'faster':
      return [{ text: aheadOr(pair, ranking.ahead), meaning: ranking.by.map(metricWord).join(', ') }];
    case 'unclear': {
      const limited = wordList(ranking.limited.map(({ label }) => label));
      return [{ text: 'not ranked', meaning: `load tool at its limit for ${limited}` }];
    }
    default:
      return NOBODY_AHEAD[ranking.kind];
  }
}

function aheadOr({ other }: TierPair, ahead: ServiceAtTier): string {
  return ahead === other ? 'ahead' : 'behind';
}

const NOBODY_AHEAD = {
  mixed: [{ text: 'each ahead in something' }],
  'neither-holds': [{ text: 'neither sustains the rate' }],
  'no-matter': [],
  'within-rounds': [{ text: 'within the scatter of the rounds' }],
} as const;

const NOT_MEASURED: Cell = { text: 'not measured', tone: 'faint' };

function valueCell(metric: MetricName, compared: ServiceComparison | undefined): Cell {
  if (compared?.cell === undefined) {
    return NOT_MEASURED;
  }
  const { figure, change } = compared;
  if (figure === undefined) {
    return { text: NO_FIGURE, tone: 'faint' };
  }
  const range = figure.rounds > 1 ? formatRange(metric, figure.low, figure.high) : '';
  const details = [range, change === undefined ? '' : changeWords(change)];
  return { text: formatMetric(metric, figure.median), details: details.map((text) => ({ text, tone: 'faint' })) };
}

function otherMetrics(view: RunView, tier: TierView, caption: string): Table {
  const names = METRIC_NAMES.filter((metric) => !MAIN_METRICS.some((main) => main === metric));
  const labels = view.services.map(({ label }) => label);
  return {
    kind: 'table',
    caption,
    groups: [{ text: '' }, ...tier.operations.map(({ label }) => ({ text: label, span: labels.length }))],
    columns: ['', ...tier.operations.flatMap(() => labels)],
    rows: names.flatMap((metric) => metricRow(view, tier, metric)),
  };
}

function metricRow(view: RunView, tier: TierView, metric: MetricName): readonly TableRow[] {
  const compared = tier.operations.flatMap((operation) => compareServices(view, { tier, operation }, metric));
  return compared.every(({ figure, cell }) => figure === undefined && cell !== undefined)
    ? []
    : [
        {
          head: metricWord(metric),
          about: aboutOf(view.run, { tier: tier.name, metric }),
          cells: compared.map((one) => valueCell(metric, one)),
        },
      ];
}

/** Closed loop: its workers, and how busy the cores were, which shows whether a rate is a capacity. */
export function saturationSection(view: RunView): Section {
  const tier = view.tiers.find(({ isSaturation }) => isSaturation);
  const note =
    'A closed loop without think time: the highest rate that the service answers. CPU time per request depends on the load, so compare it only within one tier.';
  return {
    id: 'saturation',
    title: 'At saturation',
    blocks:
      tier === undefined
        ? []
        : [paragraph(note, 'note'), list(coreSentences(view, tier)), ...saturationCharts(view, tier)],
    isFolded: true,
  };
}

function coreSentences(view: RunView, tier: TierView): readonly string[] {
  return view.services.flatMap((service) => {
    const cell = cellAt(view, { tier }, service);
    const [own, load] = [cell?.figures.serviceCpuShare, cell?.figures.loadCpuShare].map((figure) =>
      figure === undefined ? NO_FIGURE : formatShare(figure.median),
    );
    const workers = cell?.samples[0]?.workers;
    return workers === undefined
      ? []
      : [`${service.label}: ${workers} workers, ${own} of its core in use, ${load} of the load tool's.`];
  });
}
