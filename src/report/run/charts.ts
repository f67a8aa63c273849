import { chartKey, keyPicture } from '../charts/frame.ts';
import { percentileCharts, percentileTable } from '../charts/percentiles.ts';
import { hasRepetitions, scatterCharts, scatterTable } from '../charts/scatter.ts';
import {
  hasMean,
  hasOffered,
  hasSeries,
  hasUsers,
  type SeriesColumn,
  seriesCharts,
  seriesTable,
} from '../charts/series.ts';
import { trendCharts, trendTable, trendTiers } from '../charts/trend.ts';
import { type Block, fold, heading, joinedSection, paragraph, type Section } from '../document.ts';
import { type Html, html } from '../render/markup.ts';
import type { RunView, TierView } from '../views/run-view.ts';
import { capital } from '../views/service-comparison.ts';

const OFFERED_KEY = html`<li>${keyPicture(html`<path class="offered" d="M1 6H33"/>`)}offered</li>`;

const RAMP_KEY = html`<li>${keyPicture(html`<path class="ramp" d="M0 0h34v12H0z"/>`)}ramp and warm-up, not counted</li>`;

/** Charts of a page: first latency by load and over time at the middle load, then all others behind lines. */
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
  // The last chart of either kind is that of the p99.
  const charts = [byLoad.at(-1), overTime.at(-1), ...byLoad.slice(0, -1), ...overTime.slice(0, -1)];
  return tables.length === 0
    ? []
    : [
        paragraph(note, 'note'),
        {
          kind: 'figures',
          key: chartKey(labelsOf(view), keysOf(view, middle === undefined ? [] : [middle])),
          charts: charts.filter((one) => one !== undefined),
        },
        fold('These charts as tables', ...tables),
      ];
}

function keysOf(view: RunView, tiers: readonly TierView[]): readonly Html[] {
  return tiers.some((tier) => hasOffered(view, tier)) ? [OFFERED_KEY, RAMP_KEY] : [OFFERED_KEY];
}

/** A chart for each tier. */
function percentileBlocks(view: RunView): readonly Block[] {
  const tiers = openTiers(view);
  const note =
    'All operations together, counted from the scheduled time. Both scales are logarithmic: each step to the right is ten times rarer.';
  return [
    paragraph(note, 'note'),
    { kind: 'figures', key: chartKey(labelsOf(view)), charts: percentileCharts(view, tiers) },
    fold('These charts as a table', percentileTable(view, tiers)),
  ];
}

/** Each request of one user, a pair of charts for each tier. */
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

/** Rate and latency second by second, a row of charts for each tier. */
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

/** For users who come and go, how many there are stands beside what they meet; of those at full rate the mean, as studies draw it. */
function courseOf(view: RunView, tier: TierView): readonly SeriesColumn[] {
  if (hasUsers(view, tier)) {
    return ['users', 'achievedRps', 'latencyP95Ms'];
  }
  const isOfMean = !hasOffered(view, tier) && hasMean(view, tier);
  return ['achievedRps', isOfMean ? 'latencyMeanMs' : 'latencyP50Ms', 'latencyP99Ms'];
}

/** The closed loop: latency by percentile, rate and p99 over time; only for a page. */
export function saturationCharts(view: RunView, tier: TierView): readonly Block[] {
  const charts = [...percentileCharts(view, [tier]), ...seriesCharts(view, tier, ['achievedRps', 'latencyP99Ms'])];
  const tables = [percentileTable(view, [tier]), ...(hasSeries(view, tier) ? [seriesTable(view, tier)] : [])];
  return charts.length === 0
    ? []
    : [
        { kind: 'figures', key: chartKey(labelsOf(view), hasSeries(view, tier) ? [RAMP_KEY] : []), charts },
        { ...fold('These charts as tables', ...tables), only: ['html'] },
      ];
}

/** More tiers than these are folded, so that a report of very many stays readable. */
const MOST_OPEN_TIERS = 5;

/** A part for each tier under its name: a heading, or a fold if there are many. */
export function tierParts(
  tiers: readonly TierView[],
  blocksOf: (tier: TierView) => readonly Block[],
): readonly Block[] {
  return tiers.flatMap((tier) => {
    const [name, blocks] = [capital(tier.label), blocksOf(tier)];
    return tiers.length > MOST_OPEN_TIERS ? [fold(name, ...blocks)] : [heading(name), ...blocks];
  });
}

function openTiers(view: RunView): readonly TierView[] {
  return view.tiers.filter(({ isSaturation }) => !isSaturation);
}

function labelsOf(view: RunView): readonly string[] {
  return view.services.map(({ label }) => label);
}
