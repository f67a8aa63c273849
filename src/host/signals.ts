import { EnvironmentError } from '../foundation/errors.ts';
import { print, printLine } from './terminal/output.ts';

/** Exit code after Ctrl-C, as shells have it. */
export const INTERRUPTED = 130;

/** Signals that end a measurement: of a terminal, also one that is closed, and of a runner. */
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Ends the program at these signals while nothing else listens to them, so that what it does at its exit is done. */
export function exitAtSignals(): void {
  for (const name of ENDING) {
    process.on(name, () => {
      if (process.listenerCount(name) === 1) {
        process.exit(INTERRUPTED);
      }
    });
  }
}

/**
 * Does the work with a signal that aborts at Ctrl-C, SIGTERM, SIGHUP or SIGQUIT; a second one kills what the work has started and ends the
 * program. Gives the work's exit code, or 130 if it was interrupted.
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
  for (const name of ENDING) {
    process.on(name, listener);
  }
  try {
    const exitCode = await work(stop.signal);
    return stop.signal.aborted ? INTERRUPTED : exitCode;
  } catch (thrown) {
    if (stop.signal.aborted) {
      const left = thrown instanceof EnvironmentError ? `; ${thrown.message}` : '';
      printLine(`wiregauge: interrupted before anything was measured${left}`, 'err');
      return INTERRUPTED;
    }
    throw thrown;
  } finally {
    for (const name of ENDING) {
      process.off(name, listener);
    }
  }
}

/** Result of work, or the reason of the signal as soon as it aborts: nobody waits for the end of the work then. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return await new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    if (signal.aborted) {
      stop();
    }
  });
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
