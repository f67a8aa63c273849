import { unlessAborted } from '../../host/signals.ts';
import { benchFor, verifiedSubjects } from '../plans/versions.ts';
import { untilAnswering } from '../trial/answers/questions.ts';
import { runTrial, type Subject } from '../trial/runner.ts';
import type { CountBench } from './bench.ts';
import { countedLabel } from './lines.ts';
import { Lockstep } from './lockstep.ts';
import { playWindows, type StartName, type ToldStart, UncountedProgramsError } from './playing.ts';
import { unhurried } from './time.ts';
import type { Sizing } from './windows.ts';

/** How one start of a service is counted. */
export interface StartOptions {
  readonly sizing: Sizing;
  /** See CountingOptions. */
  readonly exchangesCores: boolean;
  /** Shared by the starts that are counted at the same time; undefined if this one is counted alone. */
  readonly lockstep?: Lockstep | undefined;
  /** Whether its functions are told, which takes more time, and of Python and Node.js more instructions. */
  readonly hasFunctions?: boolean;
  /** Whether no start of this version is over; undefined: if it is the first by its number. */
  readonly isFirst?: boolean | undefined;
  /** How many starts of the service the time for counts has to do for after this one. */
  readonly startsToCome?: number;
}

/**
 * Starts a version of a service anew under the counter, warms it up, and plays windows until enough of them agree. Throws MeasurementError
 * if it does not get ready, answers with errors or ends, and EnvironmentError if nothing can count here.
 */
export async function countStart(
  roundBench: CountBench,
  name: StartName,
  { lockstep = new Lockstep(1), ...options }: StartOptions,
): Promise<ToldStart> {
  const bench = benchFor(roundBench, name.service);
  const endMs = bench.clock.steadyMs() + (bench.countingSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  const starting = { ...options, lockstep, endMs };
  let hasFailed = true;
  try {
    const counted = await countedStart(bench, name, starting).catch(async (thrown: unknown) => {
      if (thrown instanceof UncountedProgramsError) {
        bench.progress.line(`${countedLabel(name, bench)}: ${thrown.message}`);
        return await countedStart(bench, name, { ...starting, isFromStart: true });
      }
      throw thrown;
    });
    hasFailed = false;
    return counted;
  } finally {
    lockstep.leave({ hasFailed });
  }
}

interface Starting extends StartOptions {
  readonly lockstep: Lockstep;
  /** When the time for counts is over. */
  readonly endMs: number;
  /** Every program counts from its start on, which takes longer. */
  readonly isFromStart?: boolean;
}

async function countedStart(bench: CountBench, name: StartName, starting: Starting): Promise<ToldStart> {
  const {
    sizing,
    exchangesCores,
    lockstep,
    isFirst = name.start === 1,
    hasFunctions = false,
    isFromStart = false,
    startsToCome = 0,
    endMs,
  } = starting;
  const { subjects, verify } = verifiedSubjects(bench, name.service, [name.side]);
  for (const subject of isFirst && !isFromStart ? subjects : []) {
    await fillCaches(bench, subject);
  }
  return await runTrial(bench, {
    subjects: subjects.map((subject) => ({ ...subject, service: unhurried(subject.service, bench) })),
    start: ({ runtime, service }, signal) =>
      runtime.counting.start(service, { signal, exchangesCores, isFromStart, hasFunctions }),
    ...(verify && { verify }),
    during: 'while its instructions were counted',
    use: ([ready]) => {
      const counted = { ...ready, name, hasFunctions, isFromStart, lockstep, endMs, startsToCome };
      // A start that has ended does not wait for the one beside it.
      return unlessAborted(playWindows(bench, counted, sizing), ready.signal);
    },
  });
}

/**
 * Starts a plain process that was just built once without the counter. What it compiles and keeps at its first start, as Python does with
 * all that it imports, takes fifty times as long under the counter, and one start would not be like another.
 */
async function fillCaches(bench: CountBench, subject: Subject): Promise<void> {
  if (subject.runtime.name === 'process') {
    await using running = await subject.runtime.start(subject.service, bench.signal);
    await untilAnswering(bench, { ...subject, running });
  }
}
