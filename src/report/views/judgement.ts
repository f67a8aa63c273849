import type { HistoryComparison } from '../../judge/stored/comparison.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import type { RunInRounds } from '../../model/run/kept-cells.ts';
import type { Run } from '../../model/run/run.ts';

/** What a report is made from: the run, and what was judged of it. */
export interface Judgement {
  readonly run: Run;
  /** How it stands against stored runs, where a baseline was given. */
  readonly against: HistoryComparison | undefined;
  /** How head stands against base, where the run compared two versions in rounds. */
  readonly compared?: ComparisonResult | undefined;
  /** How the services of a main job stand against each other, where it held them so in rounds. */
  readonly versus?: VersusJudgement | undefined;
}

/** The rounds of a main job, and what they say. */
export interface VersusJudgement {
  readonly run: RunInRounds;
  readonly compared: ComparisonResult;
}

/** A report: the same judgement always gives the same text. */
export type Report = (judgement: Judgement) => string;
