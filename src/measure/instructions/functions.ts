import { type ExecutedFunction, MOST_FUNCTIONS, WINDOWS_PLAYED } from '../../model/index.ts';

/** What functions executed in the windows of an operation, all requests of a window together. */
interface ToldFunctions {
  /** Of the requests of the service. */
  readonly share: number;
  readonly requests: number;
  /** Of each window, as its functions are. */
  readonly instructions: readonly number[];
  readonly functions: readonly (readonly ExecutedFunction[])[];
}

/**
 * What functions execute for a request of the service, the most first: over its operations by their shares, in whole instructions. None if
 * they were not told of each operation.
 */
export function functionsPerRequest(played: readonly ToldFunctions[]): readonly ExecutedFunction[] {
  const told = played.map((operation) => ({ ...operation, functions: ofMiddleWindow(operation) }));
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

/** Of the last windows, that with the middle count: a collection of garbage is in some of them. */
function ofMiddleWindow({ instructions, functions }: ToldFunctions): readonly ExecutedFunction[] {
  const last = [...instructions.entries()].slice(-WINDOWS_PLAYED).sort(([, left], [, right]) => left - right);
  const [window = 0] = last[Math.floor((last.length - 1) / 2)] ?? [];
  return functions[window] ?? [];
}
