import { formatCount, formatDuration } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import { ALL_OPERATIONS, type CellKey, SATURATION, type Sample } from '../../model/metric.ts';
import { budgetFor, fewestRounds, secondsToFirstLook } from '../../model/rounds.ts';
import type { KeptCell } from '../../model/run/comparison.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { Mark } from '../../model/sample/mark.ts';
import { FEWEST_ROUNDS } from '../inference/location.ts';

/** What a reader must know of how the rounds went. */
export function notesOfRounds(run: RunInRounds): readonly string[] {
  const { ended, rounds } = run.rounds;
  const isUnplanned = ended === 'interrupted' || ended === 'running';
  const early = 'The comparison ended before its plan or budget: only the looks reached until then count.';
  return [
    ...(isUnplanned ? [early] : []),
    ...adoptedConfiguration(run.rounds),
    ...leftOutTiers(run.rounds),
    ...smallBudget(run),
    ...failuresOfBoth(rounds),
  ];
}

/** That the base was measured with the configuration of the head, and why. */
function adoptedConfiguration({ base: { adopted } }: RoundsRecord): readonly string[] {
  return adopted === undefined
    ? []
    : [`${ADOPTED[adopted]}: its code is built and measured with the configuration of the head, whose policy judges.`];
}

const ADOPTED: Readonly<Record<NonNullable<RoundsRecord['base']['adopted']>, string>> = {
  'no-configuration': 'The base has no configuration of Wiregauge',
  'other-configuration': 'The base has no configuration of these services and operations',
};

/** Tiers that the budget was too small for. */
function leftOutTiers({ leftOut, profile }: RoundsRecord): readonly string[] {
  if (leftOut === undefined) {
    return [];
  }
  const { tiers, seconds } = leftOut;
  const isOne = tiers.length === 1;
  return [
    `The ${isOne ? 'tier' : 'tiers'} ${wordList(tiers)} ${isOne ? 'is' : 'are'} not compared: with ${isOne ? 'it' : 'them'}, ${fewestRounds(profile)} rounds take about ${formatDuration(seconds)}. To compare all tiers, use a budget of ${budgetFor(seconds)}.`,
  ];
}

/** A budget that ended before a verdict, and the one that is enough. Left out for shards and `versus`, whose budgets are not the one of the command. */
function smallBudget({ rounds: record, spent }: RunInRounds): readonly string[] {
  const { ended, budgetSeconds, profile, rounds, shards, versus } = record;
  const fewest = fewestRounds(profile);
  if (ended !== 'budget' || fewest < FEWEST_ROUNDS || shards !== undefined || versus !== undefined) {
    return [];
  }
  const played = {
    services: [...new Set(rounds.map(({ service }) => service))],
    rounds,
    spentSeconds: spent.totalSeconds,
  };
  const seconds = secondsToFirstLook(profile, played) ?? 0;
  const budget = formatDuration(budgetSeconds);
  return seconds > budgetSeconds
    ? [
        `The budget of ${budget} ended before the ${fewest} rounds that a verdict needs. Use a budget of ${budgetFor(seconds)}.`,
      ]
    : [];
}

/** That a service failed now and then in both versions, which is no finding about the head. */
function failuresOfBoth(rounds: RoundsRecord['rounds']): readonly string[] {
  const failed = rounds.filter(({ outcome }) => outcome === 'failed');
  return [...new Set(failed.map(({ service }) => service))].flatMap((name) => {
    const count = (side: 'base' | 'head') =>
      failed.filter(({ service, failure }) => service === name && failure?.side === side).length;
    const [base, head] = [count('base'), count('head')];
    return base > 0 && head > 0
      ? [`${name} failed in both versions: ${base} times in base and ${head} times in head.`]
      : [];
  });
}

/** In more of the rounds than this, a core that was not full is said. */
const SELDOM = 0.2;

