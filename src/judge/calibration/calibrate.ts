import { MeasurementError } from '../../foundation/errors.ts';
import { seededRandom } from '../../foundation/random.ts';
import type { Policy } from '../../model/policy.ts';
import { type Calibration, type CalibrationOrigin, calibrationRecord } from '../../model/run/record.ts';
import { type FamilyRule, type Look, looksFor } from '../inference/family-test.ts';
import type { Compared } from '../verdict/finding.ts';
import { decide } from './decision.ts';
import { consecutiveRounds, drawRounds, type Recorded, recordedOf, roundsOf } from './draws.ts';
import { noisesOf } from './noise.ts';
import { proportion } from './proportion.ts';

/** Rounds of a build compared with itself, and the rule that a comparison on this machine is judged by. */
export interface CalibrationInput {
  readonly origin: CalibrationOrigin;
  readonly compared: readonly Compared[];
  readonly policy: Policy;
  /** The planned looks of a comparison. */
  readonly looks: readonly Look[];
  readonly seed: number;
  /** Comparisons drawn from the rounds. */
  readonly draws: number;
}

/** Random swaps of a drawn comparison: the first look past 13 rounds may still have 20 of them cross by chance. */
const SWAPS = 5000;

/**
 * What this machine can see. Drawn comparisons reuse the same rounds, so their bounds are those of the draw: a machine
 * that has not shown its worst in these rounds does not show it in any draw from them.
 * Throws MeasurementError for rounds that are too few for a single look.
 */
export function calibrationOfRounds(input: CalibrationInput): Calibration {
  const { origin, compared, policy, looks } = input;
  const recorded = recordedOf(compared, policy);
  const rounds = roundsOf(recorded);
  const first = looks[0]?.rounds ?? 0;
  if (rounds < first) {
    throw new MeasurementError(`a calibration needs ${first} rounds of every service, and there are ${rounds}`, {
      next: 'Give it more time.',
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
    alarms += decide(compareAt(index), rule).kind === 'regressed' ? 1 : 0;
  }
  const { low, high } = proportion(alarms, compares);
  return { compares, alarms, low, high };
}
