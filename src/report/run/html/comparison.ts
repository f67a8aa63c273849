import { formatChange, formatRate, formatShare, NO_FIGURE } from '../../../foundation/index.ts';
import type { FigureChange } from '../../../judge/index.ts';
import { type RunView, type TierView, wordList } from '../../../judge/index.ts';
import { formatMetric, formatRange, MARK_MEANINGS, METRIC_NAMES, type MetricName } from '../../../model/index.ts';
import { folded, type HeadCell, type Html, html, type TableRow, table } from '../../render/html.ts';
import {
  cellAt,
  compareServices,
  MAIN_METRICS,
  metricLabel,
  offeredAt,
  type ServiceComparison,
  wholeOf,
} from '../../views/service-comparison.ts';

/** The services side by side at one tier, for all operations and each alone; further metrics are folded. */
export function tierComparison(view: RunView, tier: TierView): Html {
  const others = METRIC_NAMES.filter((metric) => !MAIN_METRICS.some((main) => main === metric));
  return html`${comparisonTable(view, tier, { caption: `Comparison at ${tier.label}`, metrics: MAIN_METRICS })}
${marksAt(view, tier)}
${folded(`All other metrics at ${tier.label}`, comparisonTable(view, tier, { caption: `All other metrics at ${tier.label}`, metrics: others }))}`;
}

/** How the closed loop ran: its workers, and how busy the cores were, which is what makes a rate a capacity. */
export function saturationNote(view: RunView, tier: TierView): Html {
  const notes = view.services.flatMap((service) => {
    const cell = cellAt(view, wholeOf(tier), service);
    const [own, load] = [cell?.figures.serviceCpuShare, cell?.figures.loadCpuShare].map((figure) =>
      figure === undefined ? NO_FIGURE : formatShare(figure.median),
    );
    const workers = cell?.samples[0]?.workers;
    return workers === undefined
      ? []
      : [`${service.label}: ${workers} workers, ${own} of its core in use, ${load} of the load tool's.`];
  });
  return html`<p class="note">${notes.join(' ')}</p>`;
}

interface Part {
  readonly caption: string;
  readonly metrics: readonly MetricName[];
}

function comparisonTable(view: RunView, tier: TierView, { caption, metrics }: Part): Html {
  const isStacked = view.services.length > 2;
  const perOperation = view.services.flatMap(({ label }, index) =>
    index === 0 || isStacked ? [label] : [label, { text: 'change', isText: true } as const],
  );
  const groups: readonly HeadCell[] = tier.operations.map((operation) => {
    const offered = offeredAt(view, { tier, operation });
    const rate = offered === undefined ? '' : `, offered ${formatRate(offered)}`;
    return { text: `${operation.label}${rate}`, span: perOperation.length };
  });
  const rows = metrics.flatMap((metric) => metricRow(view, tier, { metric, isStacked }) ?? []);
  return table({
    caption,
    isCaptionQuiet: true,
    groups: [{ text: '' }, ...groups],
    columns: ['', ...tier.operations.flatMap(() => perOperation)],
    rows,
  });
}

interface RowChoice {
  readonly metric: MetricName;
  readonly isStacked: boolean;
}

function metricRow(view: RunView, tier: TierView, { metric, isStacked }: RowChoice): TableRow | undefined {
  const compared = tier.operations.map((operation) => compareServices(view, { tier, operation }, metric));
  if (compared.flat().every(({ figure, cell }) => figure === undefined && cell !== undefined)) {
    return undefined;
  }
  const cells = compared.flatMap((services) =>
    services.flatMap((one, index) => {
      if (isStacked) {
        return [html`<td${groupStart(index)}>${shownValue(metric, one)}${changeLine(one.change)}</td>`];
      }
      const value = html`<td${groupStart(index)}>${shownValue(metric, one)}</td>`;
      return index === 0 ? [value] : [value, html`<td class="change">${changeOf(one.change)}</td>`];
    }),
  );
  return { head: metricLabel(metric), cells };
}

function groupStart(index: number): Html | undefined {
  return index === 0 ? html` class="start"` : undefined;
}

function shownValue(metric: MetricName, { cell, figure }: ServiceComparison): Html {
  if (cell === undefined) {
    return html`<span class="missing">not measured</span>`;
  }
  if (figure === undefined) {
    return html`<span class="missing">${NO_FIGURE}</span>`;
  }
  const range = figure.rounds > 1 ? formatRange(metric, figure.low, figure.high) : '';
  return html`${formatMetric(metric, figure.median)}${range === '' ? undefined : html`<span class="range">${range}</span>`}`;
}

function changeLine(change: FigureChange | undefined): Html | undefined {
  return change === undefined ? undefined : html`<span class="stacked">${changeOf(change)}</span>`;
}

function changeOf(change: FigureChange | undefined): Html {
  if (change === undefined || change.change === 0) {
    return html``;
  }
  const word = change.standing === 'overlapping' ? 'ranges overlap' : change.standing;
  const size = change.change === undefined ? undefined : html`${formatChange(change.change)} `;
  return html`<span class="${change.standing}">${size}<small>${word}</small></span>`;
}

function marksAt(view: RunView, tier: TierView): Html | undefined {
  const services = view.services.map((service) => ({
    service,
    marks: cellAt(view, wholeOf(tier), service)?.marks ?? [],
  }));
  const kinds = [...new Set(services.flatMap(({ marks }) => marks.map(({ mark }) => mark)))];
  const items = kinds.map((kind) => {
    const labels = services.flatMap(({ service, marks }) =>
      marks.filter(({ mark }) => mark === kind).map(({ rounds }) => markedLabel(service.label, rounds, view.rounds)),
    );
    return html`<li>Marked <strong>${kind}</strong>: ${wordList(labels)}; ${MARK_MEANINGS[kind]}.</li>`;
  });
  return items.length === 0 ? undefined : html`<ul class="marks">${items}</ul>`;
}

function markedLabel(label: string, rounds: number, all: number): string {
  return rounds < all ? `${label} (${rounds} of ${all} rounds)` : label;
}
