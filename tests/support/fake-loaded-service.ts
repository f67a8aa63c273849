import { readFileSync } from 'node:fs';
import type { LoadEnd } from '../../src/model/load.ts';
import type { Service } from '../../src/model/service.ts';
import type { Ended } from '../../src/runtime/ended.ts';
import type { RunningService, Runtime } from '../../src/runtime/port.ts';
import { type FakeBench, fakeBench, KILLED, NO_COUNTING, RUNNER } from './fakes.ts';
import { recordFile } from './record-file.ts';
import { restService } from './suite.ts';

/** How a faked service takes load. */
export interface LoadedService {
  readonly capacityRps: number;
  /** The latency without work. */
  readonly baseMs: number;
  /** It ends by itself at this rate, of one operation. */
  readonly endsFrom?: number;
  /** After this rate it answers slowly until it is started anew. */
  readonly getsStuckFrom?: number;
  /** Why no load can be sent. */
  readonly complaint?: string;
  readonly onLoad?: () => void;
}

const FILE = 'user/v1/user.proto';

const PROTO = { root: 'proto', file: FILE, texts: { [FILE]: readFileSync(`proto/${FILE}`, 'utf8') } };

/** A gRPC service with nothing remarkable. */
function grpcService(name: string): Service {
  return { ...restService(name), protocol: 'grpc', proto: PROTO };
}

/** A bench whose gRPC services take load as they are said to; figures follow from the loads that are played. */
export function loadedBench(services: Readonly<Record<string, LoadedService>>, clock?: FakeBench['clock']): FakeBench {
  const fake = fakeBench({});
  const bench = { ...fake, clock: clock ?? fake.clock };
  const state = { stuck: new Set<string>() };
  const started: string[] = [];
  const stopped: string[] = [];
  const runtime: Runtime = {
    name: 'process',
    reason: 'a test',
    runner: RUNNER,
    prepare: async () => undefined,
    counting: NO_COUNTING,
    built: async () => [],
    control: async () => 150,
    [Symbol.asyncDispose]: async () => undefined,
    start: async ({ name }) => {
      started.push(name);
      state.stuck.delete(name);
      return running({ name, bench, stopped, model: services[name] ?? { capacityRps: 1, baseMs: 1 }, ...state });
    },
  };
  const client: FakeBench['client'] = {
    call: async (service) => {
      await bench.clock.sleep(state.stuck.has(service.name) ? 900 : 1);
      return { status: 'OK', body: {} };
    },
    learn: () => undefined,
    described: async (service) => service,
  };
  const byName = new Map(Object.keys(services).map((name) => [name, grpcService(name)]));
  return { ...bench, services: byName, runtime, client, started, stopped };
}

interface Parts {
  readonly name: string;
  readonly model: LoadedService;
  readonly bench: FakeBench;
  readonly stopped: string[];
  readonly stuck: Set<string>;
}

function running({ name, model, bench, stopped, stuck }: Parts): RunningService {
  let end: (end: Ended) => void = () => undefined;
  const ended = new Promise<Ended>((resolve) => {
    end = resolve;
  });
  const { clock } = bench;
  const take = async (loads: readonly PlayedLoad[], signal: AbortSignal): Promise<LoadEnd[]> => {
    model.onLoad?.();
    signal.throwIfAborted();
    const offered = loads.reduce((sum, { rate = 0 }) => sum + rate, 0);
    if (offered >= (model.endsFrom ?? Number.POSITIVE_INFINITY)) {
      end(KILLED);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    }
    if (offered >= (model.getsStuckFrom ?? Number.POSITIVE_INFINITY)) {
      stuck.add(name);
    }
    return loads.map((load) => endOf(load, { model, offered, startedMs: clock.nowMs() }));
  };
  return {
    address: '127.0.0.1:5000',
    loadAddress: '127.0.0.1:5000',
    ended,
    reading: async () => ({
      atMs: clock.nowMs(),
      service: { cpuSeconds: clock.nowMs() / 2000, memoryMiB: 40, peakMemoryMiB: 41, wireBytes: undefined },
      loadCpuSeconds: clock.nowMs() / 10_000,
      host: {
        busySeconds: clock.nowMs() / 1666,
        stealSeconds: 0,
        cpuPressureSeconds: undefined,
        listenOverflows: 0,
        timeWaitSockets: 0,
      },
    }),
    // Until as much time has passed, in the readings that are taken meanwhile.
    play: async (loads, signal) => {
      const measured = loads.map(({ load }) => ({
        rate: load.kind === 'open' ? load.ratePerSecond : undefined,
        workers: load.workers,
        seconds: load.seconds,
      }));
      const ends = await take(measured, signal);
      while (clock.nowMs() < Math.max(...ends.map(({ endedMs }) => endedMs))) {
        signal.throwIfAborted();
        await Promise.resolve();
      }
      return ends;
    },
    logs: async () => '',
    tries: async () => undefined,
    [Symbol.asyncDispose]: async () => {
      stopped.push(name);
    },
  };
}

interface PlayedLoad {
  /** undefined in a closed loop. */
  readonly rate: number | undefined;
  readonly workers: number;
  readonly seconds: number;
}

interface Place {
  readonly model: LoadedService;
  /** Over all operations. */
  readonly offered: number;
  readonly startedMs: number;
}

/** Where a queue is as good as full. */
const FULL = 0.99;

function endOf({ rate, workers, seconds }: PlayedLoad, { model, offered, startedMs }: Place): LoadEnd {
  const { capacityRps, baseMs, complaint = '' } = model;
  // In a closed loop each of two operations gets half.
  const full = Math.min(FULL, rate === undefined ? FULL : offered / capacityRps);
  const own = rate ?? capacityRps / 2;
  const over = Math.max(0, offered / capacityRps - 1);
  const calls = Array.from({ length: Math.floor(own * seconds) }, (_, index) => {
    const startMs = startedMs + (index * 1000) / own;
    const queueMs = rate === undefined ? (workers * 1000) / own : baseMs * (1 + (2 * full) / (1 - full));
    return { startMs, latencyMs: queueMs + over * (startMs - startedMs) };
  });
  return {
    startedMs,
    endedMs: startedMs + seconds * 1000,
    complaint,
    isOverTime: false,
    records: async () => recordFile(calls, { rate }),
  };
}
