import { inverse, type PairedServices, type StudyEvidence, type Times } from '../../src/judge/study/versus.ts';
import { ALL_OPERATIONS } from '../../src/model/metric.ts';
import { referenceOf } from '../../src/model/run/comparison.ts';
import type { RatioTest, StudyFinding } from '../../src/model/run/study.ts';
import { type SlotReason, slotRatio } from './slots.ts';

/** Result of a finding on this machine: only an interval on one side of the limit decides it. */
export type Holding = 'holds' | 'does not hold' | 'unclear';

/** Test with its measured ratio, or its figure if it concerns only one; without either if it was not measured. */
export interface TestedRatio {
  readonly test: RatioTest;
  /** An end of 0 or Infinity is open: the ratio is unbounded on that side. */
  readonly ratio: Times | undefined;
  readonly holding: Holding;
  /** Source of the ratio; undefined without one. */
  readonly by: 'rounds' | 'slots' | undefined;
  /** Reason why slots are inconclusive, or less conclusive. */
  readonly reasons: readonly SlotReason[];
}

export interface TestedFinding {
  readonly finding: StudyFinding;
  readonly tests: readonly TestedRatio[];
  /** `holds` if each test does, `does not hold` if one significantly does not. */
  readonly holding: Holding;
}

/** Findings of a study compared with the measurements: services in turns if these give an interval, else in slots. */
export function testedFindings(findings: readonly StudyFinding[], evidence: StudyEvidence): readonly TestedFinding[] {
  return findings.map((finding) => {
    const tests = finding.holdsIf.map((test) => testedRatio(test, evidence));
    return { finding, tests, holding: together(tests) };
  });
}

function together(tests: readonly TestedRatio[]): Holding {
  if (tests.some(({ holding }) => holding === 'does not hold')) {
    return 'does not hold';
  }
  return tests.every(({ holding }) => holding === 'holds') ? 'holds' : 'unclear';
}

/** One test compared with the measurements, like those of a finding. */
export function testedRatio(test: RatioTest, { paired, slots }: StudyEvidence): TestedRatio {
  const inRounds = paired && test.against !== undefined ? roundsRatio(test, test.against, paired) : undefined;
  if (slots === undefined || inRounds?.low !== undefined) {
    return reported(test, { ratio: inRounds, by: 'rounds', reasons: [] });
  }
  const { ratio, reasons } = slotRatio(test, slots);
  return ratio === undefined
    ? reported(test, { ratio: inRounds, by: 'rounds', reasons })
    : reported(test, { ratio: including(ratio, inRounds?.times ?? ratio.times), by: 'slots', reasons });
}

/** Ratio whose interval includes the result of too few rounds: single starts that disagree with them may be off by that much. */
function including({ times, low = 0, high = Number.POSITIVE_INFINITY }: Times, measured: number): Times {
  return { times, low: Math.min(low, measured), high: Math.max(high, measured) };
}

function reported(test: RatioTest, { ratio, by, reasons }: Pick<TestedRatio, 'ratio' | 'by' | 'reasons'>): TestedRatio {
  return { test, ratio, holding: holdingOf(test, ratio), by: ratio && by, reasons };
}

/** Services in turns are only compared within a tier. */
function roundsRatio(test: RatioTest, against: string, paired: PairedServices): Times | undefined {
  if (test.againstTier !== undefined && test.againstTier !== test.tier) {
    return undefined;
  }
  const own = toReference(test.service, test, paired);
  const other = toReference(against, test, paired);
  return own && other && own.reference === other.reference ? quotient(own.times, other.times) : undefined;
}

const ITSELF: Times = { times: 1, low: 1, high: 1 };

/** Ratio of a service to its reference in rounds; undefined if it was not compared. */
export function toReference(
  service: string,
  { tier, operation = ALL_OPERATIONS, metric }: RatioTest,
  { pairings, ...versus }: PairedServices,
): { readonly reference: string; readonly times: Times } | undefined {
  const isReference =
    service === versus.reference || Object.values(versus.references ?? {}).some((one) => one === service);
  if (isReference) {
    return { reference: service, times: ITSELF };
  }
  const ratios = pairings.find((pairing) => pairing.service === service)?.ratios ?? [];
  const found = ratios.find(
    (one) => one.metric === metric && one.cell.tier === tier && one.cell.operation === operation,
  );
  return found && { reference: referenceOf(versus, service), times: found.ratio };
}

/** Ratio of two services that were each compared with the reference, with the widest interval that both allow. */
function quotient(own: Times, other: Times): Times {
  const { times, low, high } = inverse(other);
  return { times: own.times * times, low: product(own.low, low), high: product(own.high, high) };
}

function product(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? undefined : left * right;
}

function holdingOf({ atLeast = 0, atMost = Infinity }: RatioTest, ratio: Times | undefined): Holding {
  const { low, high } = ratio ?? {};
  if (low === undefined || high === undefined) {
    return 'unclear';
  }
  if (high < atLeast || low > atMost) {
    return 'does not hold';
  }
  return low >= atLeast && high <= atMost ? 'holds' : 'unclear';
}