/** Which services did not fill their core in either version, so that a rate at saturation is no capacity. */
export function unfilledCores(cells: readonly KeptCell[]): readonly string[] {
  return cells
    .filter(({ cell }) => cell.tier === SATURATION && cell.operation === ALL_OPERATIONS)
    .flatMap(({ cell, base, head }) => {
      const count = base.filter((sample, round) => [sample, head[round]].every(leftItsCoreIdle)).length;
      return count > SELDOM * base.length
        ? [
            `${cell.service} at saturation: neither version filled its core in ${count} of ${base.length} rounds. Its rate and latency are those at ${workersOf(base)} in flight, not its capacity.`,
          ]
        : [];
    });
}

function workersOf(samples: KeptCell['base']): string {
  const workers = samples.find((sample) => sample !== undefined)?.workers;
  return workers === undefined ? 'this number of requests' : `${workers} requests`;
}

function leftItsCoreIdle(sample: Sample | undefined): boolean {
  return sample?.marks.includes('not-saturated') ?? false;
}

/** Which cells have too few requests for a p99. */
export function tooFewForTails(cells: readonly KeptCell[], fewest: number): readonly string[] {
  const names = cells.map(({ cell }) => placeName(cell));
  const rule = `p99 is compared only with at least ${formatCount(fewest)} requests per round and version`;
  return names.length === 0 ? [] : [`${rule}; too few: ${wordList(names)}.`];
}

/** Which operations answered more and more while they were loaded, in either version. */
export function growingAnswers(cells: readonly KeptCell[]): readonly string[] {
  const names = cells
    .filter(({ cell }) => cell.operation !== ALL_OPERATIONS)
    .filter(({ base, head }) => [...base, ...head].some((sample) => sample?.marks.includes('growing')))
    .map(({ cell }) => placeName(cell));
  return names.length === 0
    ? []
    : [`Answers grew during the load, so figures depend on how long a round lasts: ${wordList(names)}.`];
}

/** Which services grew in memory for as long as the load lasted, and which have programs that nobody counts, in either version. */
export function spoiledMemory(cells: readonly KeptCell[]): readonly string[] {
  const services = (mark: Mark): string => {
    const has = ({ base, head }: KeptCell) => [...base, ...head].some((sample) => sample?.marks.includes(mark));
    return wordList([...new Set(cells.filter(has).map(({ cell }) => cell.service))]);
  };
  const [leaking, escaped] = [services('leaking'), services('escaped')];
  return [
    ...(leaking === '' ? [] : [`Memory grew for as long as the load lasted: ${leaking}.`]),
    ...(escaped === '' ? [] : [`A program became a daemon, so its CPU time and memory are not counted: ${escaped}.`]),
  ];
}

/** A cell in a sentence, by its names: "rest GetUser at low". */
export function placeName({ service, operation, tier }: CellKey): string {
  return `${service}${operation === ALL_OPERATIONS ? '' : ` ${operation}`} at ${tier}`;
}

/** The members of the service that a sample is of, if it is one of several programs. */
export function memberNames(sample: Sample | undefined): readonly string[] {
  return Object.keys(sample?.members ?? {});
}

/** Which services have members in one version only, which are a part of the whole and compared with nothing. */
export function changedMembers(cells: readonly KeptCell[]): readonly string[] {
  return [...new Set(cells.map(({ cell }) => cell.service))].flatMap((service) => {
    const own = cells.filter(({ cell }) => cell.service === service);
    const base = new Set(own.flatMap((kept) => kept.base.flatMap(memberNames)));
    const head = new Set(own.flatMap((kept) => kept.head.flatMap(memberNames)));
    const gone = [...base].filter((name) => !head.has(name));
    const added = [...head].filter((name) => !base.has(name));
    const words = [
      ...(gone.length === 0 ? [] : [`only base has ${wordList(gone)}`]),
      ...(added.length === 0 ? [] : [`only head has ${wordList(added)}`]),
    ];
    return words.length === 0 ? [] : [`Of the members of ${service}, ${words.join(', and ')}.`];
  });
}
