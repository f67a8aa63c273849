import { cleanText } from '../../foundation/escape.ts';
import { type Html, html, joinLines } from '../render/html-markup.ts';
import { type Axis, axisMarks, axisOf, bar, INTERVAL_PLOT, mark, rowMarks } from './compare-plot.ts';
import { byService, type FindingRow, rowOf, type ServiceFindings, shiftText } from './compare-row.ts';
import type { ComparisonView } from './compare-view.ts';
import { counted, verdictWord } from './compare-words.ts';

/** A plot for each service: estimate, 95 % interval and threshold of each comparison, on one scale for all of them. */
export function intervalCharts(view: ComparisonView): readonly Html[] {
  // The tails that are only watched are far noisier than the rest: the axis is not for them.
  const axis = axisOf(view.gate.length > 0 ? view.gate : view.result.findings);
  return byService(view).map((service, index) => intervalChart(view, service, { axis, index }));
}

/** Says which shape is which verdict, for the verdicts that occur. */
export function intervalKey({ result }: ComparisonView): Html {
  const kinds = new Map(result.findings.map((finding) => [verdictWord(finding), finding] as const));
  const items = [...kinds].map(
    ([word, finding]) =>
      html`<li><svg viewBox="0 0 34 12" width="34" height="12" aria-hidden="true">${bar(finding, 'M1 6H33')}${mark(finding, 17, 6)}</svg>${word}</li>`,
  );
  return html`<ul class="key">${items}<li><svg viewBox="0 0 34 12" width="34" height="12" aria-hidden="true"><path class="limit" d="M17 0V12"/></svg>threshold</li></ul>`;
}

interface Placed {
  readonly axis: Axis;
  readonly index: number;
}

function intervalChart(view: ComparisonView, [service, findings]: ServiceFindings, { axis, index }: Placed): Html {
  const rows = findings.map((finding) => rowOf(view, finding));
  const bottom = INTERVAL_PLOT.top + findings.length * INTERVAL_PLOT.row;
  const title = cleanText(view.labels.service(service), 80);
  const id = `intervals-${index}`;
  const marks = findings.map((finding, line) =>
    rowMarks(finding, { label: rows[line]?.label ?? '', y: middleOf(line), axis }),
  );
  const firstWatched = rows.findIndex(({ isWatched }) => isWatched);
  return html`<figure class="chart intervals"><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${INTERVAL_PLOT.width} ${bottom + INTERVAL_PLOT.foot}" role="img" aria-labelledby="${id}-title ${id}-text"><title id="${id}-title">Change of each comparison, ${title}</title><desc id="${id}-text">${spoken(title, rows)}</desc>
${firstWatched > 0 ? html`<path class="grid" d="M0 ${INTERVAL_PLOT.top + firstWatched * INTERVAL_PLOT.row}H${INTERVAL_PLOT.right}"/>` : undefined}
${axisMarks(axis, bottom)}
${joinLines(marks)}
</svg></figure>`;
}

function middleOf(line: number): number {
  return INTERVAL_PLOT.top + (line + 0.5) * INTERVAL_PLOT.row;
}

function spoken(service: string, rows: readonly FindingRow[]): string {
  const words = [...new Set(rows.map(({ verdict }) => verdict))];
  const counts = words.map((word) => `${rows.filter(({ verdict }) => verdict === word).length} ${word}`);
  const changed = rows
    .filter(({ verdict }) => verdict !== 'unchanged' && verdict !== 'inconclusive')
    .map((row) => `${row.label}: ${shiftText(row)}, ${row.verdict}.`);
  return [`${service}, ${counted(rows.length, 'comparison')}: ${counts.join(', ')}.`, ...changed].join(' ');
}
