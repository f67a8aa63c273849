import { mergedHistogram } from '../../foundation/histogram.ts';
import { formatMs, NO_FIGURE } from '../../foundation/numbers.ts';
import type { CellReading } from '../../judge/reading/cells.ts';
import type { MetricName } from '../../model/metric.ts';
import { CHART_PLOT, chartKey, keyPicture, round } from '../charts/frame.ts';
import { plot } from '../charts/plot.ts';
import { latencyScale, ninesScale, type Scale } from '../charts/scales.ts';
import { hasRepetitions, scatterCharts, scatterTable } from '../charts/scatter.ts';
import { hasOffered, hasSeries, type SeriesColumn, seriesCharts, seriesTable } from '../charts/series.ts';
import { trendCharts, trendTable, trendTiers } from '../charts/trend.ts';
import {
  type Block,
  type ChartHtml,
  fold,
  heading,
  joinedSection,
  paragraph,
  type Section,
  type Table,
} from '../document.ts';
import { type Html, html } from '../render/markup.ts';
import { aboutOf } from '../views/about.ts';
import { type RunView, type TierView, tierLabels } from '../views/run-view.ts';
import { capital, cellsAt } from '../views/service-comparison.ts';

const OFFERED_KEY = html`<li>${keyPicture(html`<path class="offered" d="M1 6H33"/>`)}offered</li>`;

const RAMP_KEY = html`<li>${keyPicture(html`<path class="ramp" d="M0 0h34v12H0z"/>`)}ramp and warm-up, not counted</li>`;

/** Charts of a page: first latency by load and over time at the middle load, then the others, folded. */
export function chartSection(view: RunView): Section {
  const tiers = openTiers(view).filter((tier) => hasSeries(view, tier));
  const middle = tiers[Math.floor((tiers.length - 1) / 2)];
  const others = tiers.filter((tier) => tier !== middle);
  const further: readonly Section[] = [
    { id: 'time', title: 'Over time at the other loads', blocks: timeBlocks(view, others), isFolded: true },
    { id: 'latency', title: 'Latency by percentile', blocks: percentileBlocks(view), isFolded: true },
    { id: 'repetitions', title: 'Request by request', blocks: repetitionBlocks(view), isFolded: true },
  ];
  const { blocks } = joinedSection('charts', '', [
    { id: '', title: '', blocks: firstCharts(view, middle) },
    ...further,
  ]);
  return {
    id: 'charts',
    title: 'By load and over time',
    blocks: view.run.samples.length === 0 ? [] : blocks,
    only: ['html'],
  };
}

/** The first row has rate and latency by load, the second one the same over time. */
function firstCharts(view: RunView, middle: TierView | undefined): readonly Block[] {
  const byLoad = trendTiers(view).length === 0 ? [] : trendCharts(view);
  const overTime = middle === undefined ? [] : seriesCharts(view, middle, courseOf(view, middle));
  const tables = [
    ...(byLoad.length === 0 ? [] : [trendTable(view)]),
    ...(middle === undefined ? [] : [seriesTable(view, middle)]),
  ];
  const rounds =
    view.rounds > 1
      ? ' By load, bars span the lowest to the highest round; over time, each round is a line, the first one bold.'
      : '';
  const note = `All operations together. Latency is drawn on a logarithmic scale.${middle === undefined ? '' : ` Over time it is one point per second; a gap is a second without answers.`}${rounds}`;
  // The last chart of either kind is the p99.
  const charts = [...byLoad.slice(-1), ...overTime.slice(-1), ...byLoad.slice(0, -1), ...overTime.slice(0, -1)];
  const key = chartKey(labelsOf(view), keysOf(view, middle === undefined ? [] : [middle]));
  return charts.length === 0 ? [] : [paragraph(note, 'note'), ...chartBlocks(key, charts, tables)];
}

/** Charts, with their figures folded. */
function chartBlocks(key: Html, charts: readonly ChartHtml[], tables: readonly Table[]): readonly Block[] {
  const title = `These charts as ${tables.length === 1 ? 'a table' : 'tables'}`;
  return [
    { kind: 'figures', key, charts },
    { ...fold(title, ...tables), only: ['html'] },
  ];
}

function keysOf(view: RunView, tiers: readonly TierView[]): readonly Html[] {
  return tiers.some((tier) => hasOffered(view, tier)) ? [OFFERED_KEY, RAMP_KEY] : [OFFERED_KEY];
}

function percentileBlocks(view: RunView): readonly Block[] {
  const distributions = distributionsOf(view, openTiers(view));
  const note =
    'All operations together, counted from the scheduled time. Both scales are logarithmic: each step to the right is ten times rarer.';
  const charts = percentileCharts(view, distributions);
  return [
    paragraph(note, 'note'),
    ...chartBlocks(chartKey(labelsOf(view)), charts, [percentileTable(view, distributions)]),
  ];
}

