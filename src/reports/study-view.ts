import type { Run } from '../core/run.ts';
import { type PairedServices, type RatioTest, type TestedRatio, testedFindings } from '../core/study.ts';
import type { ComparisonView } from './compare-view.ts';
import { comparisonLabel } from './compare-words.ts';
import { limitText, ratioText } from './times-words.ts';

/** A finding of the study that a suite is after, and what became of it here; not yet escaped. */
export interface FindingRow {
  readonly says: string;
  readonly holding: 'holds' | 'does not hold' | 'cannot tell';
  /** What was measured for it: "gRPC against REST: requests/s, saturation 1.21 [1.18, 1.24], wanted at least 1.5". */
  readonly figures: readonly string[];
}

/** The findings of the study in a run's suite, tested by services in rounds. */
export function findingRows(run: Run, view: ComparisonView, paired: PairedServices): readonly FindingRow[] {
  return testedFindings(run.suite.published?.findings ?? [], paired).map(({ says, holding, tests }) => ({
    says,
    holding,
    figures: tests.map((test) => figureOf(view, run.suite.name, test)),
  }));
}

function figureOf(view: ComparisonView, suite: string, { test, ratio }: TestedRatio): string {
  const { service, against, tier, operation = 'all', metric } = test;
  const pair = `${view.labels.service(service)} against ${view.labels.service(against)}`;
  const where = comparisonLabel(view, { suite, service, operation, tier }, metric);
  const measured = ratio === undefined ? 'not compared' : ratioText(ratio);
  return `${pair}: ${where} ${measured}, wanted ${wanted(test)}`;
}

function wanted({ atLeast, atMost }: RatioTest): string {
  return [
    ...(atLeast === undefined ? [] : [`at least ${limitText(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${limitText(atMost)}`]),
  ].join(' and ');
}
