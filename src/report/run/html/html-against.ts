import type { RunView } from '../../../judge/reading/reading-view.ts';
import type { HistoryComparison } from '../../../judge/stored/comparison.ts';
import { folded, type Html, html, joinLines, type PageSection, sentence, table } from '../../render/html-markup.ts';
import { AGAINST_COLUMNS, type AgainstRow, againstRows } from '../../views/against-rows.ts';
import { againstSummary } from '../../views/against-summary.ts';

/** The run against its stored past: what is suspicious first, then all comparisons; the single operations are folded. */
export function baselineSection(view: RunView, against: HistoryComparison): PageSection {
  const [first = '', ...others] = againstSummary(view, against);
  const { suspicious, whole, operations } = againstRows(view, against);
  return {
    id: 'baseline',
    title: 'Against the baseline',
    body: joinLines([
      html`<p>${sentence(first)}</p>`,
      ...[...others, `The baseline is ${against.file}.`].map((text) => html`<p class="note">${sentence(text)}</p>`),
      ...tables(suspicious, 'Suspicious against the baseline'),
      ...tables(whole, 'Against the baseline, all operations'),
      ...tables(operations, 'Against the baseline, each operation alone').map((one) =>
        folded('Each operation alone', one),
      ),
    ]),
  };
}

function tables(rows: readonly AgainstRow[], caption: string): readonly Html[] {
  if (rows.length === 0) {
    return [];
  }
  const lines = rows.map(({ place, texts }) => ({
    head: place,
    cells: texts.map((text, index) => (isText(index) ? html`<td class="text">${text}</td>` : html`<td>${text}</td>`)),
  }));
  const columns = AGAINST_COLUMNS.map((text, index) => (isText(index) ? { text, isText: true as const } : text));
  return [table({ caption, columns: ['', ...columns], rows: lines })];
}

/** The metric and the verdict are words, what stands between them are figures. */
function isText(column: number): boolean {
  return column === 0 || column === AGAINST_COLUMNS.length - 1;
}