function repetitionBlocks(view: RunView): readonly Block[] {
  const tiers = openTiers(view).filter((tier) => hasRepetitions(view, tier));
  const note =
    'One user, one request at a time: each dot is a request. If there are many, 400 evenly spaced requests and the 20 slowest are shown. An outlier exceeds the upper quartile by more than three times the interquartile range.';
  return tiers.length === 0
    ? []
    : [
        paragraph(note, 'note'),
        { kind: 'figures', key: chartKey(labelsOf(view)), charts: [] },
        ...tierParts(tiers, (tier) => [
          { kind: 'figures', charts: scatterCharts(view, tier) },
          scatterTable(view, tier),
        ]),
      ];
}

function timeBlocks(view: RunView, tiers: readonly TierView[]): readonly Block[] {
  return tiers.length === 0
    ? []
    : [
        { kind: 'figures', key: chartKey(labelsOf(view), keysOf(view, tiers)), charts: [] },
        ...tierParts(tiers, (tier) => [
          { kind: 'figures', charts: seriesCharts(view, tier, courseOf(view, tier)) },
          fold(`Second by second at ${tier.label}`, seriesTable(view, tier)),
        ]),
      ];
}

/** Charts over time: for users who come and go their number, for those at full rate the mean latency, as in studies. */
function courseOf(view: RunView, tier: TierView): readonly SeriesColumn[] {
  if (hasSeries(view, tier, 'users')) {
    return ['users', 'achievedRps', 'latencyP95Ms'];
  }
  const isOfMean = !hasOffered(view, tier) && hasSeries(view, tier, 'latencyMeanMs');
  return ['achievedRps', isOfMean ? 'latencyMeanMs' : 'latencyP50Ms', 'latencyP99Ms'];
}

/** Closed loop: latency by percentile, rate and p99 over time; only for a page. */
export function saturationCharts(view: RunView, tier: TierView): readonly Block[] {
  const distributions = distributionsOf(view, [tier]);
  const charts = [
    ...percentileCharts(view, distributions),
    ...seriesCharts(view, tier, ['achievedRps', 'latencyP99Ms']),
  ];
  const tables = [percentileTable(view, distributions), ...(hasSeries(view, tier) ? [seriesTable(view, tier)] : [])];
  const key = chartKey(labelsOf(view), hasSeries(view, tier) ? [RAMP_KEY] : []);
  return charts.length === 0 ? [] : chartBlocks(key, charts, tables);
}

/** Part for each tier below its name: a heading, or a fold if there are many. */
export function tierParts(
  tiers: readonly TierView[],
  blocksOf: (tier: TierView) => readonly Block[],
): readonly Block[] {
  return tiers.flatMap((tier) => {
    const [name, blocks] = [capital(tier.label), blocksOf(tier)];
    return tiers.length > 5 ? [fold(name, ...blocks)] : [heading(name), ...blocks];
  });
}

function openTiers(view: RunView): readonly TierView[] {
  return view.tiers.filter(({ isSaturation }) => !isSaturation);
}

function labelsOf(view: RunView): readonly string[] {
  return view.services.map(({ label }) => label);
}

/** No run has enough requests beyond five nines. */
const MAX_NINES = 5;

type TierDistributions = ReturnType<typeof distributionsOf>[number];

/** Chart of latency by percentile for each tier, with one latency scale for all of them. */
function percentileCharts(view: RunView, found: readonly TierDistributions[]): readonly ChartHtml[] {
  const scale = latencyScale(
    found.flatMap(({ services }) => services.flatMap(({ points }) => points.map(({ ms }) => ms))),
  );
  return found.map((one) => percentileChart(view, one, scale));
}

function percentileTable(view: RunView, found: readonly TierDistributions[]): Table {
  const tiers = found.map(({ tier }) => tier);
  const rows = TABLE_SHARES.map((share) => ({
    head: percentileName(share),
    cells: found.flatMap(({ services }) =>
      services.map(({ points }) => {
        const ms = latencyAt(points, share);
        return ms === undefined ? NO_FIGURE : formatMs(ms);
      }),
    ),
  }));
  return {
    kind: 'table',
    isCaptioned: true,
    // Charts of several tiers are next to each other.
    about: tiers.length === 1 ? aboutOf(view.run, { tier: tiers[0]?.name }) : undefined,
    caption: `Latency by percentile at ${tierLabels(
      view,
      tiers.map(({ name }) => name),
    )}, all operations`,
    groups: [{ text: '' }, ...found.map(({ tier, services }) => ({ text: tier.label, span: services.length }))],
    columns: ['', ...found.flatMap(({ services }) => services.map(({ service }) => service.label))],
    rows,
  };
}

