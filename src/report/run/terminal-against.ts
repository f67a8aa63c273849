import { cleanText } from '../../foundation/escape.ts';
import type { RunView } from '../../judge/reading/reading-view.ts';
import type { HistoryComparison, HistoryVerdict } from '../../judge/stored/comparison.ts';
import { ALL_OPERATIONS, cellName } from '../../model/sample.ts';
import { shortWords, storedChangeText, subjectOf } from '../comparison/verdict-words.ts';
import { againstSummary, placeText } from '../views/against-summary.ts';
import { metricLabel } from '../views/compared.ts';

/** How the run stands against its past, and a line for each cell over all operations; the other reports have the rest. */
export function baselineLines(view: RunView, against: HistoryComparison | undefined): readonly string[] {
  if (against === undefined) {
    return [];
  }
  const cells = new Map<string, HistoryVerdict[]>();
  for (const verdict of against.verdicts) {
    const { cell } = subjectOf(verdict);
    if (cell.operation === ALL_OPERATIONS) {
      cells.set(cellName(cell), [...(cells.get(cellName(cell)) ?? []), verdict]);
    }
  }
  return [...againstSummary(view, against), ...[...cells.values()].map((verdicts) => cellLine(view, verdicts))].map(
    (line) => cleanText(line, 600),
  );
}

/** Metrics with the same verdict share its words: "REST, saturation: no regression: achieved −2.8 %, p50 +0.4 %". */
function cellLine(view: RunView, verdicts: readonly HistoryVerdict[]): string {
  const [first] = verdicts;
  const byWords = new Map<string, string[]>();
  for (const verdict of verdicts) {
    const words = shortWords(verdict);
    byWords.set(words, [...(byWords.get(words) ?? []), ...figuresOf(verdict)]);
  }
  const parts = [...byWords].map(([words, figures]) =>
    figures.length === 0 ? words : `${words}: ${figures.join(', ')}`,
  );
  return `${first === undefined ? '' : placeText(view, subjectOf(first).cell)}: ${parts.join('; ')}`;
}

function figuresOf(verdict: HistoryVerdict): readonly string[] {
  if (verdict.kind === 'unmeasured') {
    return verdict.metric === undefined ? [] : [metricLabel(verdict.metric)];
  }
  return [`${metricLabel(verdict.comparison.metric)} ${storedChangeText(verdict.comparison)}`];
}
