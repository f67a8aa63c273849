import type { LoadCommand, LoadEnd } from '../../src/model/load.ts';
import type { Service } from '../../src/model/service.ts';
import type { Ended } from '../../src/runtime/ended.ts';
import type { RunningService, Runtime } from '../../src/runtime/port.ts';
import { type FakeBench, fakeBench, KILLED, NO_COUNTING, RUNNER } from './fakes.ts';
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
  /** The load tool fails. */
  readonly exitCode?: number;
  readonly onLoad?: () => void;
}

/** A gRPC service with nothing remarkable. */
function grpcService(name: string): Service {
  return { ...restService(name), protocol: 'grpc', proto: { root: '.', file: 'a.proto', texts: { 'a.proto': '' } } };
}

/** A bench whose gRPC services take load as they are said to; figures follow from the commands that are run. */
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
    load: async (commands, signal) => await take(commands.map(loadIn), signal),
    // Until as much time has passed, in the readings that are taken meanwhile.
    play: async (loads, signal) => {
      const played = loads.map(({ load }) => ({
        rate: load.kind === 'open' ? load.ratePerSecond : undefined,
        workers: load.workers,
        seconds: load.seconds,
      }));
      const ends = await take(played, signal);
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

function loadIn({ arguments: argv }: LoadCommand): PlayedLoad {
  const flag = (name: string): number | undefined => {
    const at = argv.indexOf(name);
    return at < 0 ? undefined : Number.parseInt(argv[at + 1] ?? '', 10);
  };
  return { rate: flag('--rps'), workers: flag('--concurrency') ?? 1, seconds: (flag('--duration') ?? 0) / 1000 };
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
  const { capacityRps, baseMs, exitCode = 0 } = model;
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
    exitCode,
    complaint: 'a complaint',
    records: async function* () {
      yield Buffer.from(ghzText(calls));
    },
  };
}

function ghzText(calls: readonly { readonly startMs: number; readonly latencyMs: number }[]): string {
  const details = calls.map(({ startMs, latencyMs }) => {
    const endMs = startMs + latencyMs;
    const second = new Date(Math.floor(endMs / 1000) * 1000).toISOString().slice(0, 19);
    const fraction = String(Math.floor((endMs % 1000) * 1e6)).padStart(9, '0');
    return `{"timestamp":"${second}.${fraction}Z","latency":${Math.round(latencyMs * 1e6)},"error":"","status":"OK"}`;
  });
  return `{"date":"2026-11-21T00:00:00Z","endReason":"timeout","options":{},"count":${calls.length},"details":[${details.join(',')}]}`;
}
