import type { Plan } from '../core/plan.ts';
import type { Service } from '../core/service.ts';
import type { Client, Clock, OutputFolder, Progress, Runtime } from './ports.ts';

/** What every step of a run works with. */
export interface Bench {
  readonly plan: Plan;
  readonly services: ReadonlyMap<string, Service>;
  readonly runtime: Runtime;
  readonly client: Client;
  readonly clock: Clock;
  readonly progress: Progress;
  readonly output: OutputFolder;
  readonly signal: AbortSignal;
}
