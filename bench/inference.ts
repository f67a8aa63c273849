/**
 * How long the verdict of a full family takes: 60 comparisons, 30 rounds, 20,000 swaps. The goal is 0.5 s of one core.
 */

import { seededRandom } from '../src/foundation/random.ts';
import { normalQuantile } from '../src/judge/inference/distributions.ts';
import { type FamilyRule, type Paired, testFamily } from '../src/judge/inference/family-test.ts';
import { hodgesLehmann, signedRankInterval } from '../src/judge/inference/location.ts';
import { PROFILES } from '../src/model/profiles.ts';
import type { Look } from '../src/model/rounds.ts';

const COMPARISONS = 60;
const GOAL_MS = 500;
const RUNS = 5;

const LOOKS: readonly Look[] = PROFILES.standard.rounds.looks;
const ROUNDS = LOOKS.at(-1)?.rounds ?? 0;

const random = seededRandom(1);
const noisy = () => 0.05 * normalQuantile(Math.max(random(), Number.EPSILON));
const family: readonly Paired[] = Array.from({ length: COMPARISONS }, (_, index) => ({
  statistic: index % 2 === 0 ? 'differences' : 'ranks',
  base: Array.from({ length: ROUNDS }, noisy),
  head: Array.from({ length: ROUNDS }, noisy),
}));
const rule = (looks: readonly Look[]): FamilyRule => ({ floor: 0.01, alpha: 0.01, looks, seed: 1, swaps: 20_000 });

show('one look at 30 rounds', () => testFamily(family, rule([{ rounds: ROUNDS, spent: 1 }])));
show(`looks at ${LOOKS.map(({ rounds }) => rounds).join(', ')} rounds`, () => testFamily(family, rule(LOOKS)));
show('estimates and intervals', () => {
  for (const { base, head } of family) {
    const differences = head.map((value, round) => (value ?? 0) - (base[round] ?? 0));
    hodgesLehmann(differences);
    signedRankInterval(differences);
  }
});

function show(what: string, work: () => void): void {
  const times = Array.from({ length: RUNS }, () => cpuMsOf(work));
  const [first = 0] = times;
  const ms = (time: number) => `${time.toFixed(0)} ms`;
  console.log(
    `${what}: first ${ms(first)}, best of ${RUNS} ${ms(Math.min(...times))} of CPU time (goal ${GOAL_MS} ms)`,
  );
  if (first > GOAL_MS) {
    process.exitCode = 1;
  }
}

function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
