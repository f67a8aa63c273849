import type { RunView, TierView } from '../../../judge/index.ts';
import { chartKey } from '../../charts/frame.ts';
import { percentileCharts, percentileTable } from '../../charts/percentiles.ts';
import { hasOffered, hasSeries, seriesCharts, seriesTable } from '../../charts/series.ts';
import { trendCharts, trendTable, trendTiers } from '../../charts/trend.ts';
import { folded, type Html, html, joinLines, type PageSection } from '../../render/html.ts';

const OFFERED_KEY = html`<li><svg viewBox="0 0 34 12" width="34" height="12" aria-hidden="true"><path class="offered" d="M1 6H33"/></svg>offered</li>`;

const RAMP_KEY = html`<li><svg viewBox="0 0 34 12" width="34" height="12" aria-hidden="true"><rect class="ramp" width="34" height="12"/></svg>ramp and warm-up, not counted</li>`;

/** Rate and latency from tier to tier; undefined where there are none to go through. */
export function trendSection(view: RunView): PageSection | undefined {
  if (trendTiers(view).length === 0) {
    return undefined;
  }
  const ranges = view.rounds > 1 ? ' Bars reach from the lowest to the highest round.' : '';
  return {
    id: 'trend',
    title: 'From tier to tier',
    body: html`<p class="note">All operations together. Latency is drawn on a logarithmic scale.${ranges}</p>
${chartKey(labelsOf(view), [OFFERED_KEY])}
<div class="charts">${joinLines(trendCharts(view))}</div>
${folded('These charts as a table', trendTable(view))}`,
  };
}

/** Latency by percentile, a chart for each tier. */
export function percentileSection(view: RunView): PageSection {
  const tiers = openTiers(view);
  return {
    id: 'latency',
    title: 'Latency by percentile',
    body: html`<p class="note">All operations together, counted from the intended time of sending. Both scales are logarithmic: each step to the right is ten times rarer.</p>
${chartKey(labelsOf(view))}
<div class="charts">${joinLines(percentileCharts(view, tiers))}</div>
${folded('These charts as a table', percentileTable(view, tiers))}`,
  };
}

/** Rate and latency second by second, a row of charts for each tier. */
export function timeSection(view: RunView): PageSection {
  const rounds = view.rounds > 1 ? ' Every round is a line of its own; the first is the bold one.' : '';
  const tiers = openTiers(view).filter((tier) => hasSeries(view, tier));
  const parts = tierParts(tiers, (tier) => {
    const charts = seriesCharts(view, tier, ['achievedRps', 'latencyP50Ms', 'latencyP99Ms']);
    return html`<div class="charts">${joinLines(charts)}</div>
${folded(`Second by second at ${tier.label}`, seriesTable(view, tier))}`;
  });
  return {
    id: 'time',
    title: 'Over time',
    body:
      parts.length === 0
        ? html`<p>No time series was recorded.</p>`
        : html`<p class="note">All operations together, one point per second; a gap is a second in which nothing was answered.${rounds}</p>
${chartKey(labelsOf(view), tiers.some((tier) => hasOffered(view, tier)) ? [OFFERED_KEY, RAMP_KEY] : [])}
${joinLines(parts)}`,
  };
}

/** The closed loop: latency by percentile, rate and p99 over time. */
export function saturationCharts(view: RunView, tier: TierView): Html {
  const charts = [...percentileCharts(view, [tier]), ...seriesCharts(view, tier, ['achievedRps', 'latencyP99Ms'])];
  const tables = [percentileTable(view, [tier]), ...(hasSeries(view, tier) ? [seriesTable(view, tier)] : [])];
  return charts.length === 0
    ? html``
    : html`${chartKey(labelsOf(view), hasSeries(view, tier) ? [RAMP_KEY] : [])}
<div class="charts">${joinLines(charts)}</div>
${folded('These charts as tables', joinLines(tables))}`;
}

/** More tiers than these are folded, so that a page of very many stays readable. */
const MOST_OPEN_TIERS = 5;

/** A part for each tier under its name: a heading, or a fold where there are many. */
export function tierParts(tiers: readonly TierView[], bodyOf: (tier: TierView) => Html): readonly Html[] {
  const isFolded = tiers.length > MOST_OPEN_TIERS;
  return tiers.map((tier) => {
    const name = capital(tier.label);
    return isFolded ? folded(name, bodyOf(tier)) : html`<h3>${name}</h3>\n${bodyOf(tier)}`;
  });
}

/** The text with a capital at its start. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function openTiers(view: RunView): readonly TierView[] {
  return view.tiers.filter(({ isSaturation }) => !isSaturation);
}

function labelsOf(view: RunView): readonly string[] {
  return view.services.map(({ label }) => label);
}
