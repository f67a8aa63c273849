import type { Side } from '../../model/order.ts';
import type { RoundProfile } from '../../model/profile.ts';
import type { RunInRounds } from '../../model/run/kept-cells.ts';
import type { Service } from '../../model/service.ts';
import type { Suite } from '../../model/suite.ts';
import type { Client, Clock, Progress, Runtime } from '../../runtime/ports.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { AnswerBook } from './answers.ts';

/** One of the two versions that are compared, built. */
export interface BuiltVersion {
  readonly runtime: Runtime;
  /** As this version has it: the two may bind an operation to different paths. */
  readonly suite: Suite;
  readonly services: ReadonlyMap<string, Service>;
}

/** What every step of a comparison works with. */
export interface RoundBench {
  /** What is loaded: services and operations that both versions have, tiers and shares of the head. */
  readonly suite: Suite;
  readonly profile: RoundProfile;
  readonly versions: Readonly<Record<Side, BuiltVersion>>;
  readonly interleave: 'blocks' | 'slots';
  readonly seed: number;
  /** Rounds are begun only within this time. */
  readonly budgetSeconds: number;
  /** Whether a look may end the comparison early; false where all rounds are wanted. */
  readonly stopsEarly: boolean;
  readonly answers: AnswerBook;
  /** Names the machine of the moment: it changes when a virtual machine is moved. */
  readonly machine: () => string;
  readonly client: Client;
  /** For requests, and for the texts of others that a run keeps. */
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly progress: Progress;
  /** Keeps what was measured so far: after every round, and at the end. */
  readonly keep: (run: RunInRounds) => Promise<void>;
  readonly signal: AbortSignal;
}
