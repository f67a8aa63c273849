import type { ProgressState } from '../../host/terminal/progress.ts';
import type { TrialBench } from './bench.ts';

const REFRESH_MS = 200;

/** Result of work during which the progress display moves: its state follows from the seconds since the start. */
export async function showWhile<Result>(
  { clock, progress }: Pick<TrialBench, 'clock' | 'progress'>,
  stateAt: (elapsedSeconds: number) => ProgressState,
  work: () => Promise<Result>,
): Promise<Result> {
  const startedMs = clock.steadyMs();
  const done = new AbortController();
  const refresh = async (): Promise<void> => {
    while (!done.signal.aborted) {
      progress.show(stateAt((clock.steadyMs() - startedMs) / 1000));
      await clock.sleep(REFRESH_MS, done.signal).catch(() => undefined);
    }
  };
  const refreshing = refresh();
  try {
    return await work();
  } finally {
    done.abort();
    await refreshing;
  }
}
