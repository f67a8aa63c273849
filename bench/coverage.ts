/**
 * What the interval and the estimate are worth at the look at which a comparison ends: how often the interval holds the true change, once
 * as it is and once without regard to the looks; how far from it the estimates of regressions lie; how often a change that is as large
 * as the threshold is called unchanged. Exits with 1 if fewer than 94% of all intervals hold it.
 *
 *   npm run bench:coverage -- [--comparisons 1000] [--seed 1] [--noise normal] [--looks 8:0.4,10:0.5,12:0.6,15:0.7,20:0.85,30:1]
 */
import { parseArgs } from 'node:util';
import { type Random, seededRandom, seedOf } from '../src/foundation/random.ts';
import { median } from '../src/foundation/statistics.ts';
import { logRatios, type Paired, testFamily } from '../src/judge/inference/family-test.ts';
import { intervalOverLooks } from '../src/judge/inference/interval-over-looks.ts';
import { hodgesLehmann } from '../src/judge/inference/location.ts';
import { PROFILES } from '../src/model/profiles.ts';
import type { Look } from '../src/model/rounds.ts';
import { gaussian, scaledStudent } from './rules/random.ts';

const THRESHOLD = Math.log1p(0.03);
const RULE = { floor: 0.01, alpha: 0.02, swaps: 2000 };
const EFFECTS = [0, 0.03, 0.05, 0.1];
/** Standard deviation of the log ratio of one round. */
const SD = 0.03;

/** A kind of noise: how many rows a comparison has, what part of the variance they have in common, and what one value is like. */
interface Kind {
  readonly rows: number;
  readonly common: number;
  readonly value: (random: Random) => number;
}

const KINDS: Readonly<Record<string, Kind>> = {
  normal: { rows: 1, common: 0, value: gaussian },
  'heavy tails': { rows: 1, common: 0, value: (random) => scaledStudent(random, 3) },
  'four rows that go together': { rows: 4, common: 0.8, value: gaussian },
};

const { values } = parseArgs({
  options: {
    comparisons: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    noise: { type: 'string', multiple: true },
    looks: { type: 'string' },
  },
});
const looks = values.looks === undefined ? PROFILES.standard.rounds.looks : looksIn(values.looks);
const kinds = Object.entries(KINDS).filter(([name]) => values.noise?.includes(name) ?? true);
console.log(
  `Looks ${looks.map(({ rounds, spent }) => `${rounds} (${spent})`).join(', ')}; sd of a round ${100 * SD}%, threshold 3%, floor 1%.`,
);
for (const [name, kind] of kinds) {
  for (const effect of EFFECTS) {
    show(name, effect, play(kind, effect));
  }
}

function looksIn(text: string): readonly Look[] {
  return text.split(',').map((look) => {
    const [rounds = '', spent = ''] = look.split(':');
    return { rounds: Number(rounds), spent: Number(spent) };
  });
}

/** A row of a comparison that has ended. */
interface Ended {
  readonly rounds: number;
  readonly verdict: 'regressed' | 'unchanged' | 'open';
  readonly isCovered: boolean;
  /** Error of the estimate: its difference from the true change. */
  readonly error: number;
}

/** By the rule that a comparison ends by, which is also that of its intervals. */
interface Measured {
  readonly overLooks: readonly Ended[];
  readonly alone: readonly Ended[];
}

function play(kind: Kind, effect: number): Measured {
  const random = seededRandom(seedOf('coverage', values.seed, effect, kind.rows));
  const all = Array.from({ length: Number(values.comparisons) }, () => {
    const rows = drawRows(kind, Math.log1p(effect), random);
    const { significantAt } = testFamily(rows, { ...RULE, looks, seed: 1 });
    const endWith = (isOverLooks: boolean) => endOf(rows, { significantAt, isOverLooks, truth: Math.log1p(effect) });
    return { overLooks: endWith(true), alone: endWith(false) };
  });
  return { overLooks: all.flatMap((one) => one.overLooks), alone: all.flatMap((one) => one.alone) };
}

