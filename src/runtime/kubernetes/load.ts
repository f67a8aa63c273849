import { appendFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { MeasurementError } from '../../foundation/errors.ts';
import { parsedJson } from '../../foundation/json.ts';
import { diskError, onDisk } from '../../host/files/output.ts';
import type { BlockLoad, LoadEnd } from '../../model/load.ts';
import type { DriverChannel } from '../driver/channel.ts';
import { BlockRunner } from '../driver/driver.ts';
import { sharedLoads } from '../driver/shares.ts';
import type { Cluster } from './cluster.ts';
import { aheadOf, type ClockOffset, clockOffset, type Generator, generatorName, nowMs } from './generators.ts';
import { execOf } from './kubectl.ts';
import { DRIVER_PATH, TOOLS_CONTAINER } from './manifests.ts';
import { lost } from './reading.ts';

/** Address at which this program reaches services, through a forwarded port. */
export const LOCAL = '127.0.0.1';

/** Time between the readiness of all generators and their common start, in which each must receive its instant; the latency of connections is added. */
const LEAD_MS = 30;

const recordsSchema = z.object({ output: z.string(), records: z.base64() });

interface LoadPlace {
  /** Receives the records, in a subfolder for each generator. */
  readonly folder: string;
  readonly port: number;
  /** Clock of its node, Unix time. */
  atMs(): Promise<number>;
}

/** Driver in a generator for one service. */
interface GeneratorDriver {
  readonly generator: Generator;
  readonly blocks: BlockRunner;
  /** Difference of its clock from that of the service's node. */
  clock(): Promise<ClockOffset>;
}

/** Load by a driver in each generator. It sends the records of a block before its answer, and they are written to a local folder. */
export class RemoteLoad implements AsyncDisposable {
  readonly #cluster: Pick<Cluster, 'kubectl' | 'generators' | 'node'>;
  readonly #place: LoadPlace;
  readonly #drivers = new Map<Generator, GeneratorDriver>();
  readonly #seen = new Map<Generator, number>();
  #busiest = 0;
  #nodeClock: Promise<ClockOffset> | undefined;
  #unwritten: unknown;

  constructor(cluster: Pick<Cluster, 'kubectl' | 'generators' | 'node'>, place: LoadPlace) {
    this.#cluster = cluster;
    this.#place = place;
  }

  /** See RunningService.play. */
  async play(loads: readonly BlockLoad[], signal: AbortSignal): Promise<readonly LoadEnd[]> {
    const { generators } = this.#cluster;
    const sent = loads.map((one) => addressed(one, this.#place.port));
    const shares = sharedLoads(sent, (await generators.for(sent, signal)).length);
    generators.noteFewer(shares.length);
    const before = generators.isUncalibrated ? sumOf(await this.#used()) : undefined;
    const ends = await this.#playShares(shares, signal);
    if (this.#unwritten !== undefined) {
      throw this.#unwritten;
    }
    if (before !== undefined) {
      const counts = await Promise.all(ends.map(async (end) => requestsIn(await end.records())));
      const requests = counts.reduce((sum, count) => sum + count, 0);
      generators.calibrate(sumOf(await this.#used()) - before, requests);
    }
    return ends;
  }

  /** CPU time of the busiest driver between readings, and of those on the node of the services. */
  async cpuSeconds(): Promise<{ readonly busiest: number; readonly onNode: number }> {
    const used = await this.#used();
    this.#busiest += Math.max(0, ...used.map(({ generator, seconds }) => seconds - (this.#seen.get(generator) ?? 0)));
    for (const { generator, seconds } of used) {
      this.#seen.set(generator, seconds);
    }
    return {
      busiest: this.#busiest,
      onNode: sumOf(used.filter(({ generator }) => generator.node === this.#cluster.node.name)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#drivers.values()].map(({ blocks }) => blocks[Symbol.asyncDispose]()));
  }

  /** Sends the shares of a block from one instant. If one fails, all fail. */
  async #playShares(shares: readonly (readonly BlockLoad[])[], signal: AbortSignal): Promise<LoadEnd[]> {
    const { generators } = this.#cluster;
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const all = generators.all.slice(0, shares.length).map((generator) => this.#driverIn(generator));
    const start = shares.length === 1 ? undefined : commonStart(all.length, () => this.#clockOfNode());
    const played = await Promise.all(
      all.map(async (driver, index) => {
        const { generator } = driver;
        try {
          const loads = shares[index] ?? [];
          const { aheadMs, errorMs } = await driver.clock();
          const ends = await driver.blocks.play(
            loads,
            either,
            start && (async () => Math.round(1e6 * ((await start.of(errorMs)) + aheadMs))),
          );
          const late = (share: number): void => generators.noteLate(generator, share);
          return ends.map((end, at) => {
            const { load } = loads[at] as BlockLoad;
            return { ...end, errorMs, generator: { load, aheadMs, late } };
          });
        } catch (thrown) {
          stop.abort(this.#ended(thrown, generator));
          return [];
        }
      }),
    );
    signal.throwIfAborted();
    stop.signal.throwIfAborted();
    if (start?.hasBegun() === false && played.flat().every(({ isOverTime }) => isOverTime)) {
      throw lost('not all load generators were ready for a block');
    }
    const first = played.flatMap((ends) => ends.slice(0, 1)).filter(({ isOverTime }) => !isOverTime);
    if (first.length > 1) {
      generators.noteStart(
        first.map(({ startedMs, generator }) => startedMs - generator.aheadMs),
        Math.max(...first.map(({ errorMs }) => errorMs)),
      );
    }
    return played.flat();
  }

  async #used() {
    return await Promise.all(
      this.#cluster.generators.all.map(async (generator) => {
        try {
          return { generator, seconds: (await this.#driverIn(generator).blocks.cpuSeconds([])).drivers };
        } catch (thrown) {
          throw this.#ended(thrown, generator);
        }
      }),
    );
  }

  #driverIn(generator: Generator): GeneratorDriver {
    const known = this.#drivers.get(generator);
    if (known !== undefined) {
      return known;
    }
    const folder = join(this.#place.folder, generator.pod);
    const blocks = new BlockRunner(async () => {
      await onDisk(folder, () => mkdir(folder));
      return { folder, open: (heard) => this.#open(generator, folder, heard) };
    });
    let clock: Promise<ClockOffset> | undefined;
    const measured = async (): Promise<ClockOffset> => {
      const there = await this.#clockOfNode();
      const here = await clockOffset(async () => (await blocks.cpuSeconds([])).atMs);
      return { aheadMs: aheadOf(here, there), errorMs: here.errorMs + there.errorMs };
    };
    const driver = { generator, blocks, clock: () => (clock ??= measured()) };
    this.#drivers.set(generator, driver);
    return driver;
  }

  #open({ pod }: Generator, folder: string, heard: (line: string) => void): Promise<DriverChannel> {
    const command = execOf({ pod, container: TOOLS_CONTAINER }, [DRIVER_PATH, 'remote']);
    return this.#cluster.kubectl.open(command, (line) => {
      // A broken connection may truncate a line.
      const sent = line.startsWith('{"output"') ? recordsSchema.safeParse(parsedJson(line)).data : undefined;
      if (sent === undefined) {
        heard(line);
        return;
      }
      const path = join(folder, basename(sent.output));
      try {
        appendFileSync(path, Buffer.from(sent.records, 'base64'));
      } catch (thrown) {
        this.#unwritten ??= diskError(thrown, path) ?? thrown;
      }
    });
  }

  #clockOfNode(): Promise<ClockOffset> {
    this.#nodeClock ??= clockOffset(() => this.#place.atMs());
    return this.#nodeClock;
  }

  /** Error for the end of a driver, or of the connection to it: its generator is no longer used. */
  #ended(thrown: unknown, generator: Generator): unknown {
    if (!(thrown instanceof MeasurementError && thrown.code === 'WG-401')) {
      return thrown;
    }
    const { generators } = this.#cluster;
    const error = lost(`${generatorName(generator)}: ${thrown.message}`, thrown);
    generators.leaveOut(generator);
    this.#drivers.delete(generator);
    return error;
  }
}

function sumOf(used: readonly { readonly seconds: number }[]): number {
  return used.reduce((sum, { seconds }) => sum + seconds, 0);
}

/** Common start of a block by the clock of the node, for all of its generators. */
function commonStart(generators: number, node: () => Promise<ClockOffset>) {
  const waiting: ((startMs: number) => void)[] = [];
  let slowestMs = 0;
  const hasBegun = () => waiting.length === generators;
  return {
    hasBegun,
    /** Settles once all are ready; `errorMs` is half the round-trip time of a request to this one. */
    async of(errorMs: number): Promise<number> {
      const { aheadMs } = await node();
      slowestMs = Math.max(slowestMs, errorMs);
      return await new Promise((resolve) => {
        waiting.push(resolve);
        if (hasBegun()) {
          const startMs = nowMs() + LEAD_MS + 2 * slowestMs + aheadMs;
          for (const begin of waiting) {
            begin(startMs);
          }
        }
      });
    },
  };
}

/** Number of requests in the first line of a record file (tools/load/cmd/wiregauge-load/records.go). */
function requestsIn(file: Uint8Array): number {
  const [, count] = /^\{"records":(\d+),/.exec(Buffer.from(file.subarray(0, 40)).toString()) ?? [];
  return Number(count ?? 0);
}

/** Load with the service's name from other requests, not the address of its pod: it may check the Host, and its certificate has a name. */
function addressed({ tool, load }: BlockLoad, port: number): BlockLoad {
  const { connection, requests } = load.target;
  const tls = connection?.tls;
  if (connection !== undefined && tls !== undefined) {
    const serverName = tls.serverName ?? LOCAL;
    return {
      tool,
      load: { ...load, target: { ...load.target, connection: { ...connection, tls: { ...tls, serverName } } } },
    };
  }
  const named =
    tool === 'ghz'
      ? requests
      : requests.map((one) => ({ ...one, headers: { Host: `${LOCAL}:${port}`, ...one.headers } }));
  return { tool, load: { ...load, target: { ...load.target, requests: named } } };
}
