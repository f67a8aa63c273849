import { join } from 'node:path';
import * as z from 'zod';
import { EnvironmentError, MeasurementError } from '../../foundation/errors.ts';
import { lastingPath } from '../../host/files/output.ts';
import { FileRefusal, readBytes } from '../../host/files/reader.ts';
import { abortAfter, aborted } from '../../host/signals.ts';
import type { BlockLoad, GeneratorName, LoadEnd, TargetRequest } from '../../model/load.ts';
import { type DriverEnd, type OpenDriver, openDialog } from './channel.ts';

export type BlockAnswer = z.infer<typeof blockSchema>;

/** Running driver (tools/load). Every request rejects with MeasurementError if the driver ends before its response. */
export interface Driver {
  hasEnded(): boolean;
  /** Prepares the loads, and runs them: at once, or from an instant of its clock that `start` returns once they are prepared. */
  play(loads: readonly SentLoad[], start?: () => Promise<number>): Promise<BlockAnswer>;
  /** CPU time of each process in ns, -1 for one that has ended, and of the driver itself; and its clock, Unix time. */
  cpuTimes(pids: readonly number[]): Promise<z.infer<typeof cpuSchema>>;
  end(): Promise<void>;
}

const blockSchema = z.object({
  id: z.number(),
  startedNs: z.number(),
  endedNs: z.number(),
  results: z.array(z.object({ error: z.string() })),
});

const cpuSchema = z.object({ id: z.number(), cpuNs: z.array(z.number()), ownNs: z.number(), atNs: z.number() });

const readySchema = z.object({ id: z.number(), ready: z.literal(true) });

const answerSchema = z.union([blockSchema, cpuSchema, readySchema]);

type Answer = z.infer<typeof answerSchema>;

/** Starts a driver and speaks its protocol (tools/load/cmd/wiregauge-load/protocol.go). */
export async function openDriver(open: OpenDriver): Promise<Driver> {
  const dialog = await openDialog(open, { schema: answerSchema, endedEarly });
  const ask = (question: object) => dialog.request((id) => JSON.stringify({ id, ...question }));
  return {
    hasEnded: dialog.hasEnded,
    async play(loads, start) {
      if (start === undefined) {
        return fitting(blockSchema, await ask({ loads }));
      }
      fitting(readySchema, await ask({ loads, waits: true }));
      return fitting(blockSchema, await ask({ startNs: await start() }));
    },
    cpuTimes: async (pids) => fitting(cpuSchema, await ask({ pids })),
    end: dialog.end,
  };
}

function fitting<Schema extends z.ZodType>(schema: Schema, answer: Answer): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) {
    throw new MeasurementError('the load driver answered a different request', {
      code: 'WG-401',
      next: AGAIN,
    });
  }
  return parsed.data;
}

function endedEarly({ how, lastLines }: DriverEnd): MeasurementError {
  const said = lastLines === '' ? 'it printed nothing' : `its last output: ${lastLines}`;
  return new MeasurementError(`the load driver ended unexpectedly ${how}; ${said}`, {
    code: 'WG-401',
    next: AGAIN,
  });
}

const AGAIN = 'Measure again. If it ends each time, check whether this machine runs out of memory.';

/** Place where a driver is started, and its folder, as this program sees it. */
interface DriverPlace {
  readonly open: OpenDriver;
  readonly folder: string;
}

// Time for opening connections and writing records.
const AROUND_SECONDS = 15;

/** Runs the blocks of one service. The driver is started on demand, and again after it has ended. */
export class BlockRunner implements AsyncDisposable {
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

