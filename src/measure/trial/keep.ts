import type { OutputFolder } from '../../host/files/output.ts';
import { formatRun, type Run } from '../../model/run/run.ts';

/** The file that a run leaves in its output folder, written anew after every trial and every round. */
export const RUN_FILE = 'run.json';

export function keepIn(output: OutputFolder): (run: Run) => Promise<void> {
  return async (run) => {
    await output.write(RUN_FILE, formatRun(run));
  };
}
