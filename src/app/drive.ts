import type { Reading } from '../core/counters.ts';
import { MeasurementError, messageOf } from '../core/errors.ts';
import type { ScheduledRecords } from '../core/measured.ts';
import type { Stage } from '../core/plan.ts';
import type { Secrets } from '../core/secrets.ts';
import type { Service } from '../core/service.ts';
import type { Operation } from '../core/suite.ts';
import { generatorFor } from '../generators/index.ts';
import { loadOf, recordsOf } from './loads.ts';
import type { Clock, LoadEnd, RunningService } from './ports.ts';

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

/** Plays one stage with all operations side by side; throws MeasurementError where a load tool fails. */
export async function playStage(drive: Drive, stage: Stage): Promise<StageResult> {
  const { running, service, operations, secrets, signal } = drive;
  const common = { service, secrets };
  const loading = { ...common, address: running.loadAddress, pace: stage.pace, seconds: stage.seconds };
  const loads = operations.map((operation) => ({ ...common, operation, load: loadOf(loading, operation) }));
  const generator = generatorFor(service.protocol);
  const commands = loads.map(({ load }, index) => generator.command(load, `${stage.phase}-${index}`));
  const [ends, readings] = await Promise.all([running.load(commands, signal), takeReadings(drive, stage)]);
  const parts: ScheduledRecords[] = [];
  for (const [index, load] of loads.entries()) {
    signal.throwIfAborted();
    parts.push(await recordsOf({ ...load, end: ends[index] as LoadEnd }));
  }
  return { parts, readings };
}

/** A reading at the start of the steady stage and one after every second of it; the ramp counts nowhere. */
async function takeReadings(drive: Drive, stage: Stage): Promise<Reading[]> {
  const { clock, signal } = drive;
  const startedMs = clock.nowMs();
  const readings: Reading[] = [];
  for (let second = 0; stage.phase === 'steady' && second <= stage.seconds && !signal.aborted; second += 1) {
    const due = startedMs + second * READING_MS;
    await clock.sleep(Math.max(0, due - clock.nowMs()), signal).catch(() => undefined);
    readings.push(await readingOf(drive));
  }
  return readings;
}

async function readingOf({ clock, running, service, signal }: Drive): Promise<Reading> {
  try {
    return await running.reading();
  } catch (cause) {
    // A service that ends takes its counters with it: its end is the better message, and comes within this pause.
    await clock.sleep(READING_MS, signal);
    throw new MeasurementError(`${service.name}: its counters cannot be read: ${messageOf(cause)}`, {
      cause,
      next: 'Run it again; if it stays, measure with the other --runtime.',
    });
  }
}
