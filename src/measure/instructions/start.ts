import type { Runtime } from '../../runtime/port.ts';
import { benchFor, type RoundBench } from '../rounds/bench.ts';
import { sharedOperations } from '../rounds/blocks.ts';
import { untilItEnds } from '../service/early-exit.ts';
import { type Asking, untilReady } from '../service/ready.ts';
import { askingFor, canonicalAnswers, untilAnswering } from '../service/verify.ts';
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
  roundBench: RoundBench,
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

async function countedStart(bench: RoundBench, name: StartName, starting: Starting): Promise<ToldStart> {
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
  const version = bench.versions[name.side];
  const found = version.services.get(name.service);
  if (found === undefined) {
    throw new RangeError(`${name.service} of ${name.side} cannot be counted`);
  }
  const operations = sharedOperations(version.suite, bench.suite);
  const [first] = operations;
  if (isFirst && !isFromStart && first !== undefined && version.runtime.name === 'process') {
    await fillCaches(bench, version.runtime, askingFor(bench, found, first));
  }
  const service = unhurried(found, bench);
  await using running = await version.runtime.counting.start(service, {
    signal: bench.signal,
    exchangesCores,
    isFromStart,
    hasFunctions,
  });
  await untilAnswering(bench, { service, running, operations });
  const work = async (): Promise<ToldStart> => {
    const asked = { service, address: running.address, operations };
    bench.answers.check(name.side, { service, answers: await canonicalAnswers(bench.client, asked) });
    const described = await bench.client.described(service, running.address);
    const waiting = { lockstep, endMs, startsToCome };
    const standing = { name, operations, service: described, running, hasFunctions, isFromStart, ...waiting };
    return await playWindows(bench, standing, sizing);
  };
  return await Promise.race([work(), untilItEnds({ service, running }, 'while its instructions were counted')]);
}

/**
 * Starts a service that was just built once without the counter. What it compiles and keeps at its first start, as Python does with all
 * that it imports, takes fifty times as long under the counter, and one start would not be like another.
 */
async function fillCaches({ signal }: RoundBench, runtime: Runtime, asking: Asking): Promise<void> {
  await using running = await runtime.start(asking.service, signal);
  await untilReady(running, asking);
}
