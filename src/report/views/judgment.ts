import type { HistoryComparison } from '../../judge/stored/comparison.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import type { VersusRun } from '../../model/run/comparison.ts';
import type { Run, RunInRounds } from '../../model/run/run.ts';

/** Input of a report: the run and its judgment. */
export type Judgment = RunJudgment | ComparisonJudgment;

/** A run, and its comparison with stored runs, if a baseline was given. */
export interface RunWithStored {
  readonly run: Run;
  readonly against: HistoryComparison | undefined;
}

/** A run of which no comparison was judged. */
export interface RunJudgment extends RunWithStored {
  readonly compared?: undefined;
  /** Comparison of the services of a main job with each other, if it has rounds. */
  readonly versus?: VersusJudgment | undefined;
}

/** A run in rounds, and the judgment of head against base in it. */
export interface ComparisonJudgment extends RunWithStored {
  readonly run: RunInRounds;
  readonly compared: ComparisonResult;
  readonly versus?: undefined;
}

/** The rounds of a main job, and what they say. */
export interface VersusJudgment {
  readonly run: VersusRun;
  readonly compared: ComparisonResult;
}
