import { print, printLine } from './terminal/output.ts';

/** Exit code after Ctrl-C, as shells have it. */
export const INTERRUPTED = 130;

/**
 * Does the work with a signal that aborts at Ctrl-C or SIGTERM; a second one ends the program, and the next start cleans up.
 * Gives the work's exit code, or 130 if it was interrupted.
 */
export async function interruptible(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const stop = new AbortController();
  const listener = (): void => {
    if (stop.signal.aborted) {
      process.exit(INTERRUPTED);
    }
    print('\nwiregauge: stopping; any results so far are kept\n', 'err');
    stop.abort();
  };
  process.on('SIGINT', listener).on('SIGTERM', listener);
  try {
    const exitCode = await work(stop.signal);
    return stop.signal.aborted ? INTERRUPTED : exitCode;
  } catch (thrown) {
    if (stop.signal.aborted) {
      printLine('wiregauge: interrupted before anything was measured', 'err');
      return INTERRUPTED;
    }
    throw thrown;
  } finally {
    process.off('SIGINT', listener).off('SIGTERM', listener);
  }
}

/** The longest time of a timer. */
const MOST_TIMER_MS = 2 ** 31 - 1;

/**
 * A signal that aborts when so many milliseconds are over, until it is disposed of. Node.js 20 forgets an AbortSignal.timeout that only
 * AbortSignal.any listens to: what is awaited with it never ends.
 */
export function abortAfter(milliseconds: number): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const reason = new DOMException('the time limit was reached', 'TimeoutError');
  const timer = setTimeout(() => controller.abort(reason), Math.min(MOST_TIMER_MS, Math.ceil(milliseconds)));
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
