import { join } from 'node:path';
import { MeasurementError } from '../../foundation/errors.ts';
import type { Load } from '../../model/load.ts';
import type { BlockLoad, LoadEnd } from '../../runtime/ports.ts';
import { type BlockAnswer, type Driver, type OpenDriver, openDriver, type RecordedLoad } from './driver.ts';
import { assertDiskHasRoom, recordsIn } from './load-files.ts';

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
