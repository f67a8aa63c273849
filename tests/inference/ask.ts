/**
 * Answers for the Python tests: for each line `[{"name": function, "arguments": [...]}]` on stdin writes a line with the results in the
 * same order. `null` is a round that a comparison lacks, and a result that does not exist.
 */
import { createInterface } from 'node:readline';
import { type ChangePoint, changePoints, rescan } from '../../src/history/change-points/change-points.ts';
import { CRITICAL_VALUES } from '../../src/history/change-points/critical-values.ts';
import { errorRateP, mannWhitneyP } from '../../src/judge/inference/counts.ts';
import { noiseOf, roundsNeeded, smallestDetectable } from '../../src/judge/inference/detectable.ts';
import { normalQuantile, normalTail, studentQuantile, studentTail } from '../../src/judge/inference/distributions.ts';
import { type FamilyRule, type Paired, testFamily } from '../../src/judge/inference/family-test.ts';
import { droppedAtLast, intervalOverLooks } from '../../src/judge/inference/interval-over-looks.ts';
import { hodgesLehmann, signedRankInterval, theilSen } from '../../src/judge/inference/location.ts';
import type { Look } from '../../src/model/rounds.ts';

const FUNCTIONS: Record<string, ((...given: never[]) => unknown) | undefined> = {
  appended: (values: readonly number[]) => appended(values),
  changePoints,
  criticalValues: () => CRITICAL_VALUES,
  droppedAtLast,
  errorRateP,
  hodgesLehmann,
  intervalOverLooks: (comparison: Nullable, looks: readonly Look[]) => intervalOverLooks(paired(comparison), looks),
  mannWhitneyP,
  noiseOf,
  normalQuantile,
  normalTail,
  roundsNeeded,
  signedRankInterval,
  smallestDetectable,
  studentQuantile,
  studentTail,
  testFamily: (comparisons: readonly Nullable[], rule: FamilyRule) => testFamily(comparisons.map(paired), rule),
  theilSen,
};

/** The places that were ever reported as certain while a series grew value by value. */
function appended(values: readonly number[]): readonly number[] {
  const reported = new Set<number>();
  let found: readonly ChangePoint[] = [];
  for (let count = 1; count <= values.length; count += 1) {
    found = rescan(found, values.slice(0, count));
    for (const { index } of found.filter(({ pending }) => !pending)) {
      reported.add(index);
    }
  }
  return [...reported];
}

/** A comparison as JSON has it. */
interface Nullable {
  readonly base: readonly (number | null)[];
  readonly head: readonly (number | null)[];
}

function paired({ base, head }: Nullable): Paired {
  return { base: base.map((value) => value ?? undefined), head: head.map((value) => value ?? undefined) };
}

interface Question {
  readonly name: string;
  readonly arguments: readonly never[];
}

for await (const line of createInterface({ input: process.stdin })) {
  const requested = JSON.parse(line) as readonly Question[];
  const answers = requested.map((question) => FUNCTIONS[question.name]?.(...question.arguments) ?? null);
  process.stdout.write(`${JSON.stringify(answers)}\n`);
}
