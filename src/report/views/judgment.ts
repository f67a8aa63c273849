import type { HistoryComparison } from '../../judge/stored/comparison.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import type { Run } from '../../model/run/run.ts';

/** Run, and its comparison with stored runs, if a baseline was given. */
export interface RunWithStored {
  readonly run: Run;
  readonly against: HistoryComparison | undefined;
}

/** Input of a report. */
export interface Judgment extends RunWithStored {
  /** Judgment of the rounds in the run: of head against base, or of services against each other. */
  readonly compared?: ComparisonResult | undefined;
}
