import { EnvironmentError } from '../foundation/errors.ts';
import { print, printLine } from './terminal/output.ts';

export const INTERRUPTED = 130;

/** Signals that end a measurement: from a terminal, also when it is closed, and from a runner. */
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Exits at these signals while there is no other listener, so that exit handlers run. */
export function exitAtSignals(): void {
  for (const name of ENDING) {
    process.on(name, () => {
      if (process.listenerCount(name) === 1) {
        process.exit(INTERRUPTED);
      }
    });
  }
}

/** Runs `work` with a signal that aborts at Ctrl-C and the like; a second one exits. Returns its exit code, or 130. */
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

/** Settles once a signal aborts; never rejects. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
    if (signal.aborted) {
      resolve(undefined);
    }
  });
}

/** Result of `work`; rejects with the reason of the signal as soon as it aborts, without waiting for `work`. */
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

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Signal that aborts after `milliseconds`, until it is disposed of: a timeout that only AbortSignal.any listens to may be dropped. */
export function abortAfter(milliseconds: number): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const reason = new DOMException('the time limit was reached', 'TimeoutError');
  const timer = setTimeout(() => controller.abort(reason), Math.min(MAX_TIMER_MS, Math.ceil(milliseconds)));
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
