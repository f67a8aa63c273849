import { type Random, seededRandom } from '../../src/foundation/random.ts';
import { studentQuantile } from '../../src/judge/inference/distributions.ts';
import { boundOf, criticalValue, levelOf, type StoredLevel } from '../../src/judge/stored/bound.ts';
import { NOISES } from './noise.ts';

/** The request. */
export interface FamilyQuestion {
  readonly noise: string;
  /** Stored runs. */
  readonly runs: number;
  /** Comparisons in a family. */
  readonly size: number;
  readonly families: number;
}

/** Shares of families with a suspicion: of unchanged runs, and of one that is slower in the first comparison by 10, 20 and 30%. */
export interface FamilyShares {
  readonly unchanged: number;
  readonly slower: readonly number[];
}

const SD = 0.06;
const ALPHA = 0.02;
const THRESHOLD = 0.05;
const SLOWER = [0.1, 0.2, 0.3] as const;

/** Critical values: Student's t as before, t with 4 degrees of freedom, and that of the product. */
const RULES: readonly ((levels: readonly StoredLevel[], runs: number) => number)[] = [
  (levels, runs) => studentQuantile(1 - ALPHA / levels.length, runs - 1),
  (levels) => studentQuantile(1 - ALPHA / levels.length, 4),
  (levels) => criticalValue(levels, ALPHA),
];

/** The names of what `familyShares` gives, in its order. */
export const RULE_NAMES = ['t, Bonferroni', 't4, Bonferroni', 'leave one out'] as const;

/** How often each rule finds something in families of independent comparisons, one for each rule. */
export function familyShares({ noise, runs, size, families }: FamilyQuestion): readonly FamilyShares[] {
  const random = seededRandom(20261122);
  const drawn = Array.from({ length: families }, () => familyOf(random, { noise, runs, size }));
  return RULES.map((ruleOf) => {
    const judged = drawn.map(({ levels, now }) => {
      const rule = { critical: ruleOf(levels, runs), threshold: THRESHOLD };
      const isSuspicious = (place: number, slower: number) => {
        const level = levels[place];
        const y = (now[place] ?? 0) + Math.log1p(slower);
        return level !== undefined && boundOf(y, level, rule).status === 'suspicious';
      };
      return {
        unchanged: levels.some((_, place) => isSuspicious(place, 0)),
        slower: SLOWER.map((slower) => isSuspicious(0, slower)),
      };
    });
    const share = (found: readonly boolean[]) => found.filter(Boolean).length / found.length;
    return {
      unchanged: share(judged.map(({ unchanged }) => unchanged)),
      slower: SLOWER.map((_, place) => share(judged.map(({ slower }) => slower[place] === true))),
    };
  });
}

function familyOf(random: Random, { noise, runs, size }: Omit<FamilyQuestion, 'families'>) {
  const members = Array.from({ length: size }, () => {
    const next = NOISES[noise]?.(random) ?? (() => 0);
    const past = Array.from({ length: runs }, (_, run) => ({
      y: SD * next(),
      logControl: undefined,
      rounds: 3,
      at: String(run),
    }));
    return { level: levelOf([past], undefined), now: SD * next() };
  });
  return { levels: members.map(({ level }) => level), now: members.map(({ now }) => now) };
}
