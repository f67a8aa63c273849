import { z } from 'zod';
import { METRIC_NAMES, type MetricName } from './metric.ts';
import { ALL_OPERATIONS } from './sample.ts';
import { inverse, type Pairing, type Times } from './versus.ts';

const ratioTest = z.object({
  service: z.string().max(80),
  against: z.string().max(80),
  tier: z.string().max(80),
  operation: z.string().max(80).optional(),
  metric: z.enum(METRIC_NAMES as [MetricName, ...MetricName[]]),
  atLeast: z.number().optional(),
  atMost: z.number().optional(),
});

/** A finding of a study, as a file has it. */
export const studyFindingSchema = z.object({ says: z.string().max(2000), holdsIf: z.array(ratioTest).readonly() });

/** What a study found, and the tests that have to be passed, each of them, for it to hold here. */
export type StudyFinding = z.infer<typeof studyFindingSchema>;

/** One service's figure as a multiple of another's, and where that has to lie; of all operations together where it names none. */
export type RatioTest = z.infer<typeof ratioTest>;

/** Whether something holds on this machine: only an interval that lies on one side of the limit tells. */
export type Holding = 'holds' | 'does not hold' | 'cannot tell';

/** A test with what was measured; no ratio where the two were not compared there. */
export interface TestedRatio {
  readonly test: RatioTest;
  readonly ratio: Times | undefined;
  readonly holding: Holding;
}

/** A finding of a study, tested here. */
export interface TestedFinding {
  readonly says: string;
  readonly tests: readonly TestedRatio[];
  /** `holds` where each test does, `does not hold` where one surely does not. */
  readonly holding: Holding;
}

/** Services in rounds with a reference. */
export interface PairedServices {
  readonly reference: string;
  readonly pairings: readonly Pairing[];
}

/** The findings of a study held against the ratios of services that were measured in turns. */
export function testedFindings(findings: readonly StudyFinding[], paired: PairedServices): readonly TestedFinding[] {
  return findings.map(({ says, holdsIf }) => {
    const tests = holdsIf.map((test) => testedRatio(test, paired));
    return { says, tests, holding: together(tests) };
  });
}

function together(tests: readonly TestedRatio[]): Holding {
  if (tests.some(({ holding }) => holding === 'does not hold')) {
    return 'does not hold';
  }
  return tests.every(({ holding }) => holding === 'holds') ? 'holds' : 'cannot tell';
}

function testedRatio(test: RatioTest, paired: PairedServices): TestedRatio {
  const own = toReference(test.service, test, paired);
  const other = toReference(test.against, test, paired);
  const ratio = own && other && quotient(own, other);
  return { test, ratio, holding: holdingOf(test, ratio) };
}

const ITSELF: Times = { times: 1, low: 1, high: 1 };

function toReference(
  service: string,
  { tier, operation = ALL_OPERATIONS, metric }: RatioTest,
  { reference, pairings }: PairedServices,
): Times | undefined {
  if (service === reference) {
    return ITSELF;
  }
  const standings = pairings.find((pairing) => pairing.service === service)?.standings ?? [];
  return standings.find((one) => one.metric === metric && one.cell.tier === tier && one.cell.operation === operation)
    ?.ratio;
}

/** Of two services that were each compared with the reference: the widest interval that both allow. */
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
    return 'cannot tell';
  }
  if (high < atLeast || low > atMost) {
    return 'does not hold';
  }
  return low >= atLeast && high <= atMost ? 'holds' : 'cannot tell';
}
