/**
 * What the smallest change that is seen is reckoned with: by how much the test of a family, and the estimate, need a larger change than
 * Student's t with Bonferroni's bound and the mean of normal noise would. The test is that of the present rule, with its looks: of each
 * drawn family one comparison is slowed down until it is found, and the change that finds it in 90 of 100 families is held against the
 * formula of src/judge/inference/detectable.ts. Prints a table; the factors there are between its rows.
 *
 *   npm run bench:detectable -- [--families 100] [--seed 1] [--statistic differences] [--looks 8,15,30] [--sizes 5,20]
 */
import { parseArgs } from 'node:util';
import { type Random, seededRandom, seedOf } from '../src/foundation/random.ts';
import { quantile, sorted } from '../src/foundation/statistics.ts';
import { normalQuantile, studentQuantile } from '../src/judge/inference/distributions.ts';
import { logRatios, looksFor, type Paired, testFamily } from '../src/judge/inference/family-test.ts';
import { hodgesLehmann } from '../src/judge/inference/location.ts';
import { PROFILES } from '../src/model/profiles.ts';
import { gaussian } from './rules/random.ts';

/** Standard deviation of the log ratio of one round; all else is in terms of it. */
const SD = 0.03;
const FLOOR = 0.01;
/** Share of one service of two. */
const ALPHA = 0.01;
const SWAPS = 2000;
/** Halvings of the change that is looked for: to a hundredth of a standard error. */
const HALVINGS = 9;
const POWER = 0.9;
/** Estimates cost next to nothing. */
const ESTIMATES = 5000;

type Statistic = NonNullable<Paired['statistic']>;

const { values } = parseArgs({
  options: {
    families: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    statistic: { type: 'string', multiple: true, default: ['differences', 'ranks'] },
    looks: { type: 'string', default: PROFILES.standard.rounds.looks.map(({ rounds }) => rounds).join(',') },
    sizes: { type: 'string', default: '5,20' },
  },
});
const numbersIn = (text: string): readonly number[] => text.split(',').map(Number);

console.log('| statistic | comparisons | rounds | test | estimate |\n| --- | --- | --- | --- | --- |');
for (const statistic of values.statistic as readonly Statistic[]) {
  for (const size of numbersIn(values.sizes)) {
    for (const rounds of numbersIn(values.looks)) {
      const { test, estimate } = lossesOf({ statistic, size, rounds });
      console.log(`| ${statistic} | ${size} | ${rounds} | ${test.toFixed(2)} | ${estimate.toFixed(2)} |`);
    }
  }
}

interface Setting {
  readonly statistic: Statistic;
  /** Comparisons of the family. */
  readonly size: number;
  readonly rounds: number;
}

function lossesOf({ statistic, size, rounds }: Setting) {
  const random = seededRandom(seedOf('detectable', values.seed, statistic, size, rounds));
  const families = Array.from({ length: Number(values.families) }, () => familyOf({ statistic, size, rounds }, random));
  const error = SD / Math.sqrt(rounds);
  const missed = normalQuantile(POWER);
  const found = quantile(sorted(families.map((family) => leastFound(family, rounds))), POWER) ?? Number.NaN;
  const estimates = Array.from({ length: ESTIMATES }, () =>
    estimateOf(familyOf({ statistic, size: 1, rounds }, random)),
  );
  const low = quantile(sorted(estimates), 1 - POWER) ?? Number.NaN;
  const critical = studentQuantile(1 - ALPHA / size, rounds - 1);
  return { test: (found - Math.log1p(FLOOR)) / ((critical + missed) * error), estimate: -low / (missed * error) };
}

function familyOf({ statistic, size, rounds }: Setting, random: Random): readonly Paired[] {
  const side = () => Array.from({ length: rounds }, () => (SD / Math.SQRT2) * gaussian(random));
  return Array.from({ length: size }, () => ({ statistic, base: side(), head: side() }));
}

function estimateOf([first]: readonly Paired[]): number {
  return first === undefined ? Number.NaN : hodgesLehmann(logRatios(first, first.base.length));
}

/** The least change of the first comparison with which the rule finds it by that look, as a logarithm. */
function leastFound(family: readonly Paired[], rounds: number): number {
  const looks = looksFor(PROFILES.standard.rounds.looks, rounds, true);
  let [low, high] = [0, Math.log1p(FLOOR) + (16 * SD) / Math.sqrt(rounds)];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    const { significantAt } = testFamily(slowed(family, middle), {
      ...{ floor: FLOOR, alpha: ALPHA, looks, seed: 1, swaps: SWAPS },
    });
    [low, high] = significantAt[0] === undefined ? [middle, high] : [low, middle];
  }
  return high;
}

function slowed([first, ...others]: readonly Paired[], shift: number): readonly Paired[] {
  return first === undefined ? [] : [{ ...first, head: first.head.map((log) => (log ?? 0) + shift) }, ...others];
}
