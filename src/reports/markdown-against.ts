import type { BaselineComparison } from '../core/judgement.ts';
import { METRIC_NAMES } from '../core/metric.ts';
import { NO_FIGURE } from '../core/reading-numbers.ts';
import { operationLabel, type RunView, serviceLabel, tierLabel } from '../core/reading-view.ts';
import { metricLabel } from './compared.ts';
import { escapeMarkdown } from './escape.ts';
import { startOf } from './facts.ts';
import { type MarkdownSection, markdownTable } from './markdown-section.ts';
import { publishedRows, publishedServices } from './published.ts';
import { comparisonText, NOT_JUDGED_NOTE, verdictsByCell } from './verdict-words.ts';

/** A line on what the run was held against, and the folded table of its cells; nothing without a baseline. */
export function baselineSections(view: RunView, against: BaselineComparison | undefined): readonly MarkdownSection[] {
  if (against === undefined) {
    return [];
  }
  const { startedAt, commit, cpuModel, profile, note } = against.provenance;
  const source = `measured ${startOf({ startedAt })}, commit ${commit?.slice(0, 10) ?? 'unknown'}, ${cpuModel}, profile ${profile}`;
  const lines = [
    `Held against ${escapeMarkdown(against.file)} (${escapeMarkdown(source)}). ${escapeMarkdown(note)}`,
    '',
    NOT_JUDGED_NOTE,
  ];
  return [
    { title: undefined, lines },
    { title: 'Against the baseline, cell by cell', lines: baselineTable(view, against) },
  ];
}

function baselineTable(view: RunView, against: BaselineComparison): readonly string[] {
  const cells = verdictsByCell(against.verdicts);
  const seen = new Set(cells.flatMap(({ comparisons }) => comparisons.map(({ metric }) => metric)));
  const metrics = METRIC_NAMES.filter((metric) => seen.has(metric));
  const rows = cells.map(({ cell, words, comparisons }) => {
    const place = [serviceLabel(view, cell.service), operationLabel(view, cell.operation), tierLabel(view, cell.tier)];
    const texts = metrics.map((metric) => {
      const comparison = comparisons.find((one) => one.metric === metric);
      return comparison === undefined ? NO_FIGURE : escapeMarkdown(comparisonText(comparison));
    });
    return [...place, words].map((text) => escapeMarkdown(text)).concat(texts);
  });
  return markdownTable(['service', 'operation', 'load', 'verdict', ...metrics.map(metricLabel)], rows, 4);
}

/** The study's figures beside ours, with where they come from; nothing for a suite without any. */
export function publishedLines(view: RunView): readonly string[] {
  const { published } = view.run.suite;
  if (published === undefined) {
    return [];
  }
  const services = publishedServices(view).map(({ label }) => escapeMarkdown(label));
  const rows = publishedRows(view).map(({ tier, metric, services: pairs }) => [
    escapeMarkdown(tier.label),
    escapeMarkdown(metricLabel(metric)),
    ...pairs.flatMap(({ published: theirs, ours }) => [
      escapeMarkdown(theirs ?? NO_FIGURE),
      escapeMarkdown(ours ?? NO_FIGURE),
    ]),
  ]);
  return [
    `Published: ${escapeMarkdown(published.source)}. ${escapeMarkdown(published.note)}`,
    '',
    'The machines differ, so the figures stand side by side and are not compared.',
    '',
    ...markdownTable(
      ['load', 'metric', ...services.flatMap((label) => [`${label} published`, `${label} here`])],
      rows,
      2,
    ),
  ];
}
