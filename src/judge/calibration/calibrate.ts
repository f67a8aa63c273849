import { MeasurementError } from '../../foundation/errors.ts';
import { seededRandom } from '../../foundation/random.ts';
import { ALL_OPERATIONS } from '../../model/metric.ts';
import { isGate, isIfSeen, type Policy, rowsOf, thresholdOf } from '../../model/policy.ts';
import type { Look } from '../../model/rounds.ts';
import {
  type Calibration,
  type CalibrationOrigin,
  calibrationRecord,
  type RowNoise,
} from '../../model/run/calibration.ts';
import { noiseOf, roundsIfUnchanged, roundsNeeded } from '../inference/detectable.ts';
import { normalQuantile } from '../inference/distributions.ts';
import { type FamilyRule, looksFor } from '../inference/family-test.ts';
import { type Compared, noiseFrom } from '../verdict/finding.ts';
import { logComparison } from '../verdict/findings.ts';
import { consecutiveRounds, decideServices, drawRounds, type Recorded, recordedOf, roundsOf } from './draws.ts';

/** Rounds of a build compared with itself, and the rule that a comparison on this machine is judged by. */
export interface CalibrationInput {
  readonly origin: CalibrationOrigin;
  readonly compared: readonly Compared[];
  readonly policy: Policy;
  readonly looks: readonly Look[];
  readonly seed: number;
  readonly draws: number;
}

/** Random swaps of a drawn comparison: at the first look past 13 rounds, 20 of them may still cross by chance. */
const SWAPS = 5000;

/**
 * Smallest changes that this machine can detect. Drawn comparisons reuse the same rounds, so their bounds describe the draw: noise that does not
 * occur in these rounds occurs in no draw. Throws MeasurementError if there are too few rounds for a single look.
 */
export function calibrationOfRounds(input: CalibrationInput): Calibration {
  const { origin, compared, policy, looks } = input;
  const recorded = recordedOf(compared, policy);
  const rounds = roundsOf(recorded);
  const first = looks[0]?.rounds ?? 0;
  if (rounds < first) {
    throw new MeasurementError(`a calibration needs ${first} rounds of every service, but there are ${rounds}`, {
      code: 'WG-408',
      next: 'Raise --budget or --rounds.',
    });
  }
  const mostRounds = looks.at(-1)?.rounds ?? 0;
  return calibrationRecord({
    ...origin,
    rounds,
    alpha: policy.alpha,
    floor: policy.floor,
    mostRounds,
    falseAlarms: alarmsOf(recorded, input),
    comparisons: noisesOf(compared, { policy, mostRounds }),
  });
}

type Alarms = Calibration['falseAlarms']['drawn'];

function alarmsOf(recorded: readonly Recorded[], input: CalibrationInput): Calibration['falseAlarms'] {
  const { policy, looks, seed, draws } = input;
  const rounds = Math.min(roundsOf(recorded), looks.at(-1)?.rounds ?? 0);
  const rule = { floor: policy.floor, alpha: policy.alpha, looks: looksFor(looks, rounds, true), seed, swaps: SWAPS };
  const random = seededRandom(seed);
  return {
    measured: countAlarms(Math.floor(roundsOf(recorded) / rounds), rule, (group) =>
      consecutiveRounds(recorded, group * rounds, rounds),
    ),
    drawn: countAlarms(draws, rule, () => drawRounds(recorded, { rounds, labels: 'fresh', random })),
  };
}

function countAlarms(compares: number, rule: FamilyRule, compareAt: (index: number) => readonly Recorded[]): Alarms {
  let alarms = 0;
  for (let index = 0; index < compares; index += 1) {
    alarms += decideServices(compareAt(index), rule).kind === 'regressed' ? 1 : 0;
  }
  const { low, high } = proportion(alarms, compares);
  return { compares, alarms, low, high };
}

export interface Proportion {
  readonly count: number;
  readonly of: number;
  readonly low: number;
  readonly high: number;
}

const Z = normalQuantile(0.975);

/**
 * Share with its 95% score interval: Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927). Unlike the usual
 * interval it keeps its coverage if the share is near 0 or 1. 0 to 1 without draws.
 */
export function proportion(count: number, of: number): Proportion {
  if (of === 0) {
    return { count, of, low: 0, high: 1 };
  }
  const share = count / of;
  const middle = share + Z ** 2 / (2 * of);
  const half = Z * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2));
  const scale = 1 + Z ** 2 / of;
  // Both ends are exact there, apart from the last digit.
  const low = count === 0 ? 0 : (middle - half) / scale;
  const high = count === of ? 1 : (middle + half) / scale;
  return { count, of, low, high };
}

