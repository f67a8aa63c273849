import { EnvironmentError } from '../../src/foundation/errors.ts';
import type { Clock } from '../../src/host/machine/clock.ts';
import type { Progress } from '../../src/host/terminal/progress.ts';
import type { RunBench, RunFacts } from '../../src/measure/plans/run.ts';
import type { BlockLoad, LoadEnd, Reply } from '../../src/model/load.ts';
import { type Plan, planRun } from '../../src/model/plan.ts';
import { RUN_SCHEMA } from '../../src/model/run/run.ts';
import type { Reading, RunnerFingerprint } from '../../src/model/runner.ts';
import type { ProgramPage } from '../../src/model/sample/own-figures.ts';
import type { Service } from '../../src/model/service.ts';
import type { Client } from '../../src/protocols/client.ts';
import { type Ended, type NeedEnd, processEnd } from '../../src/runtime/ended.ts';
import type { CountingRuntime, RunningService, Runtime } from '../../src/runtime/port.ts';
import { recordedFile } from './record-file.ts';
import { NO_SECRETS } from './secrets.ts';
import { restService, usersSuite } from './suite.ts';

/** Of a machine without Valgrind. */
export const NO_COUNTING: CountingRuntime = {
  counter: async () => {
    throw new EnvironmentError('instructions cannot be counted here');
  },
  start: async () => {
    throw new EnvironmentError('instructions cannot be counted here');
  },
};

/** A clock whose time passes only in sleep. */
export function fakeClock(): Clock {
  let nowMs = 1_000_000;
  return {
    nowMs: () => nowMs,
    steadyMs: () => nowMs,
    sleep: async (milliseconds, signal) => {
      signal?.throwIfAborted();
      nowMs += milliseconds;
      await Promise.resolve();
    },
  };
}

/** Keeps what a user would have seen. */
export function fakeProgress(): Progress & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    chapter: () => undefined,
    line: (text) => lines.push(text),
    show: () => undefined,
    finish: () => undefined,
  };
}

export const RUNNER: RunnerFingerprint = {
  cpuModel: 'test',
  cores: 2,
  memoryMiB: 8000,
  platform: 'linux-x64',
  kernel: 'test',
  node: 'v20',
  cgroup: 'v2',
  serviceCore: 0,
  loadCore: 1,
};

/** How the fake services of a bench behave; every name is a service's. */
export interface Behavior {
  readonly replies?: (service: string, call: string) => Reply;
  /** A service that ends by itself: at once, or when it is loaded. */
  readonly endsAtStart?: readonly string[];
  readonly endsUnderLoad?: readonly string[];
  /** How that service ends; by SIGKILL if it is not said. */
  readonly end?: () => Ended;
  /** Something that the service needs ends by itself when it is loaded. */
  readonly needEndsUnderLoad?: readonly string[];
  /** Why no load can be sent. */
  readonly complaint?: string;
  readonly isOverTime?: boolean;
  /** Called after every load, with what was played. */
  readonly onPlay?: (service: string, loads: readonly BlockLoad[]) => void;
  /** The pages of a service with its own metrics, as they are when they are read. */
  readonly pages?: (service: string) => readonly ProgramPage[];
  /** The record file of every load; one without failures if none is given. */
  readonly records?: (service: string) => Uint8Array;
}

/** A bench of two REST services that are always ready and answer alike, unless the behavior says otherwise. */
export function fakeBench(behavior: Behavior = {}): FakeBench {
  const suite = { ...usersSuite(), services: ['first', 'second'] };
  const profile = {
    name: 'test',
    rampScale: 0.1,
    warmupSeconds: 0,
    measureSeconds: 1,
    saturationSeconds: 1,
    rounds: 1,
  };
  const plan: Plan = planRun({ suite, profile, modes: ['open', 'saturate'], seed: 1 });
  const started: string[] = [];
  const stopped: string[] = [];
  const written: string[] = [];
  const stop = new AbortController();
  const clock = fakeClock();
  const runtime: Runtime = {
    name: 'process',
    reason: 'a test',
    runner: RUNNER,
    prepare: async () => undefined,
    start: async (service) => {
      started.push(service.name);
      return fakeService(service, { behavior, clock, stopped });
    },
    counting: NO_COUNTING,
    built: async () => [],
    control: async () => 150,
    [Symbol.asyncDispose]: async () => undefined,
  };
  return {
    plan,
    services: new Map(suite.services.map((name) => [name, restService(name)])),
    runtime,
    client: fakeClient(behavior),
    secrets: NO_SECRETS,
    clock,
    progress: fakeProgress(),
    output: {
      write: async (name, text) => {
        written.push(text);
        return name;
      },
    },
    signal: stop.signal,
    stop,
    started,
    stopped,
    written,
  };
}

