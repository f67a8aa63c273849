import { escapeMarkdown } from '../../foundation/escape.ts';
import { formatMetric, formatRange, formatRate, NO_FIGURE } from '../../foundation/reading-numbers.ts';
import type { RunView, ServiceView, TierView } from '../../judge/reading/reading-view.ts';
import type { MetricName } from '../../model/metric.ts';
import { markdownTable } from '../render/markdown-section.ts';
import {
  type ComparedPlace,
  cellAt,
  changeWords,
  compareServices,
  MAIN_METRICS,
  metricLabel,
  offeredAt,
  type ServiceComparison,
  wholeOf,
} from '../views/compared.ts';

/** One row per tier and service, over all operations. */
export function mainTable(view: RunView): readonly string[] {
  const rows = view.tiers.flatMap((tier) => placeRows(view, wholeOf(tier), tierTitle(view, wholeOf(tier))));
  const hasMarks = rows.some((row) => row.at(-1) !== '');
  const header = ['load', 'service', ...MAIN_METRICS.map(metricLabel), ...(hasMarks ? ['marks'] : [])];
  return markdownTable(header, hasMarks ? rows : rows.map((row) => row.slice(0, -1)), 2);
}

/** The same per operation, a table for each tier. */
export function operationLines(view: RunView): readonly string[] {
  const metrics = MAIN_METRICS.filter((metric) => metric !== 'cpuMicrosPerRequest');
  const header = ['operation', 'service', ...metrics.map(metricLabel)];
  return view.tiers.flatMap((tier) => {
    const rows = tier.operations.slice(1).flatMap((operation) => {
      const place = { tier, operation };
      const offered = offeredAt(view, place);
      const title = escapeMarkdown(operation.label) + (offered === undefined ? '' : `, ${formatRate(offered)}`);
      return placeRows(view, place, title).map((row) => row.slice(0, header.length));
    });
    return rows.length === 0 ? [] : [`**${escapeMarkdown(tier.label)}**`, '', ...markdownTable(header, rows, 2), ''];
  });
}

function tierTitle(view: RunView, place: ComparedPlace): string {
  const offered = offeredAt(view, place);
  const rate = offered === undefined ? '' : formatRate(offered);
  const label = escapeMarkdown(place.tier.label);
  // A tier may be called by its rate.
  return rate === '' || rate === place.tier.label ? label : `${label}, ${rate}`;
}

function placeRows(view: RunView, place: ComparedPlace, title: string): readonly (readonly string[])[] {
  return view.services.map((service, index) => {
    const cells = MAIN_METRICS.map((metric) => valueText(metric, compareServices(view, place, metric)[index]));
    return [index === 0 ? title : '', escapeMarkdown(service.label), ...cells, marksText(view, place.tier, service)];
  });
}

function valueText(metric: MetricName, compared: ServiceComparison | undefined): string {
  if (compared?.cell === undefined) {
    return 'not measured';
  }
  const { figure, change } = compared;
  if (figure === undefined) {
    return NO_FIGURE;
  }
  const range = figure.rounds > 1 ? formatRange(metric, figure.low, figure.high) : '';
  const words = change === undefined ? '' : changeWords(change);
  return [formatMetric(metric, figure.median), range === '' ? '' : `[${range}]`, words === '' ? '' : `(${words})`]
    .flatMap((part) => (part === '' ? [] : [escapeMarkdown(part)]))
    .join(' ');
}

function marksText(view: RunView, tier: TierView, service: ServiceView): string {
  const marks = cellAt(view, wholeOf(tier), service)?.marks ?? [];
  return marks
    .map(({ mark, rounds }) => (rounds < view.rounds ? `${mark} (${rounds} of ${view.rounds} rounds)` : mark))
    .map((words) => escapeMarkdown(words))
    .join(', ');
}
