import { type ExecutedFunction, MOST_FUNCTIONS } from '../../model/index.ts';

/** What functions executed in a window of an operation, all of its requests together. */
interface ToldFunctions {
  /** Of the requests of the service. */
  readonly share: number;
  readonly requests: number;
  readonly functions: readonly ExecutedFunction[];
}

/**
 * What functions execute for a request of the service, the most first: over its operations by their shares, in whole instructions. None if
 * they were not told of each operation.
 */
export function functionsPerRequest(told: readonly ToldFunctions[]): readonly ExecutedFunction[] {
  if (told.some(({ functions }) => functions.length === 0)) {
    return [];
  }
  const whole = told.reduce((sum, { share }) => sum + share, 0);
  const sums = new Map<string, ExecutedFunction>();
  for (const { share, requests, functions } of told) {
    const weight = share / whole / requests;
    for (const { name, object, self, inclusive } of functions) {
      const key = JSON.stringify([name, object]);
      const before = sums.get(key) ?? { self: 0, inclusive: 0 };
      sums.set(key, {
        name,
        object,
        self: before.self + weight * self,
        inclusive: before.inclusive + weight * inclusive,
      });
    }
  }
  return [...sums.values()]
    .map((sum) => ({ ...sum, self: Math.round(sum.self), inclusive: Math.round(sum.inclusive) }))
    .filter(({ inclusive }) => inclusive > 0)
    .sort((left, right) => right.inclusive - left.inclusive)
    .slice(0, MOST_FUNCTIONS);
}
