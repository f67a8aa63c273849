import type { HistoryComparison, HistoryVerdict } from '../../judge/stored/comparison.ts';
import { ALL_OPERATIONS, cellName } from '../../model/metric.ts';
import { shortWords, storedChangeText, subjectOf } from '../comparison/stored-words.ts';
import { type Block, fold, list, type Section, type Table } from '../document.ts';
import { claimBlocks } from '../versus/document.ts';
import type { RunView } from '../views/run-view.ts';
import { metricLabel } from '../views/service-comparison.ts';
import {
  AGAINST_COLUMNS,
  placeText,
  type StoredRow,
  storedNotes,
  storedRows,
  storedVerdict,
} from '../views/stored-comparison.ts';

/** The verdict of a run against its stored past, for the top of its report. */
export function storedVerdictBlocks(view: RunView, against: HistoryComparison | undefined): readonly Block[] {
  return against === undefined ? [] : claimBlocks(storedVerdict(view, against));
}

/** The run against its stored past: what is suspicious first, then all comparisons. */
export function baselineSections(
  view: RunView,
  against: HistoryComparison | undefined,
  verdict: readonly Block[] = [],
): readonly Section[] {
  if (against === undefined) {
    return [];
  }
  const { suspicious, whole, operations } = storedRows(view, against);
  const section: Section = {
    id: 'baseline',
    title: 'Against the baseline',
    blocks: [
      ...verdict,
      list([...storedNotes(view, against), `The baseline is ${against.file}.`]),
      { ...list(cellLines(view, against)), only: ['terminal', 'brief'] },
      { ...againstTable(suspicious, 'Suspicious compared with the baseline'), only: ['markdown', 'html'] },
      {
        ...fold(
          'Against the baseline, comparison by comparison',
          againstTable(whole, 'Against the baseline, all operations'),
          againstTable(operations, 'Against the baseline, each operation alone'),
        ),
        only: ['markdown', 'html'],
      },
    ],
  };
  return [section];
}

function againstTable(rows: readonly StoredRow[], caption: string): Table {
  // The metric and the verdict are words, what stands between them are figures.
  const last = AGAINST_COLUMNS.length - 1;
  const columns = AGAINST_COLUMNS.map((text, index) => ({ text, isText: index === 0 || index === last }));
  const lines = rows.map(({ about, place, texts }) => ({ head: place, about, cells: texts }));
  return { kind: 'table', caption, columns: ['', ...columns], rows: lines };
}

/** A line for each cell over all operations, for a terminal, which has no room for the tables. */
function cellLines(view: RunView, { verdicts }: HistoryComparison): readonly string[] {
  const cells = new Map<string, HistoryVerdict[]>();
  for (const verdict of verdicts) {
    const { cell } = subjectOf(verdict);
    if (cell.operation === ALL_OPERATIONS) {
      cells.set(cellName(cell), [...(cells.get(cellName(cell)) ?? []), verdict]);
    }
  }
  return [...cells.values()].map((own) => cellLine(view, own));
}

/** Metrics with the same verdict share its words: "REST, saturation: no regression: achieved −2.8%, p50 +0.4%". */
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
