import type { Plan } from '../core/plan.ts';
import type { Secrets } from '../core/secrets.ts';
import type { Service } from '../core/service.ts';
import type { Client, Clock, OutputFolder, Progress, Runtime } from './ports.ts';

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
