import type { Comparison, Verdict } from '../core/judgement.ts';
import { formatChange, formatMetric, withoutUnit } from '../core/reading-numbers.ts';
import { type CellKey, cellName } from '../core/sample.ts';

/** What a comparison with a stored baseline says of one cell. */
export interface CellVerdict {
  readonly cell: CellKey;
  /** Never more than the verdict allows: "changed, not judged", or why there is nothing to compare. */
  readonly words: string;
  /** Empty where there is nothing to compare. */
  readonly comparisons: readonly Comparison[];
}

type Unmeasured = Extract<Verdict, { kind: 'unmeasured' }>;

const UNMEASURED: Record<Unmeasured['reason'], string> = {
  new: 'not in the baseline',
  gone: 'in the baseline, but not in this run',
  failed: 'failed in this run',
  saturated: 'saturated, so its figures are not comparable',
  'generator-limited': 'the load tool was at its own limit',
};

const COMPARED: Record<Exclude<Verdict['kind'], 'unmeasured'>, string> = {
  'not-judged': 'changed, not judged',
  inconclusive: 'inconclusive: measured on another runner',
};

/** Why a difference from a stored run is stated and not judged. */
export const NOT_JUDGED_NOTE =
  'One stored run says nothing of the noise between runs, so differences are stated and not judged.';

/** The verdicts gathered by cell, in the order in which they came. */
export function verdictsByCell(verdicts: readonly Verdict[]): readonly CellVerdict[] {
  const cells = new Map<string, CellVerdict>();
  for (const verdict of verdicts) {
    const next = verdictOf(verdict);
    const key = `${cellName(next.cell)} ${next.words}`;
    const known = cells.get(key);
    cells.set(key, known === undefined ? next : { ...known, comparisons: [...known.comparisons, ...next.comparisons] });
  }
  return [...cells.values()];
}

function verdictOf(verdict: Verdict): CellVerdict {
  return verdict.kind === 'unmeasured'
    ? { cell: verdict.cell, words: `unmeasured: ${UNMEASURED[verdict.reason]}`, comparisons: [] }
    : { cell: verdict.comparison.cell, words: COMPARED[verdict.kind], comparisons: [verdict.comparison] };
}

/** The change alone, for example "+4.2 %"; a change from zero has no per cent. */
export function changeText({ metric, now, change }: Comparison): string {
  return change === undefined ? `from 0 to ${formatMetric(metric, now)}` : formatChange(change);
}

/** Before, now and the change: "0.51 → 0.54 ms, +5.9 %". */
export function comparisonText(comparison: Comparison): string {
  const { metric, before, now } = comparison;
  const change = comparison.change === undefined ? '' : `, ${changeText(comparison)}`;
  return `${withoutUnit(formatMetric(metric, before))} → ${formatMetric(metric, now)}${change}`;
}
