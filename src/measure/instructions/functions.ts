import {
  type ExecutedCall,
  type ExecutedFunction,
  MAX_FUNCTIONS,
  unitedCalls,
  unitedFunctions,
} from '../../model/run/functions.ts';
import { WINDOWS } from '../../model/run/instructions.ts';

interface CountedOperation {
  readonly share: number;
  readonly requests: number;
  readonly instructions: readonly number[];
  /** Functions of each window, in the order of its calls. */
  readonly functions: readonly (readonly ExecutedFunction[])[];
  readonly calls: readonly (readonly ExecutedCall[])[];
}

/**
 * Instructions per request of functions, largest first, and of calls by caller, each after its caller: combined over operations by their shares, as
 * far as known for each operation.
 */
export function countedPerRequest(measured: readonly CountedOperation[]) {
  const whole = measured.reduce((sum, { share }) => sum + share, 0);
  const middle = measured.map((operation) => {
    const window = middleWindow(operation);
    const { functions, calls } = operation;
    return {
      weight: operation.share / whole / operation.requests,
      functions: functions[window] ?? [],
      calls: calls[window] ?? [],
    };
  });
  const functions = middle.some((one) => one.functions.length === 0) ? [] : mostExecuted(unitedFunctions(middle));
  const calls = middle.some((one) => one.calls.length === 0) ? [] : unitedCalls(middle);
  return { ...(functions.length > 0 && { functions }), ...(calls.length > 0 && { calls }) };
}

function mostExecuted(sums: readonly ExecutedFunction[]): readonly ExecutedFunction[] {
  return sums
    .map((sum) => ({ ...sum, self: Math.round(sum.self), inclusive: Math.round(sum.inclusive) }))
    .filter(({ inclusive }) => inclusive > 0)
    .sort((left, right) => right.inclusive - left.inclusive)
    .slice(0, MAX_FUNCTIONS);
}

/** The last window with the median count: some windows include a garbage collection. */
function middleWindow({ instructions }: CountedOperation): number {
  const last = [...instructions.entries()].slice(-WINDOWS).sort(([, left], [, right]) => left - right);
  return last[Math.floor((last.length - 1) / 2)]?.[0] ?? 0;
}
