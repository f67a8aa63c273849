import { MeasurementError } from '../../foundation/errors.ts';
import { unlessAborted } from '../../host/signals.ts';
import type { Side } from '../../model/rounds.ts';
import type { Service } from '../../model/service.ts';
import type { Operation } from '../../model/suite/suite.ts';
import type { RunningService, Runtime } from '../../runtime/port.ts';
import { type Answers, canonicalAnswers, untilAnswering } from './answers.ts';
import type { TrialBench } from './bench.ts';
import { blamingMembers, untilItEnds } from './early-exit.ts';
import { type SlowStart, sharedWrongPath, type WrongPathError } from './ready.ts';
import { WallTime } from './time.ts';

/** Service at a version, in a runtime, with its operations. */
export interface Subject {
  readonly side: Side;
  readonly service: Service;
  readonly runtime: Runtime;
  readonly operations: readonly Operation[];
}

export interface ReadySubject extends Subject {
  readonly running: RunningService;
  /** From its start to its first response; undefined if it was not started from here. */
  readonly startUpMs: number | undefined;
  /** Latency of the first request of each operation that is verified, or that showed that the service is ready. */
  readonly firstRequestMs?: ReadonlyMap<string, number> | undefined;
  /** True if `slowStart` changed its start. */
  readonly wasSlow: boolean;
  readonly signal: AbortSignal;
}

type ReadySubjects = readonly [ReadySubject, ...ReadySubject[]];

/** One fresh start of subjects, and the work with them. */
export interface Trial<Result> {
  readonly subjects: readonly Subject[];
  readonly start?: (subject: Subject, signal: AbortSignal) => Promise<RunningService>;
  /** Throws for an invalid response of a subject; undefined: its responses are not verified. */
  readonly verify?: (subject: Subject, answers: Answers) => void;
  /** Phase for the message if a subject exits early, "under load", which ends the trial; without it, `use` detects exits itself. */
  readonly during?: string;
  readonly use: (ready: ReadySubjects) => Promise<Result>;
  readonly slowStart?: SlowStart;
  /** Attributes failures to a subject. */
  readonly blame?: <Work>(side: Side, work: () => Promise<Work>) => Promise<Work>;
  readonly wallTime?: WallTime;
}

/** Starts subjects concurrently, waits until they respond, verifies and uses them, and always stops them. */
export async function runTrial<Result>(
  bench: Pick<TrialBench, 'client' | 'clock' | 'signal'>,
  trial: Trial<Result>,
): Promise<Result> {
  const { subjects, slowStart, blame = (_, work) => work(), wallTime = new WallTime(bench.clock) } = trial;
  const start = trial.start ?? (({ runtime, service }, abort) => runtime.start(service, abort));
  const running: RunningService[] = [];
  const stop = new AbortController();
  const signal = AbortSignal.any([bench.signal, stop.signal]);
  const milestones = wallTime.milestones();
  try {
    const starts = subjects.map((subject) =>
      blame(subject.side, async () => {
        const started = await start(subject, signal);
        running.push(started);
        milestones.reach('start');
        const { preparing, ...startUp } = await blamingMembers(started, async () => {
          const answering = await untilAnswering({ ...bench, slowStart }, subject.service, started, subject.operations);
          milestones.reach('ready');
          if (trial.verify !== undefined) {
            const { service } = answering.preparing;
            const requested = { ...subject, ...answering, service, address: started.address };
            trial.verify(subject, await unlessAborted(canonicalAnswers(bench, requested), signal));
          }
          return answering;
        });
        const service = await bench.client.described(preparing.service, started.address);
        milestones.reach('verify');
        const operations = subject.operations.map((operation) => preparing.filled(operation));
        return { ...subject, service, operations, running: started, ...startUp, signal };
      }),
    );
    // All are awaited, so that none starts up while the others are already removed.
    const ends = await Promise.allSettled(starts);
    milestones.note();
    const wrong = sharedWrongPath(ends);
    if (wrong !== undefined) {
      throw ofAll(wrong, subjects);
    }
    return await useUntilOneEnds({ ...trial, blame }, await Promise.all(starts), stop);
  } finally {
    await wallTime.spend('stop', () => Promise.all(running.map((one) => one[Symbol.asyncDispose]())));
  }
}

/** A path that no subject has is not the fault of one of them. Services that are compared, and a build with itself, have one version. */
function ofAll(wrong: WrongPathError, subjects: readonly Subject[]): MeasurementError {
  const { message, next = '', code } = wrong;
  const isOneBuild = new Set(subjects.map(({ runtime }) => runtime)).size === 1;
  const labels = subjects.map(({ side }) => `in ${side}`).toSorted();
  return isOneBuild
    ? wrong
    : new MeasurementError([message, labels.join(' and ')].join(', '), { code, cause: wrong, next });
}

async function useUntilOneEnds<Result>(
  { use, during, blame }: Required<Pick<Trial<Result>, 'use' | 'blame'>> & Pick<Trial<Result>, 'during'>,
  ready: readonly ReadySubject[],
  stop: AbortController,
): Promise<Result> {
  const work = use(ready as ReadySubjects);
  const ends =
    during === undefined ? [] : ready.map((subject) => blame(subject.side, () => untilItEnds(subject, during)));
  try {
    return await Promise.race([work, ...ends]);
  } finally {
    stop.abort();
    await Promise.allSettled([work]);
  }
}
