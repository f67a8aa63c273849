import type { MetricName } from './metric.ts';
import type { Run } from './run.ts';
import type { CellKey } from './sample.ts';

/** What a report is made from: the run, and how it stands against a stored baseline where one was given. */
export interface Judgement {
  readonly run: Run;
  readonly against: BaselineComparison | undefined;
}

/** A run held against a stored baseline. One stored run allows no verdict: differences are stated, not judged. */
export interface BaselineComparison {
  readonly file: string;
  readonly provenance: Provenance;
  readonly verdicts: readonly Verdict[];
}

/** Where a stored baseline comes from. */
export interface Provenance {
  readonly startedAt: string;
  readonly commit: string | undefined;
  readonly cpuModel: string;
  readonly runnerClass: string;
  readonly profile: string;
  readonly note: string;
}

/**
 * One metric of one cell, before and now; `change` is the relative difference, 0.05 for 5 % more,
 * undefined where it was 0 before.
 */
export interface Comparison {
  readonly cell: CellKey;
  readonly metric: MetricName;
  readonly before: number;
  readonly now: number;
  readonly change: number | undefined;
}

/** What can be said of a comparison. A stored run gives `not-judged`; the rest says why there is not even a difference. */
export type Verdict =
  | { readonly kind: 'not-judged'; readonly comparison: Comparison }
  | { readonly kind: 'inconclusive'; readonly comparison: Comparison; readonly reason: 'other-runner' }
  | {
      readonly kind: 'unmeasured';
      readonly cell: CellKey;
      readonly reason: 'new' | 'gone' | 'failed' | 'saturated' | 'generator-limited';
    };

/** A report: the same judgement always gives the same text. */
export type Report = (judgement: Judgement) => string;
