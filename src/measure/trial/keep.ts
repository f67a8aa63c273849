import type { OutputFolder } from '../../host/files/output.ts';
import { formatRun, type Run } from '../../model/run/run.ts';

/** File that a run writes to its output folder, again after every trial and every round. */
export const RUN_FILE = 'run.json';

export function keepIn(output: OutputFolder): (run: Run) => Promise<void> {
  return async (run) => {
    await output.write(RUN_FILE, formatRun(run));
  };
}
