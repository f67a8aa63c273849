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
import { type Block, fold, heading, paragraph, type Section } from '../document.ts';
import { html } from '../render/markup.ts';
import type { RunView, TierView } from '../views/run-view.ts';
import { capital } from '../views/service-comparison.ts';

const OFFERED_KEY = html`<li>${keyPicture(html`<path class="offered" d="M1 6H33"/>`)}offered</li>`;

const RAMP_KEY = html`<li>${keyPicture(html`<path class="ramp" d="M0 0h34v12H0z"/>`)}ramp and warm-up, not counted</li>`;

/** Rate and latency by load, on a page. */
export function trendSection(view: RunView): Section {
  const blocks = view.run.samples.length === 0 || trendTiers(view).length === 0 ? [] : trendBlocks(view);
  return { id: 'trend', title: 'By load', blocks, only: ['html'] };
}

/** Charts of a page: latency by percentile, and rate and latency over time. */
export function chartSections(view: RunView): readonly Section[] {
  const sections: readonly Section[] = [
    { id: 'latency', title: 'Latency by percentile', blocks: percentileBlocks(view) },
    { id: 'repetitions', title: 'Request by request', blocks: repetitionBlocks(view) },
    { id: 'time', title: 'Over time', blocks: timeBlocks(view) },
  ];
  return sections.map((section) => ({ ...section, only: ['html'] }));
}

function trendBlocks(view: RunView): readonly Block[] {
  const ranges = view.rounds > 1 ? ' Bars span the lowest to the highest round.' : '';
  return [
    paragraph(`All operations together. Latency is drawn on a logarithmic scale.${ranges}`, 'note'),
    { kind: 'figures', key: chartKey(labelsOf(view), [OFFERED_KEY]), charts: trendCharts(view) },
    fold('These charts as a table', trendTable(view)),
  ];
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
function timeBlocks(view: RunView): readonly Block[] {
  const tiers = openTiers(view).filter((tier) => hasSeries(view, tier));
  if (tiers.length === 0) {
    return [paragraph('No time series was recorded.')];
  }
  const rounds = view.rounds > 1 ? ' Each round is a separate line; the first one is bold.' : '';
  const further = tiers.some((tier) => hasOffered(view, tier)) ? [OFFERED_KEY, RAMP_KEY] : [];
  return [
    paragraph(`All operations together, one point per second; a gap is a second without answers.${rounds}`, 'note'),
    { kind: 'figures', key: chartKey(labelsOf(view), further), charts: [] },
    ...tierParts(tiers, (tier) => [
      { kind: 'figures', charts: seriesCharts(view, tier, courseOf(view, tier)) },
      fold(`Second by second at ${tier.label}`, seriesTable(view, tier)),
    ]),
  ];
}

/** Of users who come and go, how many there are stands beside what they meet; of those at full rate the mean, as studies draw it. */
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
