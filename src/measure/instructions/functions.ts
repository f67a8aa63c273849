import { type ExecutedFunction, MAX_FUNCTIONS, unitedCalls, unitedFunctions } from '../../model/run/functions.ts';
import { WINDOWS } from '../../model/run/instructions.ts';
import type { Counts } from '../../runtime/port.ts';

interface CountedOperation {
  readonly share: number;
  readonly requests: number;
  readonly windows: readonly CountedWindow[];
}

type CountedWindow = Pick<Counts, 'instructions' | 'functions' | 'calls'>;

/**
 * Instructions per request of functions, largest first, and of calls by caller, each after its caller: combined over operations by their shares, as
 * far as known for each operation.
 */
export function countedPerRequest(measured: readonly CountedOperation[]) {
  const whole = measured.reduce((sum, { share }) => sum + share, 0);
  const middle = measured.map(({ share, requests, windows }) => {
    const { functions = [], calls = [] } = middleWindow(windows) ?? {};
    return { weight: share / whole / requests, functions, calls };
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
function middleWindow(windows: readonly CountedWindow[]): CountedWindow | undefined {
  const last = windows.slice(-WINDOWS).sort((left, right) => left.instructions - right.instructions);
  return last[Math.floor((last.length - 1) / 2)];
}
