import type { HistoryComparison } from './history/comparison.ts';
import type { Run } from './run.ts';
import type { ComparisonResult } from './verdict/finding.ts';

/** What a report is made from: the run, and what was judged of it. */
export interface Judgement {
  readonly run: Run;
  /** How it stands against stored runs, where a baseline was given. */
  readonly against: HistoryComparison | undefined;
  /** How head stands against base, where the run compared two versions in rounds. */
  readonly compared?: ComparisonResult | undefined;
}

/** A report: the same judgement always gives the same text. */
export type Report = (judgement: Judgement) => string;