interface Judging {
  readonly policy: Policy;
  /** Rounds of a comparison of full length. */
  readonly mostRounds: number;
}

type Noise = Calibration['comparisons'][number];

const CALIBRATED_EFFECTS: readonly number[] = [0.03, 0.05, 0.1, 0.2];

/** Not feasible in a pull request with more rounds. */
const MAX_ROUNDS_WANTED = 100;

/** Noise of every comparison, and the change that it lets each number of rounds detect: the gate family first, then the watch family. */
function noisesOf(compared: readonly Compared[], judging: Judging): readonly Noise[] {
  // Each service is tested separately.
  const services = new Set(compared.map(({ cell }) => cell.service)).size;
  const policy = { ...judging.policy, alpha: judging.policy.alpha / Math.max(1, services) };
  return (['gate', 'watch'] as const).flatMap((family) => {
    const own = compared.filter((one) => isGate(judging.policy, one, one.gate) === (family === 'gate'));
    return own.map((one) => {
      const size = own.filter(({ cell }) => cell.service === one.cell.service).length;
      return { ...rowOf(one, size, { ...judging, policy }), family };
    });
  });
}

function rowOf(compared: Compared, familySize: number, { policy, mostRounds }: Judging): Omit<Noise, 'family'> {
  const { differences } = logComparison(compared);
  const threshold = thresholdOf(policy, compared);
  const { alpha, floor } = policy;
  const judged = { differences, alpha, familySize, floor, threshold };
  return {
    cell: compared.cell,
    metric: compared.metric,
    threshold,
    rounds: differences.length,
    ...noiseFrom(noiseOf(differences)),
    detectable: smallestWithin(mostRounds, (effect) => roundsNeeded(judged, effect)),
    wanted: CALIBRATED_EFFECTS.map((effect) => {
      // A change within the threshold never fails: the rounds to detect it would show the effect of a lower threshold.
      const rounds = roundsNeeded({ ...judged, threshold: effect > threshold ? threshold : floor }, effect);
      return { effect, rounds: rounds > MAX_ROUNDS_WANTED ? undefined : rounds };
    }),
  };
}

/** A service that is eleven times as slow needs no test. */
const LARGEST_EFFECT = 10;

/** Reports show tenths of a percent. */
const PRECISION = 5e-4;

/** Smallest effect that needs at most this many rounds, by bisection; undefined if even the largest needs more. */
function smallestWithin(rounds: number, wanted: (effect: number) => number): number | undefined {
  if (wanted(LARGEST_EFFECT) > rounds) {
    return undefined;
  }
  let [low, high] = [0, LARGEST_EFFECT];
  while (high - low > PRECISION) {
    const middle = (low + high) / 2;
    if (wanted(middle) <= rounds) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}

interface Expecting {
  readonly suite: string;
  readonly services: readonly string[];
  /** Kinds of load, with saturation. */
  readonly tiers: readonly string[];
  readonly policy: Policy;
  readonly looks: readonly Look[];
}

/**
 * Look, in rounds, at which each service is usually decided if nothing changed, from the noise of its rows; undefined if the noise of a service is
 * unknown. As in a comparison, a row that only counts if noise does not hide it delays nothing.
 */
export function expectedRounds(
  noise: readonly RowNoise[],
  { suite, services, tiers, policy, looks }: Expecting,
): ReadonlyMap<string, number> | undefined {
  const [first] = looks;
  const last = looks.at(-1);
  if (first === undefined || last === undefined) {
    return undefined;
  }
  const waits = services.map((service) => {
    const rows = noise.filter((row) => row.service === service && tiers.includes(row.tier));
    return rows.flatMap(({ tier, metric, sd }): readonly number[] => {
      const cell = { suite, service, operation: ALL_OPERATIONS, tier };
      const name = { cell, metric };
      const usual = rowsOf(cell).find((row) => row.metric === metric);
      if (!isGate(policy, name, usual?.gate === true)) {
        return [];
      }
      const rounds = roundsIfUnchanged(sd, thresholdOf(policy, name));
      const delays = !isIfSeen(policy, name, usual?.ifSeen);
      return [delays ? (looks.find((look) => look.rounds >= rounds) ?? last).rounds : first.rounds];
    });
  });
  return waits.some((rounds) => rounds.length === 0)
    ? undefined
    : new Map(services.map((service, place) => [service, Math.max(...(waits[place] ?? []))]));
}