/** A bench that remembers what was done with it. */
export interface FakeBench extends RunBench {
  readonly progress: ReturnType<typeof fakeProgress>;
  readonly stop: AbortController;
  readonly started: readonly string[];
  readonly stopped: readonly string[];
  readonly written: readonly string[];
}

/** What is known of the run of a bench before its first slot. */
export function runFactsFor({ plan }: FakeBench): RunFacts {
  const { name, title, operations, tiers } = plan.suite;
  return {
    schema: RUN_SCHEMA,
    wiregauge: '0',
    startedAt: '2026-11-21T00:00:00Z',
    commit: { dirty: false },
    configHash: 'hash',
    seed: plan.seed,
    runner: RUNNER,
    limits: { cpus: 1, memoryMiB: 512 },
    runtime: { name: 'process', reason: 'a test' },
    tools: { vegeta: '0' },
    suite: { name, title, operations: operations.map(({ name, share }) => ({ name, share })), tiers },
    services: [],
    plan: { profile: plan.profile, modes: plan.modes, plannedSeconds: 1 },
  };
}

function fakeClient({ replies }: Behavior): Client {
  return {
    call: async (service, _address, { call }) => replies?.(service.name, call) ?? { status: '200', body: { call } },
    described: async (service) => service,
    learn: () => undefined,
  };
}

/** The end of a service that somebody killed. */
export const KILLED = processEnd('SIGKILL', '');

interface FakeServiceParts {
  readonly behavior: Behavior;
  readonly clock: Clock;
  readonly stopped: string[];
}

function fakeService({ name }: Service, { behavior, clock, stopped }: FakeServiceParts): RunningService {
  let end: (end: Ended) => void = () => undefined;
  const ended = new Promise<Ended>((resolve) => {
    end = resolve;
  });
  if (behavior.endsAtStart?.includes(name)) {
    end(processEnd(1, 'out of luck'));
  }
  let endNeed: (end: NeedEnd) => void = () => undefined;
  const needEnded = new Promise<NeedEnd>((resolve) => {
    endNeed = resolve;
  });
  const endUnderLoad = async (signal: AbortSignal): Promise<void> => {
    const isOwn = behavior.endsUnderLoad?.includes(name) === true;
    if (isOwn) {
      end(behavior.end?.() ?? KILLED);
    } else if (behavior.needEndsUnderLoad?.includes(name)) {
      endNeed({ name: 'db', end: KILLED });
    } else {
      return;
    }
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    signal.throwIfAborted();
  };
  const startedMs = clock.nowMs();
  return {
    address: '127.0.0.1:5000',
    loadAddress: '127.0.0.1:5000',
    ended,
    needEnded,
    reading: async () => fakeReading(clock.nowMs(), startedMs),
    play: async (loads, signal) => {
      await clock.sleep(100, signal);
      // One request alone is no load: its bytes are counted.
      if (!loads.every(({ load }) => 'requestsPerUser' in load && load.requestsPerUser === 1)) {
        await endUnderLoad(signal);
        behavior.onPlay?.(name, loads);
      }
      return loads.map(() => fakeEnd(clock, behavior, name));
    },
    pages: behavior.pages && (async () => behavior.pages?.(name) ?? []),
    logs: async () => 'a line that it printed',
    tries: async () => undefined,
    [Symbol.asyncDispose]: async () => {
      stopped.push(name);
    },
  };
}

function fakeEnd(clock: Clock, { complaint = '', isOverTime = false, records }: Behavior, name: string): LoadEnd {
  return {
    startedMs: clock.nowMs(),
    endedMs: clock.nowMs(),
    complaint,
    isOverTime,
    records: async () => records?.(name) ?? recordedFile('ok'),
  };
}

function fakeReading(atMs: number, startedMs: number): Reading {
  const seconds = (atMs - startedMs) / 1000;
  return {
    atMs,
    service: {
      cpuSeconds: seconds / 2,
      memoryMiB: 40,
      peakMemoryMiB: 41,
      wireBytes: seconds * 1000,
    },
    loadCpuSeconds: seconds / 10,
    host: {
      busySeconds: seconds * 0.6,
      stealSeconds: 0,
      cpuPressureSeconds: undefined,
      listenOverflows: 0,
      timeWaitSockets: 0,
    },
  };
}

const never = new Promise<never>(() => undefined);

/** A service that stands and says nothing, but for what changes. */
export function standingService(changes: Partial<RunningService> = {}): RunningService {
  return {
    address: '127.0.0.1:5000',
    loadAddress: '127.0.0.1:5000',
    ended: never,
    reading: () => never,
    play: () => never,
    logs: async () => 'its last words',
    tries: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
    ...changes,
  };
}
