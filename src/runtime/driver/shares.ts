import { type BlockLoad, type Load, type LoadShare, partOf, type Target } from '../../model/load.ts';
import { mostUsers } from '../../model/suite/suite.ts';

/** Loads of the generators that together send a block: at most that many, each with a share of every load. */
export function sharedLoads(loads: readonly BlockLoad[], generators: number): readonly (readonly BlockLoad[])[] {
  const of = Math.min(generators, ...loads.map(({ load }) => mostShares(load)));
  return of <= 1
    ? [loads]
    : Array.from({ length: of }, (_, index) =>
        loads.map(({ tool, load }, place) => {
          const before = loads.slice(0, place).reduce((sum, one) => sum + one.load.workers, 0);
          return { tool, load: shareOf(load, { index, of }, before) };
        }),
      );
}

function mostShares(load: Load): number {
  switch (load.kind) {
    case 'open':
      return Math.min(load.workers, load.ratePerSecond);
    case 'stages':
      return Math.min(load.workers, mostUsers(load.stages));
    default:
      return load.workers;
  }
}

/**
 * An open load keeps its schedule, every nth request of which is the share; users and workers are divided. The division of workers continues where
 * that of the previous load ended: otherwise the first generator would get the remainder of each.
 */
function shareOf(load: Load, share: LoadShare, before: number): Load {
  const workers = partOf(before + load.workers, share) - partOf(before, share);
  const target = { ...load.target, requests: dealt(load.target.requests, share) };
  switch (load.kind) {
    case 'open':
      return { ...load, workers, target, share };
    case 'saturate':
      return { ...load, workers, target };
    case 'users':
      // Users of an operation send this many requests: the shares of the loop follow the number of users.
      return { ...load, workers, target, weight: load.requestsPerUser === undefined ? load.weight : workers };
    case 'stages':
      return {
        ...load,
        workers,
        target,
        stages: load.stages.map((stage) => ({ ...stage, users: partOf(stage.users, share) })),
      };
  }
}

/** Requests that a share sends in turn, so that each request of the whole schedule is the same as from one generator. */
function dealt(requests: Target['requests'], { index, of }: LoadShare): Target['requests'] {
  const { length } = requests;
  return Array.from({ length: length / divisor(length, of) }, (_, turn) => {
    const request = requests[(turn * of + index) % length];
    return request as (typeof requests)[number];
  });
}

/** Greatest common divisor (Euclid). */
function divisor(one: number, other: number): number {
  return other === 0 ? one : divisor(other, one % other);
}
