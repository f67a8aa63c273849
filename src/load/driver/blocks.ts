import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EnvironmentError, MeasurementError } from '../../foundation/index.ts';
import { onDisk } from '../../host/index.ts';
import type { BlockLoad, GeneratorName, Load, LoadCommand, LoadEnd } from '../../model/index.ts';
import { type BlockAnswer, type Driver, type OpenDriver, openDriver, type RecordedLoad } from './driver.ts';

/** Where a driver is started, and the folder that it runs in, as this program sees it. */
export interface DriverPlace {
  readonly open: OpenDriver;
  readonly folder: string;
}

/** CPU time in seconds, to the nanosecond. */
export interface CpuSeconds {
  /** In the order of the pids; undefined for a process that is gone. */
  readonly of: readonly (number | undefined)[];
  /** Of all drivers that were started so far. */
  readonly drivers: number;
}

// For the readying of the connections and the writing of the records.
const AROUND_SECONDS = 15;

/** Plays the blocks of one service. The driver is started when it is first needed, and anew when it has ended. */
export class BlockPlayer implements AsyncDisposable {
  readonly #ready: () => Promise<DriverPlace>;
  readonly #closed = new AbortController();
  #place: Promise<DriverPlace> | undefined;
  #driver: Promise<Driver> | undefined;
  #blocks = 0;
  #endedCpuNs = 0;
  #cpuNs = 0;

  constructor(ready: () => Promise<DriverPlace>) {
    this.#ready = ready;
  }

  /** See RunningService.play. Throws EnvironmentError where the disk is full or the driver cannot be started. */
  async play(loads: readonly BlockLoad[], signal: AbortSignal): Promise<readonly LoadEnd[]> {
    signal.throwIfAborted();
    this.#blocks += 1;
    const block = this.#blocks;
    const recorded = loads.map((load, index) => ({ ...load, output: `block-${block}-${index}` }));
    const driver = await this.#upDriver();
    const limitSeconds = Math.max(...loads.map(({ load }) => limitOf(load)));
    const overtime = AbortSignal.timeout(limitSeconds * 1000);
    const stop = AbortSignal.any([signal, this.#closed.signal, overtime]);
    const playing = driver.play(recorded);
    const answer = await Promise.race([playing.catch(() => undefined), aborted(stop)]);
    if (stop.aborted) {
      await driver.end();
      signal.throwIfAborted();
      this.#closed.signal.throwIfAborted();
      throw tooLong(limitSeconds);
    }
    const { folder } = await this.#placed();
    return endsOf(answer ?? (await playing), recorded, folder);
  }

  /** CPU time of processes, all their ended threads included, and of the drivers. */
  async cpuSeconds(pids: readonly number[]): Promise<CpuSeconds> {
    const driver = await this.#upDriver();
    const { cpuNs, ownNs } = await driver.cpuTimes(pids);
    this.#cpuNs = ownNs;
    const of = pids.map((_, index) => secondsOf(cpuNs[index] ?? -1));
    return { of, drivers: (this.#endedCpuNs + this.#cpuNs) / 1e9 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(new MeasurementError('the service was stopped in the middle of a block'));
    const driver = await this.#driver?.catch(() => undefined);
    await driver?.end();
  }

  // One after the other: a reading and a block that both find none shall not start two.
  #upDriver(): Promise<Driver> {
    this.#driver = this.#after(this.#driver);
    return this.#driver;
  }

  async #after(previous: Promise<Driver> | undefined): Promise<Driver> {
    const last = await previous?.catch(() => undefined);
    if (last?.hasEnded() === false) {
      return last;
    }
    this.#closed.signal.throwIfAborted();
    // What it used since it was last asked is lost with it.
    this.#endedCpuNs += this.#cpuNs;
    this.#cpuNs = 0;
    const { open } = await this.#placed();
    return await openDriver(open);
  }

  #placed(): Promise<DriverPlace> {
    this.#place ??= this.#ready();
    return this.#place;
  }
}

function endsOf(
  { startedNs, endedNs, results }: BlockAnswer,
  loads: readonly RecordedLoad[],
  folder: string,
): readonly LoadEnd[] {
  return loads.map(({ tool, output }, index) => {
    const error = results[index]?.error ?? 'the driver did not tell how it ended';
    assertDiskHasRoom(error, tool, folder);
    return {
      startedMs: startedNs / 1e6,
      endedMs: endedNs / 1e6,
      exitCode: error === '' ? 0 : 1,
      complaint: error,
      records: () => recordsIn(join(folder, output)),
    };
  });
}

function limitOf({ seconds, timeoutSeconds }: Load): number {
  return seconds + timeoutSeconds + AROUND_SECONDS;
}

function secondsOf(nanoseconds: number): number | undefined {
  return nanoseconds < 0 ? undefined : nanoseconds / 1e9;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
    if (signal.aborted) {
      resolve(undefined);
    }
  });
}

function tooLong(seconds: number): MeasurementError {
  return new MeasurementError(`a block was not over after ${seconds} s, its time limit`, {
    next: 'See what the service printed last: does it still answer?',
  });
}

const CHUNK_BYTES = 2 ** 20;

const FULL_DISK = /no space left on device|disk quota exceeded/i;

/** Writes what a load tool's command reads into a folder; throws EnvironmentError where the disk is full. */
export async function writeInputs({ inputs, binaryInputs = {} }: LoadCommand, folder: string): Promise<void> {
  const files: [string, string | Uint8Array][] = [
    ...Object.entries(inputs),
    ...Object.entries(binaryInputs).map(([name, base64]): [string, Uint8Array] => [
      name,
      Buffer.from(base64, 'base64'),
    ]),
  ];
  for (const [name, content] of files) {
    const path = join(folder, name);
    await onDisk(path, async () => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    });
  }
}

/** The raw records in a load tool's output, in pieces; none where it left no output. */
export async function* recordsIn(path: string): AsyncIterable<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK_BYTES });
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) {
      throw thrown;
    }
  }
}

/** Throws EnvironmentError where a failed load tool complains of a full disk. */
export function assertDiskHasRoom(complaint: string, tool: GeneratorName, folder: string): void {
  if (FULL_DISK.test(complaint)) {
    throw new EnvironmentError(`${tool} cannot write its records: the disk of ${folder} is full`, {
      next: 'Free some space there, or set TMPDIR to a folder on another disk.',
    });
  }
}
