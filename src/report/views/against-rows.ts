import { formatMetric, NO_FIGURE } from '../../foundation/reading-numbers.ts';
import type { RunView } from '../../judge/reading/reading-view.ts';
import type { HistoryComparison, HistoryVerdict } from '../../judge/stored/comparison.ts';
import { ALL_OPERATIONS } from '../../model/sample.ts';
import { allowedText, storedChangeText, storedVerdictWords, subjectOf } from '../comparison/verdict-words.ts';
import { placeText } from './against-summary.ts';
import { metricLabel } from './compared.ts';

/** The heads of the columns of a row. */
export const AGAINST_COLUMNS = ['metric', 'expected', 'now', 'change', 'explained up to', 'verdict'] as const;

/** One comparison with the past, as texts that are not yet escaped. */
export interface AgainstRow {
  readonly place: string;
  /** In the order of AGAINST_COLUMNS. */
  readonly texts: readonly string[];
}

/** The comparisons of a run with its past: what stands out, everything over all operations, and each operation alone. */
export interface AgainstRows {
  readonly suspicious: readonly AgainstRow[];
  readonly whole: readonly AgainstRow[];
  readonly operations: readonly AgainstRow[];
}

/** The rows of a run's comparison with its past, in the order of its cells. */
export function againstRows(view: RunView, { verdicts }: HistoryComparison): AgainstRows {
  const isWhole = (verdict: HistoryVerdict) => subjectOf(verdict).cell.operation === ALL_OPERATIONS;
  const rows = (chosen: readonly HistoryVerdict[]) => chosen.map((verdict) => rowOf(view, verdict));
  return {
    suspicious: rows(verdicts.filter((verdict) => 'standing' in verdict && verdict.standing === 'suspicious')),
    whole: rows(verdicts.filter(isWhole)),
    operations: rows(verdicts.filter((verdict) => !isWhole(verdict))),
  };
}

function rowOf(view: RunView, verdict: HistoryVerdict): AgainstRow {
  const { cell, metric } = subjectOf(verdict);
  const label = metric === undefined ? NO_FIGURE : metricLabel(metric);
  return { place: placeText(view, cell), texts: [label, ...figuresOf(verdict), storedVerdictWords(verdict)] };
}

function figuresOf(verdict: HistoryVerdict): readonly string[] {
  if (verdict.kind === 'unmeasured') {
    return [NO_FIGURE, NO_FIGURE, NO_FIGURE, NO_FIGURE];
  }
  const { metric, before, now } = verdict.comparison;
  return [
    before === undefined ? NO_FIGURE : formatMetric(metric, before),
    formatMetric(metric, now),
    storedChangeText(verdict.comparison),
    'bound' in verdict ? allowedText(verdict) : NO_FIGURE,
  ];
}
