import { MeasurementError, messageOf } from '../../foundation/index.ts';
import type { Clock } from '../../host/index.ts';
import { generatorFor } from '../../load/index.ts';
import type {
  Load,
  LoadEnd,
  Network,
  Operation,
  Pace,
  Reading,
  ScheduledRecords,
  Service,
  Stage,
} from '../../model/index.ts';
import { PROTOCOLS } from '../../protocols/index.ts';
import type { RunningService } from '../../runtime/index.ts';
import type { Secrets } from '../../secrets/index.ts';
import { loadOf, recordsOf } from '../service/loads.ts';

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
 * Plays one stage with all operations side by side: by the load tools, or by the driver if users begin one after the other or come and go, or workers
 * send several operations by their weights, or if the service limits the connections or is far away, or if answers are streams to be looked at, none of which a tool can do. Throws MeasurementError if either fails.
 */
export async function playStage(drive: Drive, stage: Stage): Promise<StageResult> {
  const { running, service, operations, secrets, signal } = drive;
  const common = { service, secrets };
  const loading = { ...common, address: running.loadAddress, pace: stage.pace, seconds: stage.seconds };
  const loads = operations.map((operation) => ({ ...common, operation, load: loadOf(loading, operation) }));
  const played = loads.map(({ load }) => load);
  const isByDriver = isForDriver(stage.pace.mode, { operations, service, network: stage.pace.network });
  const { ends, readings } = await (isByDriver ? byDriver(drive, played) : byTools(drive, stage, played));
  const parts: ScheduledRecords[] = [];
  for (const [index, load] of loads.entries()) {
    signal.throwIfAborted();
    parts.push(await recordsOf({ ...load, end: ends[index] as LoadEnd }));
  }
  return { parts, readings };
}

/** What of a service decides who sends its load. */
type Asked = Pick<Service, 'protocol' | 'connection'>;

/** What of a load decides who sends it, besides its pace. */
interface SentLoad {
  readonly operations: readonly Operation[];
  readonly service: Asked;
  readonly network?: Network | undefined;
}

/** Whether a load of these operations is played by the driver, and not by the load tools. */
export function isForDriver(mode: Pace['mode'], { operations, service, network }: SentLoad): boolean {
  const { protocol, connection } = service;
  const hasTool = generatorFor(protocol).command !== undefined && PROTOCOLS[protocol].checks === undefined;
  return (
    mode === 'users' ||
    mode === 'stages' ||
    (mode === 'saturate' && operations.length > 1) ||
    !hasTool ||
    connection?.connections !== undefined ||
    network !== undefined ||
    operations.some(({ stream }) => stream !== undefined)
  );
}

interface Ends {
  readonly ends: readonly LoadEnd[];
  readonly readings: readonly Reading[];
}

/** With a reading at the start of the steady stage and one after every second of it; the ramp counts nowhere. */
async function byTools(drive: Drive, stage: Stage, loads: readonly Load[]): Promise<Ends> {
  const generator = generatorFor(drive.service.protocol);
  const commands = loads.flatMap((load, index) =>
    load.kind === 'users' || load.kind === 'stages' || generator.command === undefined
      ? []
      : [generator.command(load, `${stage.phase}-${index}`)],
  );
  const [ends, readings] = await Promise.all([drive.running.load(commands, drive.signal), takeReadings(drive, stage)]);
  return { ends, readings };
}

async function takeReadings(drive: Drive, stage: Stage): Promise<Reading[]> {
  const { clock, signal } = drive;
  const startedMs = clock.steadyMs();
  const readings: Reading[] = [];
  for (let second = 0; stage.phase === 'steady' && second <= stage.seconds && !signal.aborted; second += 1) {
    await untilDue(clock, startedMs + second * READING_MS, signal);
    readings.push(await readingOf(drive));
  }
  return readings;
}

/** With a reading before the first request, one after every second, and one as soon as the last answer is there. */
async function byDriver(drive: Drive, loads: readonly Load[]): Promise<Ends> {
  const { running, service, signal } = drive;
  const tool = generatorFor(service.protocol).name;
  const first = await readingOf(drive);
  const over = new AbortController();
  const unread = new AbortController();
  const blocks = loads.map((load) => ({ tool, load }));
  const playing = running.play(blocks, AbortSignal.any([signal, unread.signal])).finally(() => over.abort());
  const reading = readUntil(drive, over.signal).catch((thrown: unknown) => {
    unread.abort(thrown);
    throw thrown;
  });
  // Neither is left alone if the other fails: the code that ends the service has to wait for both.
  await Promise.allSettled([playing, reading]);
  const [ends, readings] = await Promise.all([playing, reading]);
  return { ends, readings: [first, ...readings, await readingOf(drive)] };
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
    readings.push(await readingOf(drive));
  }
}

async function untilDue(clock: Clock, dueMs: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(Math.max(0, dueMs - clock.steadyMs()), signal).catch(() => undefined);
}

async function readingOf({ clock, running, service, signal }: Drive): Promise<Reading> {
  try {
    return await running.reading();
  } catch (cause) {
    // A service that ends takes its counters with it: its end is the better message, and comes within this pause.
    await clock.sleep(READING_MS, signal);
    throw new MeasurementError(`${service.name}: its counters cannot be read: ${messageOf(cause)}`, {
      code: 'WG-402',
      cause,
      next: 'Measure again. If it fails each time, measure with `--runtime process` instead of `docker`, or vice versa.',
    });
  }
}
