import { comparedOf } from '../../src/judge/index.ts';
import type { RunInRounds } from '../../src/model/index.ts';

/**
 * The kept rounds of a comparison as the CSV that `wiregauge judge --samples` reads: what can be compared and nothing
 * else, so that an hour of rounds is small enough for a repository. Rounds count from 1 within each service.
 */
export function csvOf(run: RunInRounds): string {
  const { compared } = comparedOf(run, run.rounds.policy);
  const lines = compared.flatMap(({ cell, metric, better, gate, base, head }) => {
    const firsts = firstSides(run, cell.service);
    return (['base', 'head'] as const).flatMap((side) =>
      (side === 'base' ? base : head).flatMap((value, round) => {
        const position = firsts[round] === side ? 1 : 2;
        const { service, operation, tier } = cell;
        return value === undefined
          ? []
          : [[round + 1, side, position, service, operation, tier, metric, value, better, gate].join(',')];
      }),
    );
  });
  return [HEADER, ...lines, ''].join('\n');
}

const HEADER = 'round,side,position,service,operation,tier,metric,value,better,gate';

/** The version that was first in each kept round of a service, in the order of the comparisons' values. */
function firstSides({ rounds: { rounds } }: RunInRounds, service: string): readonly ('base' | 'head')[] {
  return rounds
    .filter((round) => round.service === service && round.outcome === 'kept')
    .sort((left, right) => left.round - right.round)
    .map(({ first }) => first);
}