function drawRows({ rows, common, value }: Kind, shift: number, random: Random): readonly Paired[] {
  const rounds = looks.at(-1)?.rounds ?? 0;
  const side = (mean: number) => {
    const shared = Array.from({ length: rounds }, () => value(random));
    return Array.from({ length: rows }, () =>
      shared.map((one) => mean + (SD / Math.SQRT2) * (Math.sqrt(common) * one + Math.sqrt(1 - common) * value(random))),
    );
  };
  const [base, head] = [side(0), side(shift)];
  return base.map((logs, row) => ({ base: logs, head: head[row] ?? [] }));
}

interface Judging {
  readonly significantAt: readonly (number | undefined)[];
  readonly isOverLooks: boolean;
  readonly truth: number;
}

function endOf(rows: readonly Paired[], judging: Judging): readonly Ended[] {
  for (const index of looks.keys()) {
    const ended = rows.map((row, place) => rowAt(row, judging, { place, index }));
    const isOver =
      ended.some(({ verdict }) => verdict === 'regressed') || ended.every((one) => one.verdict === 'unchanged');
    if (isOver || index === looks.length - 1) {
      return ended;
    }
  }
  return [];
}

function rowAt(row: Paired, judging: Judging, { place, index }: { place: number; index: number }): Ended {
  const rounds = looks[index]?.rounds ?? 0;
  const seen = { base: row.base.slice(0, rounds), head: row.head.slice(0, rounds) };
  const { low, high } = intervalOverLooks(seen, judging.isOverLooks ? looks.slice(0, index + 1) : []) ?? WHOLE;
  const estimate = hodgesLehmann(logRatios(seen, rounds));
  const isWorse = (judging.significantAt[place] ?? Number.POSITIVE_INFINITY) <= rounds;
  const isRegressed = isWorse && estimate >= THRESHOLD;
  return {
    rounds,
    verdict: isRegressed ? 'regressed' : high < THRESHOLD ? 'unchanged' : 'open',
    isCovered: low <= judging.truth && judging.truth <= high,
    error: estimate - judging.truth,
  };
}

const WHOLE = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

function show(name: string, effect: number, { overLooks, alone }: Measured): void {
  console.log(`\n${name}, true change +${100 * effect}%: of ${overLooks.length} rows, before and now`);
  console.log('| ended at | rows              | interval holds it | median error of regressions, points |');
  console.log('| -------- | ----------------- | ----------------- | ----------------------------------- |');
  for (const { rounds } of looks) {
    const here = [alone, overLooks].map((all) => all.filter((one) => one.rounds === rounds));
    const cells = [
      here.map((some, place) => shareOf(some, [alone, overLooks][place] ?? [])),
      here.map(covered),
      here.map(errorOf),
    ];
    const [rows = '', held = '', error = ''] = cells.map((pair) => pair.join(' → '));
    console.log(`| ${`${rounds}`.padEnd(8)} | ${rows.padEnd(17)} | ${held.padEnd(17)} | ${error.padEnd(35)} |`);
  }
  const both = [alone, overLooks];
  const above = both.map((all) => percent(all.filter(({ error }) => error > 0).length, all.length));
  const unchanged = both.map((all) => percent(all.filter(({ verdict }) => verdict === 'unchanged').length, all.length));
  console.log(
    `All: interval holds it ${both.map(covered).join(' → ')}; mean rounds ${both.map(roundsOf).join(' → ')}; unchanged ${unchanged.join(' → ')}; estimate above the truth ${above.join(' → ')}`,
  );
  process.exitCode =
    overLooks.filter(({ isCovered }) => isCovered).length < 0.94 * overLooks.length ? 1 : process.exitCode;
}

function shareOf(some: readonly Ended[], all: readonly Ended[]): string {
  return percent(some.length, all.length);
}

function covered(some: readonly Ended[]): string {
  return percent(some.filter(({ isCovered }) => isCovered).length, some.length);
}

function errorOf(some: readonly Ended[]): string {
  const middle = median(some.filter(({ verdict }) => verdict === 'regressed').map(({ error }) => error));
  return middle === undefined ? '–' : (100 * middle).toFixed(2);
}

function roundsOf(all: readonly Ended[]): string {
  return (all.reduce((sum, { rounds }) => sum + rounds, 0) / all.length).toFixed(1);
}

function percent(count: number, of: number): string {
  return of === 0 ? '–' : `${((100 * count) / of).toFixed(1)}%`;
}
