import { type Random, seededRandom } from '../../src/foundation/random.ts';
import { type Proportion, proportion } from '../../src/judge/calibration/calibrate.ts';
import { decide } from '../../src/judge/calibration/draws.ts';
import type { Look } from '../../src/model/rounds.ts';
import { PEERS, seenOf } from './peers.ts';
import type { PullRequest, Slowdown } from './simulation.ts';

/** Where pull requests come from: a kind of noise, or recorded rounds. */
export interface Source {
  readonly name: string;
  /** Description in a line. */
  readonly about: string;
  /** Comparisons of a pull request. */
  readonly family: number;
  readonly looks: readonly Look[];
  readonly draw: (random: Random, slowdown?: Slowdown) => PullRequest;
}

/** How many pull requests are judged, and how. */
export interface Trial {
  readonly unchanged: number;
  /** Number of pull requests of each effect. */
  readonly slowed: number;
  readonly effects: readonly number[];
  readonly seed: number;
  readonly swaps: number;
  readonly peerRounds: number;
}

/** Results of a rule for the pull requests of a source. */
export interface Row {
  readonly source: string;
  readonly rule: string;
  readonly isOurs: boolean;
  readonly falseAlarms: Proportion;
  /** By effect: how often the comparison that was slowed down was called slower. */
  readonly found: readonly Proportion[];
  /** Mean rounds, of unchanged pull requests and by effect. */
  readonly rounds: readonly number[];
}

/** The name of our rule in the table. */
const OURS = 'Wiregauge';

/** All rules on the same pull requests of one source. */
export function tally(source: Source, trial: Trial): readonly Row[] {
  const random = seededRandom(trial.seed);
  const rules = rulesOf(source, trial);
  const draw = (slowdown?: Slowdown): Case => {
    const pull = source.draw(random, slowdown);
    return { pull: { ...pull, seen: seenOf(pull.comparisons, trial.peerRounds) }, slowed: slowdown?.comparison };
  };
  const unchanged = judgeAll(rules, trial.unchanged, () => draw());
  const slowed = trial.effects.map((effect) =>
    judgeAll(rules, trial.slowed, () => draw({ comparison: Math.floor(random() * source.family), effect })),
  );
  return rules.map(({ name }, index) => {
    const tallies = [unchanged, ...slowed].map((one) => one[index] ?? { hits: 0, rounds: 0 });
    const shares = tallies.map(({ hits }, place) => proportion(hits, place === 0 ? trial.unchanged : trial.slowed));
    const [falseAlarms = proportion(0, 0), ...found] = shares;
    return {
      source: source.name,
      rule: name,
      isOurs: name === OURS,
      falseAlarms,
      found,
      rounds: tallies.map(({ rounds }, place) => rounds / (place === 0 ? trial.unchanged : trial.slowed)),
    };
  });
}

interface Rule {
  readonly name: string;
  readonly judge: (pull: Seen) => { readonly slower: readonly number[]; readonly rounds: number };
}

/** A pull request with what the peers see of it, which is computed once for all of them. */
interface Seen extends PullRequest {
  readonly seen: ReturnType<typeof seenOf>;
}

/** Every comparison may fail at +5%, so that +10% is what the same threshold is meant for everywhere. */
const THRESHOLD = 0.05;
const ALPHA = 0.02;
const FLOOR = 0.01;

function rulesOf({ looks }: Source, { seed, swaps, peerRounds }: Trial): readonly Rule[] {
  const rule = { floor: FLOOR, alpha: ALPHA, looks, seed, swaps };
  return [
    {
      name: OURS,
      judge: ({ rerun }) => {
        const { regressed, rounds } = decide(
          rerun.map((paired) => ({ ...paired, threshold: THRESHOLD })),
          rule,
        );
        return { slower: regressed, rounds };
      },
    },
    ...PEERS.map(({ name, slower }) => ({
      name,
      judge: ({ seen }: Seen) => ({ slower: slower(seen), rounds: peerRounds }),
    })),
  ];
}

interface Case {
  readonly pull: Seen;
  /** The comparison that is slower in head; none in an unchanged pull request. */
  readonly slowed: number | undefined;
}

/** By rule: how often it called the slowed comparison slower, or any if none is. */
function judgeAll(rules: readonly Rule[], count: number, draw: () => Case) {
  const tallies = rules.map(() => ({ hits: 0, rounds: 0 }));
  for (let index = 0; index < count; index += 1) {
    const { pull, slowed } = draw();
    rules.forEach(({ judge }, place) => {
      const { slower, rounds } = judge(pull);
      const isHit = slowed === undefined ? slower.length > 0 : slower.includes(slowed);
      const tallied = tallies[place] ?? { hits: 0, rounds: 0 };
      tallies[place] = { hits: tallied.hits + (isHit ? 1 : 0), rounds: tallied.rounds + rounds };
    });
  }
  return tallies;
}
