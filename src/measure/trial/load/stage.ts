import type { Clock } from '../../../host/machine/clock.ts';
import type { ScheduledRecords } from '../../../model/load.ts';
import type { Stage } from '../../../model/plan.ts';
import type { Reading } from '../../../model/runner.ts';
import type { Service } from '../../../model/service.ts';
import type { Operation } from '../../../model/suite/suite.ts';
import type { RunningService } from '../../../runtime/port.ts';
import type { Secrets } from '../../../secrets/secrets.ts';
import { preparedLoads, readingOf } from './loads.ts';

/** A started service that is loaded, stage by stage. */
export interface Drive {
  readonly service: Service;
  readonly running: RunningService;
  readonly operations: readonly Operation[];
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What a stage left: the records of each operation, and the readings taken while it ran. */
export interface StageResult {
  readonly parts: readonly ScheduledRecords[];
  readonly readings: readonly Reading[];
}

const READING_MS = 1000;

/**
 * Plays one stage with all operations side by side, over connections of its own, with a reading before the first request, one after
 * every second, and one as soon as the last answer is there. Throws MeasurementError if the load cannot be sent.
 */
export async function playStage(drive: Drive, stage: Stage): Promise<StageResult> {
  const { pace, seconds } = stage;
  const send = preparedLoads({ ...drive, pace, seconds, settings: { fresh: true } });
  const first = await read(drive);
  const over = new AbortController();
  const unread = new AbortController();
  const playing = send(AbortSignal.any([drive.signal, unread.signal])).finally(() => over.abort());
  const reading = readUntil(drive, over.signal).catch((thrown: unknown) => {
    unread.abort(thrown);
    throw thrown;
  });
  // Neither is left alone if the other fails: the code that ends the service has to wait for both.
  await Promise.allSettled([playing, reading]);
  const [records, readings] = await Promise.all([playing, reading]);
  const last = await read(drive);
  return { parts: await records(), readings: [first, ...readings, last] };
}

/** A reading after every second until the signal. */
async function readUntil(drive: Drive, over: AbortSignal): Promise<Reading[]> {
  const { clock } = drive;
  const startedMs = clock.steadyMs();
  const readings: Reading[] = [];
  for (let second = 1; ; second += 1) {
    await untilDue(clock, startedMs + second * READING_MS, over);
    if (over.aborted) {
      return readings;
    }
    readings.push(await read(drive));
  }
}

async function untilDue(clock: Clock, dueMs: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(Math.max(0, dueMs - clock.steadyMs()), signal).catch(() => undefined);
}

async function read(drive: Drive): Promise<Reading> {
  // A service that ends takes its counters with it: its end is the better message, and comes within this pause.
  return await readingOf(drive, () => drive.clock.sleep(READING_MS, drive.signal));
}
