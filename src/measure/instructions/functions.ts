import {
  type ExecutedCall,
  type ExecutedFunction,
  MOST_FUNCTIONS,
  unitedCalls,
} from '../../model/run/functions/executed.ts';
import { WINDOWS_PLAYED } from '../../model/run/instructions.ts';

interface ReportedWindows {
  readonly share: number;
  readonly requests: number;
  /** For each window, as its functions are. */
  readonly instructions: readonly number[];
}

interface ReportedFunctions extends ReportedWindows {
  readonly functions: readonly (readonly ExecutedFunction[])[];
}

interface ReportedCalls extends ReportedWindows {
  readonly calls: readonly (readonly ExecutedCall[])[];
}

/** Instructions of functions and calls for a request, as far as both are known of each operation. */
export function countedPerRequest(measured: readonly (ReportedFunctions & ReportedCalls)[]) {
  const functions = functionsPerRequest(measured);
  const calls = callsPerRequest(measured);
  return { ...(functions.length > 0 && { functions }), ...(calls.length > 0 && { calls }) };
}

/** Instructions of functions for a request, the most first, over operations by their shares. None if an operation lacks them. */
export function functionsPerRequest(measured: readonly ReportedFunctions[]): readonly ExecutedFunction[] {
  const reported = measured.map((operation) => ({
    ...operation,
    functions: ofMiddleWindow(operation, operation.functions),
  }));
  if (reported.some(({ functions }) => functions.length === 0)) {
    return [];
  }
  const whole = reported.reduce((sum, { share }) => sum + share, 0);
  const sums = new Map<string, ExecutedFunction>();
  for (const { share, requests, functions } of reported) {
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

/** The same by who called whom, each after its caller. */
export function callsPerRequest(measured: readonly ReportedCalls[]): readonly ExecutedCall[] {
  const whole = measured.reduce((sum, { share }) => sum + share, 0);
  const lists = measured.map((operation) => ({
    weight: operation.share / whole / operation.requests,
    calls: ofMiddleWindow(operation, operation.calls),
  }));
  return lists.some(({ calls }) => calls.length === 0) ? [] : unitedCalls(lists);
}

/** For the last windows, that with the middle count: a collection of garbage is in some of them. */
function ofMiddleWindow<Reported>(
  { instructions }: ReportedWindows,
  reported: readonly (readonly Reported[])[],
): readonly Reported[] {
  const last = [...instructions.entries()].slice(-WINDOWS_PLAYED).sort(([, left], [, right]) => left - right);
  const [window = 0] = last[Math.floor((last.length - 1) / 2)] ?? [];
  return reported[window] ?? [];
}
