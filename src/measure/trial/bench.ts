import type { KnownError } from '../../foundation/errors.ts';
import type { OutputFolder } from '../../host/files/output.ts';
import type { Clock } from '../../host/machine/clock.ts';
import type { Progress } from '../../host/terminal/progress.ts';
import type { Secrets } from '../../model/secrets/secrets.ts';
import type { Service } from '../../model/service.ts';
import type { Client } from '../../protocols/client.ts';
import type { Runtime } from '../../runtime/port.ts';

export interface TrialBench {
  readonly client: Client;
  readonly clock: Clock;
  readonly progress: Progress;
  /** For requests, and for foreign texts that a run keeps. */
  readonly secrets: Secrets;
  readonly signal: AbortSignal;
  /** Advice about a failure that its message lacks, such as the routes in the sources of the version. */
  readonly adviceFor?: ((failure: KnownError) => string | undefined) | undefined;
}

/** Bench for the services of one build. */
export interface BuildBench extends TrialBench {
  readonly services: ReadonlyMap<string, Service>;
  readonly runtime: Runtime;
  readonly output: OutputFolder;
}
