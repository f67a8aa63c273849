import { escapeMarkdown } from '../../foundation/escape.ts';
import { NO_FIGURE } from '../../foundation/reading-numbers.ts';
import type { RunView } from '../../judge/reading/reading-view.ts';
import type { HistoryComparison } from '../../judge/stored/comparison.ts';
import { type MarkdownSection, markdownTable } from '../render/markdown-section.ts';
import { AGAINST_COLUMNS, type AgainstRow, againstRows } from '../views/against-rows.ts';
import { againstSummary } from '../views/against-summary.ts';
import { metricLabel } from '../views/compared.ts';
import { publishedRows, publishedServices } from '../views/published.ts';

/** How the run stands against its stored past, what is suspicious, and the folded table of all comparisons. */
export function baselineSections(view: RunView, against: HistoryComparison | undefined): readonly MarkdownSection[] {
  if (against === undefined) {
    return [];
  }
  const [first = '', ...others] = againstSummary(view, against).map((text) => escapeMarkdown(text, 1000));
  const { suspicious, whole, operations } = againstRows(view, against);
  const head = `Against ${escapeMarkdown(against.file)}: **${first}**`;
  return [
    { title: undefined, lines: [head, ...others.flatMap((line) => ['', line])] },
    { title: undefined, lines: againstTable(suspicious) },
    { title: 'Against the baseline, comparison by comparison', lines: againstTable([...whole, ...operations]) },
  ];
}

function againstTable(rows: readonly AgainstRow[]): readonly string[] {
  if (rows.length === 0) {
    return [];
  }
  const cells = rows.map(({ place, texts }) => [place, ...texts].map((text) => escapeMarkdown(text)));
  return markdownTable(['', ...AGAINST_COLUMNS], cells);
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
