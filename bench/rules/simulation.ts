import type { Random } from '../../src/foundation/random.ts';
import type { Recorded } from '../../src/judge/calibration/draws.ts';
import type { Paired } from '../../src/judge/inference/family-test.ts';
import { MAX_CONTAMINATION, mayDiscard } from '../../src/measure/plans/round.ts';
import { PROFILES } from '../../src/model/profiles.ts';
import type { NoiseKind, Place } from './noise.ts';
import { exponential, gaussian, scaledStudent } from './random.ts';

/** One comparison, by the statistic of its kind. */
export type Simulated = Paired & Pick<Recorded, 'ifSeen'>;

/** Input of a rule for one pull request: logs by round and comparison, up = worse. */
export interface PullRequest {
  /** Every round in the order in which it was measured. */
  readonly comparisons: readonly Simulated[];
  /** The same without the rounds that the blind re-run discarded, and with their repetitions at the end. */
  readonly rerun: readonly Simulated[];
}

/** A slowdown of one comparison of the family: 0.1 is +10%. */
export interface Slowdown {
  readonly comparison: number;
  readonly effect: number;
}

/** When our rule looks. */
export const LOOKS = PROFILES.standard.rounds.looks;

/** The rounds that the rule may use, and with those that it may repeat. */
const ROUNDS = LOOKS.at(-1)?.rounds ?? 0;
const ATTEMPTS = 42;

/** How much of a slot's disturbance the control loop sees, and how exact it is. */
const CONTROL_SEES = 0.8;
const CONTROL_SD = 0.02;

/** Of one service: three metrics at saturation, CPU time per request and p50 at three tiers. */
const PLACES: readonly Place[] = ['saturation', 'saturation', 'saturation', 'cpu', 'p50', 'cpu', 'p50', 'cpu', 'p50'];
const SERVICES = 4;

/** Comparisons of a simulated pull request. */
export const FAMILY = SERVICES * PLACES.length;

/** The place of a comparison of the family. */
export function placeOf(comparison: number): Place {
  return PLACES[comparison % PLACES.length] ?? 'saturation';
}

/** One pull request on a machine of that kind; unchanged code without a slowdown. */
export function simulate(kind: NoiseKind, random: Random, slowdown?: Slowdown): PullRequest {
  const levels = levelsOf(kind, random);
  const services = Array.from({ length: SERVICES }, () => levels.map((level) => measureRound(kind, random, level)));
  const comparisons = services.flatMap((rounds) => byComparison(rounds.slice(0, ROUNDS)));
  const rerun = services.flatMap((rounds) => byComparison(keptOf(rounds)));
  return { comparisons: slowed(comparisons, slowdown), rerun: slowed(rerun, slowdown) };
}

/** The same comparisons with one of them slower in head. */
export function slowed(comparisons: readonly Simulated[], slowdown: Slowdown | undefined): readonly Simulated[] {
  return comparisons.map((paired, index) =>
    index === slowdown?.comparison
      ? { ...paired, head: paired.head.map((log) => (log === undefined ? log : log + Math.log1p(slowdown.effect))) }
      : paired,
  );
}

/** The machine's own level in one round, and what of a jump in mid-round only the second version has. */
interface Level {
  readonly level: number;
  readonly secondHasMore: number;
}

function levelsOf({ driftSd, levelShift }: NoiseKind, random: Random): readonly Level[] {
  const shiftRound = Math.floor(random() * 15);
  const shift = levelShift * (random() < 0.5 ? -1 : 1);
  let drift = 0;
  return Array.from({ length: ATTEMPTS }, (_, round) => {
    drift += driftSd * gaussian(random);
    const isShifting = round === shiftRound;
    const share = isShifting ? random() : 1;
    // Mirrored blocks: a jump in mid-round is in both versions' blocks but for at most a quarter of it.
    const secondHasMore = isShifting ? shift * (random() - 0.5) * 0.5 : 0;
    return { level: drift + (round >= shiftRound ? shift * share : 0), secondHasMore };
  });
}

/** Log values by comparison of the service. */
interface Round {
  readonly base: readonly number[];
  readonly head: readonly number[];
  readonly isContaminated: boolean;
}

function measureRound(kind: NoiseKind, random: Random, { level, secondHasMore }: Level): Round {
  const first = measureSlot(kind, random, level);
  const second = measureSlot(kind, random, level + secondHasMore + kind.positionBias);
  const isBaseFirst = random() < 0.5;
  return {
    base: isBaseFirst ? first.logs : second.logs,
    head: isBaseFirst ? second.logs : first.logs,
    isContaminated: Math.abs(first.control - second.control) > MAX_CONTAMINATION,
  };
}

/** One version in one round: a fresh process, what the service's metrics have in common, and the rest of each. */
function measureSlot(kind: NoiseKind, random: Random, level: number) {
  const disturbance = random() < kind.outlierRate ? kind.outlierSize * exponential(random) : 0;
  const shared = level + disturbance + kind.processSd * gaussian(random);
  const common = Math.sqrt(kind.commonShare) * gaussian(random);
  const ownScale = Math.sqrt(1 - kind.commonShare);
  const logs = PLACES.map((place) => {
    const own = ownScale * scaledStudent(random, kind.tailFreedom);
    return shared + (kind.sd[place] / Math.SQRT2) * (common + own);
  });
  return { logs, control: CONTROL_SEES * disturbance + CONTROL_SD * gaussian(random) };
}

function keptOf(rounds: readonly Round[]): readonly Round[] {
  const kept: Round[] = [];
  let discarded = 0;
  for (const round of rounds) {
    const required = LOOKS.find((look) => look.rounds > kept.length)?.rounds ?? ROUNDS;
    if (round.isContaminated && mayDiscard(discarded, required)) {
      discarded += 1;
    } else {
      kept.push(round);
    }
  }
  return kept.slice(0, ROUNDS);
}

function byComparison(rounds: readonly Round[]): readonly Simulated[] {
  return PLACES.map((place, comparison) => ({
    statistic: place === 'p50' ? 'ranks' : 'differences',
    ifSeen: place !== 'saturation',
    base: rounds.map(({ base }) => base[comparison]),
    head: rounds.map(({ head }) => head[comparison]),
  }));
}
