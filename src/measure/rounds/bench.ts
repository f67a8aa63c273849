import { KnownError, MeasurementError } from '../../foundation/errors.ts';
import type { Clock } from '../../host/machine/clock.ts';
import type { Progress } from '../../host/terminal/progress.ts';
import type { RoundProfile, Side } from '../../model/rounds.ts';
import type { StoredCounts } from '../../model/run/kept-counts.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { Service } from '../../model/service.ts';
import type { OwnNames } from '../../model/suite/former-names.ts';
import { suiteFor } from '../../model/suite/groups.ts';
import type { Suite } from '../../model/suite/suite.ts';
import type { Client } from '../../protocols/client.ts';
import { EngineLost } from '../../runtime/ended.ts';
import type { Runtime } from '../../runtime/port.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { AnswersVary } from '../service/answers.ts';
import type { AnswerBook } from './answer-book.ts';
import type { WallTime } from './wall-time.ts';

/** One of the two versions that are compared, built. */
export interface BuiltVersion {
  readonly runtime: Runtime;
  /** As this version has it: the two may bind an operation to different paths. */
  readonly suite: Suite;
  readonly services: ReadonlyMap<string, Service>;
  /** What it itself calls services and operations that were renamed since; undefined if none were. */
  readonly ownNames?: OwnNames | undefined;
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
  /** For how long instructions may be counted before the rounds; undefined: they are not counted. */
  readonly countingSeconds?: number | undefined;
  /** Whether a profiler looks at services that take more CPU time; undefined: no. `none`: nor are functions told of counted instructions. */
  readonly profiler?: 'auto' | 'off' | 'none' | undefined;
  /** Which service has the place of the base, if services are compared and not versions. */
  readonly versus?: RoundsRecord['versus'];
  /** Finds the stored counts of the base's commit, the newest first; undefined if nobody looks for any. */
  readonly storedCounts?: ((log: (line: string) => void) => Promise<readonly StoredCounts[]>) | undefined;
  /** Whether a look may end the comparison early; false if all rounds are wanted. */
  readonly stopsEarly: boolean;
  readonly answers: AnswerBook;
  /** Names the machine of the moment: it changes when a virtual machine is moved. */
  readonly machine: () => string;
  readonly client: Client;
  /** What to do about a failure, if more is known of it than it says itself: such as the routes in the sources of the version. */
  readonly adviceFor?: ((failure: KnownError) => string | undefined) | undefined;
  /** For requests, and for the texts of others that a run keeps. */
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly progress: Progress;
  /** Keeps what was measured so far: after every round, and at the end. */
  readonly keep: (run: RunInRounds) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The same for one service: with the operations that each version, and what is loaded, has for it. */
export function benchFor<Bench extends RoundBench>(bench: Bench, service: string): Bench {
  const { suite, versions } = bench;
  const versionFor = (version: BuiltVersion) => ({ ...version, suite: suiteFor(version.suite, service) });
  return {
    ...bench,
    suite: suiteFor(suite, service),
    versions: { base: versionFor(versions.base), head: versionFor(versions.head) },
  };
}

/** What an attempt works with. */
export interface AttemptBench extends RoundBench {
  readonly wallTime: WallTime;
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

/** A block was over before the load tool got a turn: something else kept its core busy, which is no fault of a version. */
export class NothingSent extends MeasurementError {
  static override readonly code = 'WG-401';
}

/** Failures of the machine and of the engine, those that already name a version, and answers that vary in either version pass as they are. */
export async function blaming<Result>(side: Side, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    const isOfNeither = [AnswersVary, EngineLost, NothingSent].some((kind) => thrown instanceof kind);
    const isOfVersion = thrown instanceof MeasurementError && !isOfNeither;
    throw isOfVersion ? new VersionFailure(side, thrown) : thrown;
  }
}
