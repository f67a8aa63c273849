import type { Plan } from '../../model/plan.ts';
import type { Service } from '../../model/service.ts';
import type { Client, Clock, OutputFolder, Progress, Runtime } from '../../runtime/ports.ts';
import type { Secrets } from '../../secrets/secrets.ts';

/** What every step of a run works with. */
export interface Bench {
  readonly plan: Plan;
  readonly services: ReadonlyMap<string, Service>;
  readonly runtime: Runtime;
  readonly client: Client;
  /** For requests, and for the texts of others that a run keeps. */
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly progress: Progress;
  readonly output: OutputFolder;
  readonly signal: AbortSignal;
}
