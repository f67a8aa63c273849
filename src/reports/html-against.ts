import type { BaselineComparison } from '../core/judgement.ts';
import { METRIC_NAMES } from '../core/metric.ts';
import { NO_FIGURE } from '../core/reading-numbers.ts';
import { operationLabel, type RunView, serviceLabel, tierLabel } from '../core/reading-view.ts';
import { ALL_OPERATIONS } from '../core/sample.ts';
import { metricLabel } from './compared.ts';
import { startOf } from './facts.ts';
import { folded, type Html, html, type PageSection, table } from './html-markup.ts';
import { type CellVerdict, comparisonText, NOT_JUDGED_NOTE, verdictsByCell } from './verdict-words.ts';

/** The run beside a stored baseline; the single operations are folded. */
export function baselineSection(view: RunView, against: BaselineComparison): PageSection {
  const { startedAt, commit, cpuModel, runnerClass, profile, note } = against.provenance;
  const cells = verdictsByCell(against.verdicts);
  const whole = cells.filter(({ cell }) => cell.operation === ALL_OPERATIONS);
  const single = cells.filter(({ cell }) => cell.operation !== ALL_OPERATIONS);
  const operations =
    single.length === 0
      ? undefined
      : folded('Each operation alone', verdictTable(view, single, 'Against the baseline, each operation alone'));
  return {
    id: 'baseline',
    title: 'Against the baseline',
    body: html`<p>${against.file}: measured ${startOf({ startedAt })}, commit ${commit?.slice(0, 10) ?? 'unknown'}, ${runnerClass}, ${cpuModel}, profile ${profile}. ${note}</p>
<p class="note">${NOT_JUDGED_NOTE}</p>
${verdictTable(view, whole, 'Against the baseline, all operations')}
${operations}`,
  };
}

function verdictTable(view: RunView, cells: readonly CellVerdict[], caption: string): Html {
  const seen = new Set(cells.flatMap(({ comparisons }) => comparisons.map(({ metric }) => metric)));
  const metrics = METRIC_NAMES.filter((metric) => seen.has(metric));
  const rows = cells.map(({ cell, words, comparisons }) => {
    const operation = cell.operation === ALL_OPERATIONS ? '' : `, ${operationLabel(view, cell.operation)}`;
    const texts = metrics.map((metric) => {
      const comparison = comparisons.find((one) => one.metric === metric);
      return html`<td>${comparison === undefined ? NO_FIGURE : comparisonText(comparison)}</td>`;
    });
    return {
      head: `${serviceLabel(view, cell.service)}, ${tierLabel(view, cell.tier)}${operation}`,
      cells: [html`<td class="text">${words}</td>`, ...texts],
    };
  });
  return table({ caption, columns: ['', { text: 'verdict', isText: true }, ...metrics.map(metricLabel)], rows });
}
