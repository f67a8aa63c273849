import { NO_FIGURE, withoutUnit } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import { comparedOf } from '../../judge/verdict/compared.ts';
import type { Compared, Finding } from '../../judge/verdict/finding.ts';
import { ALL_OPERATIONS, type CellKey, COUNTED, type MetricName, SATURATION, type Sample } from '../../model/metric.ts';
import { type KeptCell, keptCells, servicesOf } from '../../model/run/comparison.ts';
import type { ComparisonView } from '../comparison/view.ts';
import { comparisonLabel, metricWord, signedPercent, valueText } from '../comparison/words.ts';
import { paragraph, type Table, type TableRow } from '../document.ts';
import { type MarkdownSection, markdownLines } from '../render/markdown.ts';

/** More columns than this do not fit beside each other. */
const MOST_SERVICES = 5;

/** What a row is about. */
interface Subject {
  readonly metric: MetricName;
  readonly tier: string;
}

/**
 * The services of a run side by side, base and head of each: CPU per request and rate at saturation, p50 at each tier, over
 * all operations. Without lines if there are fewer than two services.
 */
export function servicesSection(view: ComparisonView): MarkdownSection {
  const { run } = view;
  const services = run === undefined ? [] : servicesOf(run.rounds).slice(0, MOST_SERVICES);
  if (run === undefined || services.length < 2) {
    return { title: undefined, lines: [] };
  }
  const cells = keptCells(run).filter(({ cell }) => cell.operation === ALL_OPERATIONS);
  const rows = [
    { metric: 'cpuMicrosPerRequest', tier: SATURATION } as const,
    { metric: 'achievedRps', tier: SATURATION } as const,
    ...run.rounds.tiers.map((tier) => ({ metric: 'latencyP50Ms', tier }) as const),
  ].flatMap((subject) => rowOf(view, subject, cells.filter(isAt(subject.tier, services))));
  const counts = COUNTED.flatMap((metric) => rowOfCounts(view, metric, services));
  const labels = services.map(view.labels.service);
  const last = isOneMachine(view) && services.length === 2 ? [`${labels[1]} against ${labels[0]}`] : [];
  const title = titleOf(labels);
  const columns = ['base → head', ...labels, ...last];
  const all = [...counts, ...rows];
  const table: Table = { kind: 'table', caption: title, isCaptionQuiet: true, columns, rows: all };
  return { title, lines: all.length === 0 ? [] : markdownLines([table, paragraph(NOTE)]) };
}

/** Jobs of a matrix run on machines of their own, so their services cannot be compared with each other. */
function isOneMachine({ run }: ComparisonView): boolean {
  return run?.rounds.shards?.kind !== 'merged';
}

const NOTE = 'Verdicts compare base and head of one service, never two services.';

/** A name that a stranger chose could be a reference or an address, which a summary's HTML does not keep from being one. */
function titleOf(labels: readonly string[]): string {
  return labels.length === 2 && labels.every((label) => /^[A-Za-z]{1,40}$/.test(label))
    ? labels.join(' against ')
    : 'The services side by side';
}

function isAt(tier: string, services: readonly string[]): (kept: KeptCell) => boolean {
  return ({ cell }) => cell.tier === tier && services.includes(cell.service);
}

/** The cells of a row, one for each service in its order; no row if no service has a figure. */
function rowOf(view: ComparisonView, { metric, tier }: Subject, kept: readonly KeptCell[]): readonly TableRow[] {
  const found = kept.map((one) => figuresOf(view, metric, one));
  const [first, second, ...others] = found;
  const suite = kept[0]?.cell.suite ?? '';
  const label = comparisonLabel(view, { suite, service: '', operation: ALL_OPERATIONS, tier }, metric);
  const texts = found.map(({ base, head }) => `${withoutUnit(text(metric, base))} → ${text(metric, head)}`);
  const last = isOneMachine(view) && others.length === 0 ? [againstText(first?.head, second?.head)] : [];
  return found.every(({ base, head }) => base === undefined && head === undefined)
    ? []
    : [{ head: label, cells: [...texts, ...last] }];
}

/** What was counted of each service as a whole; no row if nothing was. */
function rowOfCounts(view: ComparisonView, metric: MetricName, services: readonly string[]): readonly TableRow[] {
  const found = services.map((service) =>
    view.result.findings.find(
      ({ cell, metric: one }) => one === metric && cell.service === service && cell.operation === ALL_OPERATIONS,
    ),
  );
  const [first, second, ...others] = found;
  const texts = found.map((one) => `${withoutUnit(text(metric, one?.base))} → ${text(metric, one?.head)}`);
  const last = isOneMachine(view) && others.length === 0 ? [againstText(first?.head, second?.head)] : [];
  return found.every((one) => one === undefined) ? [] : [{ head: metricWord(metric), cells: [...texts, ...last] }];
}

/** Both figures as the list of changes has them, so that no two tables differ; the medians of what was not compared. */
function figuresOf({ result }: ComparisonView, metric: MetricName, { cell, base, head }: KeptCell) {
  const finding = result.findings.find((one) => nameOf(one) === nameOf({ cell, metric }));
  return finding === undefined
    ? { base: medianOf(base, metric), head: medianOf(head, metric) }
    : { base: finding.base, head: finding.base * (1 + finding.change.estimate) };
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

/** The log ratio of head to base in each kept round that has both, of the metric itself: up is more. None without the rounds. */
export function roundChanges({ run }: ComparisonView): (finding: Finding) => readonly number[] {
  if (run === undefined) {
    return () => [];
  }
  const { compared } = comparedOf(run, run.rounds.policy);
  const byName = new Map(compared.map((one) => [nameOf(one), one]));
  return (finding) => logRatios(byName.get(nameOf(finding)));
}

function nameOf({ cell, metric }: { readonly cell: CellKey; readonly metric: string }): string {
  return JSON.stringify([cell.service, cell.operation, cell.tier, metric]);
}

function logRatios(compared: Compared | undefined): readonly number[] {
  return (compared?.base ?? []).flatMap((base, round) => {
    const head = compared?.head[round];
    return base === undefined || head === undefined ? [] : [Math.log(head) - Math.log(base)];
  });
}