  /** See RunningService.play, and Driver.play. Throws EnvironmentError if the disk is full or the driver cannot be started. */
  async play(
    loads: readonly BlockLoad[],
    signal: AbortSignal,
    start?: () => Promise<number>,
  ): Promise<readonly LoadEnd[]> {
    signal.throwIfAborted();
    this.#blocks += 1;
    const block = this.#blocks;
    const recorded = loads.map((load, index) => sentLoad(load, `block-${block}-${index}`));
    const driver = await this.#upDriver();
    const limitSeconds = Math.max(...loads.map(({ load }) => load.seconds + load.timeoutSeconds + AROUND_SECONDS));
    using overtime = abortAfter(limitSeconds * 1000);
    const stop = AbortSignal.any([signal, this.#closed.signal, overtime.signal]);
    const startedMs = Date.now();
    const sending = driver.play(recorded, start);
    const answer = await Promise.race([sending.catch(() => undefined), aborted(stop)]);
    if (stop.aborted) {
      await driver.end();
      signal.throwIfAborted();
      this.#closed.signal.throwIfAborted();
      return loads.map(() => ({
        startedMs,
        endedMs: Date.now(),
        complaint: `stopped at its time limit of ${limitSeconds} s`,
        isOverTime: true,
        records: async () => new Uint8Array(),
      }));
    }
    const { folder } = await this.#placed();
    return endsOf(answer ?? (await sending), recorded, folder);
  }

  /** CPU time of processes, all their ended threads included, undefined for one that is gone, and of all drivers so far; and Unix time there. */
  async cpuSeconds(pids: readonly number[]) {
    const driver = await this.#upDriver();
    const { cpuNs, ownNs, atNs } = await driver.cpuTimes(pids);
    this.#cpuNs = ownNs;
    const of = cpuNs.map((nanoseconds) => (nanoseconds < 0 ? undefined : nanoseconds / 1e9));
    return { of, drivers: (this.#endedCpuNs + this.#cpuNs) / 1e9, atMs: atNs / 1e6 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(new MeasurementError('the service was stopped during a block', { code: 'WG-303' }));
    const driver = await this.#driver?.catch(() => undefined);
    await driver?.end();
  }

  // Sequential: a reading and a block that both find no driver must not start two.
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
    // Its use since the last reading is lost.
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
  loads: readonly SentLoad[],
  folder: string,
): readonly LoadEnd[] {
  return loads.map(({ tool, output }, index) => {
    const error = results[index]?.error ?? 'the driver did not report how it ended';
    assertDiskHasRoom(error, tool, folder);
    return {
      startedMs: startedNs / 1e6,
      endedMs: endedNs / 1e6,
      complaint: error,
      isOverTime: false,
      records: async () => recordsIn(join(folder, output)),
    };
  });
}

/** Records of some hundred million requests. */
const MAX_BYTES = 2 ** 32;

const FULL_DISK = /no space left on device|disk quota exceeded/i;

/**
 * Content of a record file; empty if the file is missing. A round has some 300 of a few kilobytes: a stream with a buffer of 1 MiB for each took 9%
 * of the time of a comparison for garbage collection alone.
 */
function recordsIn(path: string): Uint8Array {
  try {
    return readBytes(path, { most: MAX_BYTES });
  } catch (thrown) {
    if (thrown instanceof FileRefusal && thrown.kind === 'missing') {
      return new Uint8Array();
    }
    throw thrown;
  }
}

/** Throws EnvironmentError if a failed load reports a full disk. */
export function assertDiskHasRoom(complaint: string, tool: GeneratorName, folder: string): void {
  if (FULL_DISK.test(complaint)) {
    throw new EnvironmentError(`${tool} cannot write its records: the disk with ${lastingPath(folder)} is full`, {
      code: 'WG-207',
      next: 'Free some space there, or set TMPDIR to a folder on another disk.',
    });
  }
}

type SentLoad = ReturnType<typeof sentLoad>;

/** Load with the bytes of its requests, and without what only this program needs; `output` is for its records, in the folder of the driver. */
function sentLoad({ tool, load }: BlockLoad, output: string) {
  const { requests, address, method, connection, checked, stream } = load.target;
  const target = { address, method, connection, checked, stream, requests: requests.map(sentRequest) };
  return { tool, output, load: { ...load, target } };
}

/** All bytes are in base64. */
function sentRequest({ call, headers, metadata, messages, socket, content }: TargetRequest) {
  const body = content && ('base64' in content ? content.base64 : Buffer.from(content.text).toString('base64'));
  return { call, headers, metadata, messages, socket, body };
}
