/** Exit code after Ctrl-C, as shells have it. */
export const INTERRUPTED = 130;

/**
 * Does the work with a signal that aborts at Ctrl-C or SIGTERM; a second one ends the program, and the next start cleans up.
 * Gives the work's exit code, or 130 where it was interrupted.
 */
export async function interruptible(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const stop = new AbortController();
  const listener = (): void => {
    if (stop.signal.aborted) {
      process.exit(INTERRUPTED);
    }
    process.stderr.write('\nwiregauge: stopping; what was measured so far is kept\n');
    stop.abort();
  };
  process.on('SIGINT', listener).on('SIGTERM', listener);
  try {
    const exitCode = await work(stop.signal);
    return stop.signal.aborted ? INTERRUPTED : exitCode;
  } catch (thrown) {
    if (stop.signal.aborted) {
      process.stderr.write('wiregauge: interrupted before anything was measured\n');
      return INTERRUPTED;
    }
    throw thrown;
  } finally {
    process.off('SIGINT', listener).off('SIGTERM', listener);
  }
}
