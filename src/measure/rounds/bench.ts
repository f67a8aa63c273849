import { KnownError, MeasurementError } from '../../foundation/index.ts';
import type { Clock, Progress } from '../../host/index.ts';
import type { RoundProfile, RunInRounds, Service, Side, Suite } from '../../model/index.ts';
import type { Client } from '../../protocols/index.ts';
import type { Runtime } from '../../runtime/index.ts';
import type { Secrets } from '../../secrets/index.ts';
import { type Answered, refuseDifference } from '../service/verify.ts';

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

/**
 * What each version answered first. All services of a version must answer alike, in every round; the two versions may answer
 * differently, since a change of an answer is no slowdown, and then it is said once.
 */
export class AnswerBook {
  readonly #first = new Map<Side, Answered>();
  readonly #note: (line: string) => void;
  #isNoted = false;

  constructor(note: (line: string) => void) {
    this.#note = note;
  }

  /** Throws MeasurementError where a service of a version answers otherwise than the version's first one. */
  check(side: Side, answered: Answered): void {
    const reference = this.#first.get(side);
    if (reference === undefined) {
      this.#first.set(side, answered);
      this.#compareVersions();
    } else {
      refuseDifference(answered, reference);
    }
  }

  #compareVersions(): void {
    const [base, head] = [this.#first.get('base'), this.#first.get('head')];
    if (base === undefined || head === undefined || this.#isNoted) {
      return;
    }
    const changed = [...head.answers].filter(([request, answer]) => base.answers.get(request) !== answer);
    if (changed.length > 0) {
      this.#isNoted = true;
      this.#note(`base and head answer ${changed.length} of ${head.answers.size} requests differently`);
    }
  }
}

/** What went wrong with one of the two versions: a finding about it, not the end of the comparison. */
export class VersionFailure extends KnownError {
  readonly side: Side;

  constructor(side: Side, cause: MeasurementError) {
    const { message, brief, printed, next } = cause;
    super(message, { cause, brief, ...(printed !== undefined && { printed }), ...(next !== undefined && { next }) });
    this.side = side;
  }
}

/** Failures of the machine, and those that already name a version, pass as they are. */
export async function blaming<Result>(side: Side, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof MeasurementError ? new VersionFailure(side, thrown) : thrown;
  }
}
