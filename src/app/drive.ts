import type { Reading } from '../core/counters.ts';
import { EnvironmentError, MeasurementError, messageOf } from '../core/errors.ts';
import type { Load } from '../core/load.ts';
import type { ScheduledRecords } from '../core/measured.ts';
import { operationRate, operationWorkers, type Slot, type Stage } from '../core/plan.ts';
import type { Service } from '../core/service.ts';
import type { Operation } from '../core/suite.ts';
import { generatorFor } from '../generators/index.ts';
import { PROTOCOLS } from '../protocols/index.ts';
import type { Bench } from './bench.ts';
import type { LoadEnd, RunningService } from './ports.ts';

/** One service under one slot's load. */
export interface Drive {
  readonly bench: Bench;
  readonly slot: Slot;
  readonly service: Service;
  readonly running: RunningService;
  /** Requests in flight at most, over all operations. */
  readonly workers: number;
  readonly signal: AbortSignal;
}

/** What a stage left: the records of each operation, and the readings taken while it ran. */
export interface StageResult {
  readonly parts: readonly ScheduledRecords[];
  readonly readings: readonly Reading[];
}

const REQUEST_TIMEOUT_SECONDS = 30;
const READING_MS = 1000;

/** Plays one stage with all operations side by side; throws MeasurementError where a load tool fails. */
export async function playStage(drive: Drive, stage: Stage): Promise<StageResult> {
  const { operations } = drive.bench.plan.suite;
  const loads = operations.map((operation) => loadOf(drive, stage, operation));
  const generator = generatorFor(drive.service.protocol);
  const commands = loads.map((load, index) => generator.command(load, `${stage.phase}-${index}`));
  const [ends, readings] = await Promise.all([drive.running.load(commands, drive.signal), takeReadings(drive, stage)]);
  const parts = await Promise.all(
    ends.map(async (end, index) => {
      const operation = operations[index] as Operation;
      return scheduled(operation, loads[index] as Load, await recordsOf(drive, end));
    }),
  );
  return { parts, readings };
}

function loadOf({ slot, service, running, workers }: Drive, stage: Stage, operation: Operation): Load {
  const target = PROTOCOLS[service.protocol].target(operation, service, running.loadAddress);
  const common = { target, seconds: stage.seconds, timeoutSeconds: REQUEST_TIMEOUT_SECONDS };
  if (slot.mode === 'saturate') {
    return { ...common, kind: 'saturate', workers: operationWorkers(workers, operation) };
  }
  const ratePerSecond = operationRate(slot.tier, stage.users, operation);
  return { ...common, kind: 'open', ratePerSecond, workers: operationWorkers(stage.users, operation) };
}

/** A reading at the start of the steady stage and one after every second of it; the ramp counts nowhere. */
async function takeReadings(drive: Drive, stage: Stage): Promise<Reading[]> {
  const { signal } = drive;
  const { clock } = drive.bench;
  const startedMs = clock.nowMs();
  const readings: Reading[] = [];
  for (let second = 0; stage.phase === 'steady' && second <= stage.seconds && !signal.aborted; second += 1) {
    const due = startedMs + second * READING_MS;
    await clock.sleep(Math.max(0, due - clock.nowMs()), signal).catch(() => undefined);
    readings.push(await readingOf(drive));
  }
  return readings;
}

async function readingOf({ bench, running, service, signal }: Drive): Promise<Reading> {
  try {
    return await running.reading();
  } catch (cause) {
    // A service that ends takes its counters with it: its end is the better message, and comes within this pause.
    await bench.clock.sleep(READING_MS, signal);
    throw new MeasurementError(`${service.name}: its counters cannot be read: ${messageOf(cause)}`, {
      cause,
      next: 'Run it again; if it stays, measure with the other --runtime.',
    });
  }
}

function scheduled(operation: Operation, load: Load, records: ScheduledRecords['records']): ScheduledRecords {
  const isOpen = load.kind === 'open';
  return {
    operation: operation.name,
    records,
    ratePerSecond: isOpen ? load.ratePerSecond : undefined,
    planned: isOpen ? load.ratePerSecond * load.seconds : undefined,
  };
}

async function recordsOf({ service, signal }: Drive, end: LoadEnd): Promise<ScheduledRecords['records']> {
  signal.throwIfAborted();
  const generator = generatorFor(service.protocol);
  if (end.exitCode !== 0) {
    throw new MeasurementError(
      `${generator.name} against ${service.name} ended with exit code ${end.exitCode}: ${end.complaint}`,
      {
        next: 'Run it again; if it stays, try the command by hand against the service.',
      },
    );
  }
  const reader = generator.reader();
  for await (const chunk of end.records()) {
    reader.push(chunk);
  }
  const { records, cutOff } = reader.finish();
  if (cutOff) {
    throw new EnvironmentError(
      `the records of ${generator.name} against ${service.name} are cut off after ${records.startMs.length} requests`,
      {
        next: 'Is the disk of the temporary folder full? Free some space or set TMPDIR to another disk.',
      },
    );
  }
  return records;
}
