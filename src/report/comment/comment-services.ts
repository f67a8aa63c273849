import { escapeMarkdown } from '../../foundation/escape.ts';
import { NO_FIGURE, withoutUnit } from '../../foundation/reading-numbers.ts';
import { median } from '../../foundation/statistics.ts';
import type { MetricName } from '../../model/metric.ts';
import { type KeptCell, keptCells, servicesOf } from '../../model/run/kept-cells.ts';
import { ALL_OPERATIONS, SATURATION, type Sample } from '../../model/sample.ts';
import { figure } from '../comparison/compare-markdown.ts';
import type { ComparisonView } from '../comparison/compare-view.ts';
import { comparisonLabel, signedPercent, valueText } from '../comparison/compare-words.ts';
import { type MarkdownSection, markdownTable } from '../render/markdown-section.ts';

/** More columns than this do not fit beside each other. */
const MOST_SERVICES = 5;

/** Metric and tier of a row. */
interface Row {
  readonly metric: MetricName;
  readonly tier: string;
}

/**
 * The services of a run side by side, base and head of each: CPU per request and rate at saturation, p50 at each tier, over
 * all operations. Without lines where there are fewer than two services.
 */
export function servicesSection(view: ComparisonView): MarkdownSection {
  const { run } = view;
  const record = run?.rounds;
  const services = record === undefined ? [] : servicesOf(record).slice(0, MOST_SERVICES);
  if (run === undefined || record === undefined || services.length < 2) {
    return { title: undefined, lines: [] };
  }
  const cells = keptCells({ ...run, rounds: record }).filter(({ cell }) => cell.operation === ALL_OPERATIONS);
  const rows = [
    { metric: 'cpuMicrosPerRequest', tier: SATURATION } as const,
    { metric: 'achievedRps', tier: SATURATION } as const,
    ...record.tiers.map((tier) => ({ metric: 'latencyP50Ms', tier }) as const),
  ].flatMap((row) => rowCells(view, row, cells.filter(isAt(row.tier, services))));
  const labels = services.map((service) => escapeMarkdown(view.labels.service(service), 80));
  const last = isOneMachine(view) && services.length === 2 ? [`${labels[1]} against ${labels[0]}`] : [];
  const title = titleOf(services.map(view.labels.service));
  return rows.length === 0
    ? { title, lines: [] }
    : { title, lines: [...markdownTable(['base → head', ...labels, ...last], rows, 1), '', NOTE] };
}

/** Jobs of a matrix run on machines of their own, so that their services cannot be held against each other. */
function isOneMachine({ run }: ComparisonView): boolean {
  return run?.rounds?.shards?.kind !== 'merged';
}

const NOTE =
  'Medians over the kept rounds. The verdicts are about base and head of one service, never about one service against another.';

/** A name that a stranger chose could be a reference or an address, which a summary's HTML does not keep from being one. */
function titleOf(labels: readonly string[]): string {
  return labels.length === 2 && labels.every((label) => /^[A-Za-z]{1,40}$/.test(label))
    ? labels.join(' against ')
    : 'The services side by side';
}

function isAt(tier: string, services: readonly string[]): (kept: KeptCell) => boolean {
  return ({ cell }) => cell.tier === tier && services.includes(cell.service);
}

/** The cells of a row, one for each service in its order; no row where no service has a figure. */
function rowCells(
  view: ComparisonView,
  { metric, tier }: Row,
  kept: readonly KeptCell[],
): readonly (readonly string[])[] {
  const found = kept.map(({ base, head }) => ({ base: medianOf(base, metric), head: medianOf(head, metric) }));
  const [first, second, ...others] = found;
  const suite = kept[0]?.cell.suite ?? '';
  const label = comparisonLabel(view, { suite, service: '', operation: ALL_OPERATIONS, tier }, metric);
  const texts = found.map(({ base, head }) => `${withoutUnit(text(metric, base))} → ${text(metric, head)}`);
  const last = isOneMachine(view) && others.length === 0 ? [againstText(first?.head, second?.head)] : [];
  return found.every(({ base, head }) => base === undefined && head === undefined)
    ? []
    : [[escapeMarkdown(label), ...[...texts, ...last].map(figure)]];
}

function medianOf(samples: readonly (Sample | undefined)[], metric: MetricName): number | undefined {
  return median(samples.flatMap((sample) => sample?.values[metric] ?? []));
}

function text(metric: MetricName, value: number | undefined): string {
  return value === undefined ? NO_FIGURE : valueText(metric, value);
}

function againstText(first: number | undefined, second: number | undefined): string {
  return first === undefined || second === undefined || first <= 0 ? NO_FIGURE : signedPercent(second / first - 1);
}