function percentileName(share: number): string {
  return `p${round(share * 100_00) / 100}`;
}

function distributionsOf(view: RunView, tiers: readonly TierView[]) {
  const all = tiers.map((tier) => ({
    tier,
    services: cellsAt(view, [tier]).map(({ service, index, cell }) => ({
      ...{ service, index, points: distributionOf(cell) },
    })),
  }));
  return all.filter(({ services }) => services.length > 0);
}

function percentileChart({ run }: RunView, { tier, services }: TierDistributions, y: Scale): ChartHtml {
  const most = Math.max(...services.map(({ points }) => nines(points.at(-1)?.share ?? 0)));
  const x = ninesScale(Math.min(MAX_NINES, most));
  const pointOf = ({ share, ms }: QuantilePoint) => ({ x: nines(share), y: ms });
  return plot({
    id: `percentiles-${tier.name}`,
    title: tier.isSaturation ? 'Latency by percentile' : tier.label,
    xTitle: 'percentile',
    about: aboutOf(run, { tier: tier.name }),
    ...{ x, y, xText: (nine) => percentileName(1 - 10 ** -nine), yText: formatMs },
    series: services.map(({ service, index, points }) => ({
      index,
      label: service.label,
      line: points.filter(({ share }) => nines(share) <= MAX_NINES + 1e-9).map(pointOf),
      points: [0.5, 0.9, 0.99, 0.999, 0.9999].flatMap((share) => {
        const ms = latencyAt(points, share);
        return ms === undefined || x.at(nines(share)) > CHART_PLOT.right ? [] : [pointOf({ share, ms })];
      }),
    })),
  });
}

/** Latency that a share of the requests did not exceed. */
interface QuantilePoint {
  readonly share: number;
  readonly ms: number;
}

/** Rows of the table. */
const TABLE_SHARES = [0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999];

/** Number of points between two nines (90% and 99%, 99% and 99.9%): enough to look smooth. */
const POINTS_PER_NINE = 12;

/** Stored percentiles that replace an unreadable histogram; the share of the maximum depends on the number of requests. */
const STORED: readonly { readonly share: number; readonly metric: MetricName }[] = [
  { share: 0.5, metric: 'latencyP50Ms' },
  { share: 0.9, metric: 'latencyP90Ms' },
  { share: 0.95, metric: 'latencyP95Ms' },
  { share: 0.99, metric: 'latencyP99Ms' },
  { share: 0.999, metric: 'latencyP999Ms' },
];

/** Latency distribution of a cell over all of its rounds, by share; from its stored percentiles if a histogram is unreadable. */
export function distributionOf(cell: CellReading): readonly QuantilePoint[] {
  return fromHistograms(cell) ?? fromMetrics(cell);
}

/** Latency at a share; undefined if there are too few requests. */
export function latencyAt(points: readonly QuantilePoint[], share: number): number | undefined {
  return points.find((point) => Math.abs(point.share - share) < 1e-9)?.ms;
}

/** Position of a share on a scale of nines: 0.9 is 1, 0.99 is 2. */
function nines(share: number): number {
  return -Math.log10(1 - share);
}

function fromHistograms(cell: CellReading): readonly QuantilePoint[] | undefined {
  try {
    const histogram = mergedHistogram(cell.samples.map((sample) => sample.histogram));
    const most = Math.log10(Math.max(1, histogram.requests)) + 1e-9;
    const steps = Array.from(
      { length: Math.floor(most * POINTS_PER_NINE) },
      (_, index) => 1 - 10 ** -((index + 1) / POINTS_PER_NINE),
    );
    const shares = new Set([0, ...TABLE_SHARES.filter((share) => nines(share) <= most), ...steps]);
    const points = [...shares]
      .toSorted((left, right) => left - right)
      .flatMap((share) => {
        const ms = histogram.quantileMs(share);
        return ms === undefined || ms <= 0 ? [] : [{ share, ms }];
      });
    return points.length === 0 ? undefined : points;
  } catch {
    // A report is still useful if one histogram is damaged: the stored percentiles replace it, less precisely.
    return undefined;
  }
}

function fromMetrics({ figures, requests }: CellReading): readonly QuantilePoint[] {
  const most = requests > 1 ? 1 - 1 / requests : 0;
  const last = { share: most, metric: 'latencyMaxMs' } as const;
  const stored = [...STORED.filter(({ share }) => share < most), last];
  return stored.flatMap(({ share, metric }) => {
    const ms = figures[metric]?.median;
    return ms === undefined || ms <= 0 ? [] : [{ share, ms }];
  });
}
