import { remarkStream, type Telling } from '../../commands/program/result.ts';
import { openProgress } from '../../host/terminal/progress.ts';
import { OWN_ROOT } from '../../project/own-root.ts';
import type { SuiteFiles } from '../../project/suite.ts';
import type { Progress } from '../../runtime/ports.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { openRuntime, type PreparedRuntime, type RuntimeChoice, type RuntimeRequest } from './runtime.ts';

/** What is to be built, and what is said of it. */
export interface Building extends Pick<Telling, 'json'>, Pick<RuntimeRequest, 'needsDriver' | 'signal'> {
  readonly files: SuiteFiles;
  readonly runtime: RuntimeChoice;
  readonly secrets: Secrets;
  /** The first line of the log. */
  readonly planLine: string;
}

/** Services that are built, and where it is shown what becomes of them. */
export interface Built {
  readonly prepared: PreparedRuntime;
  readonly progress: Progress;
}

/** Builds the services of one version and gives what the work comes to; the runtime lasts as long. Throws KnownError where it cannot be opened. */
export async function whileBuilt<Result>(
  { files, runtime, needsDriver = false, secrets, planLine, signal, json }: Building,
  work: (built: Built) => Promise<Result>,
): Promise<Result> {
  const progress = openProgress(remarkStream({ json }));
  const log = (line: string): void => progress.line(line);
  try {
    progress.chapter('Build');
    log(planLine);
    files.leftOut?.forEach(log);
    const services = [...files.services.values()];
    const opening = { choice: runtime, root: files.root, ownRoot: OWN_ROOT, services, needsDriver };
    const prepared = await openRuntime({ ...opening, lookups: secrets.lookups, signal, log });
    await using _runtime = prepared.runtime;
    return await work({ prepared, progress });
  } finally {
    progress.finish();
  }
}
