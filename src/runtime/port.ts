import type { Lookups } from '../foundation/placeholders.ts';
import type { Cores } from '../host/machine/machine.ts';
import type { BlockLoad, LoadEnd } from '../model/load.ts';
import type { NeedCalls } from '../model/run/calls.ts';
import type { ExecutedCall, ExecutedFunction } from '../model/run/functions.ts';
import type { Reading, RunnerFingerprint } from '../model/runner.ts';
import type { ProgramPage } from '../model/sample/own-figures.ts';
import type { Place, Service } from '../model/service.ts';
import type { BuiltProgram } from './built-program.ts';
import type { Ended, NeedEnd } from './ended.ts';

/** Limits of one service; the load tool has the same. */
export interface Limits {
  readonly cpus: number;
  readonly memoryMiB: number;
}

/** Service that was started for one trial. Disposing of it stops it and removes its leftovers. */
export interface RunningService extends AsyncDisposable {
  /** `host:port` of the service for this program. */
  readonly address: string;
  /** `host:port` for the load tool; an address of this machine. */
  readonly loadAddress: string;
  /** Folder that it was started in from here, or that its image was built in; undefined if it was not started from here. */
  readonly folder?: string | undefined;
  /** Unix time in ms at which its program (the entry, if it has several) was started; undefined if not from here. */
  readonly startedAtMs?: number | undefined;
  /** Settles when the service ends unexpectedly; never rejects. */
  readonly ended: Promise<Ended>;
  /** Settles when another member, or a need, ends unexpectedly; undefined if there is neither. Never rejects. */
  readonly needEnded?: Promise<NeedEnd> | undefined;
  /** Another member of the service that no longer passes its check, with its last lines; undefined if all pass, or the service has no other member. */
  ailing?(): Promise<string | undefined>;
  /** Lets its program use all cores until the result is disposed of; undefined if that is not possible. */
  readonly onAllCores?: (() => Promise<AsyncDisposable>) | undefined;
  /** True if the kernel limits its CPU time by a quota per 100 ms, a whole one of which is unused at the start of a block. */
  readonly hasCpuQuota?: boolean | undefined;
  /** CPU time of the service, its members and its needs so far; left out if it was not started from here. */
  cpuSeconds?(): Promise<number>;
  reading(): Promise<Reading>;
  /** Runs the loads of one block from the same instant, by a driver that the first call starts. Returns the ends of all loads, by generator. An abort rejects. */
  play(loads: readonly BlockLoad[], signal: AbortSignal): Promise<readonly LoadEnd[]>;
  /** Counts of the service since the last call, if it runs under a counter. */
  readonly counts?: ((detail?: CountDetail) => Promise<Counts>) | undefined;
  /** Calls to its needs and members since the last time; undefined if it was not started behind a relay. */
  readonly calls?: (() => Promise<readonly NeedCalls[]>) | undefined;
  /** Metrics pages of its programs; undefined if none has one. Never rejects. */
  readonly pages?: (() => Promise<readonly ProgramPage[]>) | undefined;
  /** PID on this machine of the first process of each of its programs; undefined if not visible from here. */
  readonly processes?: readonly number[] | undefined;
  /** Names of its programs that have left its process tree, as daemons do, so that their use is not counted. */
  readonly escaped?: (() => readonly string[]) | undefined;
  /** Last lines that the service printed, 400 by default; with about 20 characters per line. */
  logs(lines?: number): Promise<string>;
  /** Runs a command in the service's container, or in the environment of its process; returns the reason for a failure, undefined on success. */
  tries(command: readonly string[]): Promise<string | undefined>;
}

export interface Counts {
  readonly instructions: number;
  /** Its system calls. */
  readonly syscalls: number;
  /** Calls of functions that allocate memory, as far as their names are known. */
  readonly allocations: number;
  /** Number of its programs that started and ended since the last call, and were not counted. */
  readonly uncounted: number;
  /** Its functions with the highest counts, if requested and known. */
  readonly functions?: readonly ExecutedFunction[];
  /** The same by caller; with several programs, the calls of each are below its name. */
  readonly calls?: readonly ExecutedCall[];
  /** Share of each program by name, if the service has several. */
  readonly members?: Readonly<Record<string, Pick<Counts, 'instructions' | 'syscalls'>>>;
}

/** Detail of the counts, in all modes of the driver. After a pause, counting resumes with the next request. */
export type CountDetail = 'counts' | 'functions' | 'pause';

/** Counter: only counts from equal ones are comparable. */
export interface Counter {
  readonly name: 'valgrind';
  readonly version: string;
  /** Architecture, with the processor features that Valgrind would expose and this processor lacks: "x64", "x64 without avx2". */
  readonly architecture: string;
}

/** Runtime for counting services. Throws EnvironmentError if nothing on this machine can count. */
export interface CountingRuntime {
  counter(): Promise<Counter>;
  /** Starts a service like Runtime.start, about ten times slower. The first call of `counts` starts counting, which makes it about fifty times slower. */
  start(service: Service, options?: CountingOptions): Promise<RunningService>;
}

export interface CountingMode {
  /** They count from their start, as does every program that they start later. */
  readonly isFromStart?: boolean | undefined;
  /** Functions are named: each stack of calls is counted separately, and runtimes write the addresses of the functions that they compile. */
  readonly hasFunctions?: boolean | undefined;
}

export interface CountingOptions extends CountingMode {
  readonly signal?: AbortSignal;
  /** True to run the service on the load tool's core, and its load tool on the service's: two services are counted at once, with a core each. */
  readonly exchangesCores?: boolean;
}

export interface Runtime extends AsyncDisposable {
  readonly name: Place['runtime'];
  /** Reason for this runtime if the user left the choice: one sentence for the log. */
  readonly reason: string;
  readonly runner: RunnerFingerprint;
  /** Builds all services and prepares the load tools before anything is measured. */
  prepare(services: readonly Service[], signal: AbortSignal): Promise<void>;
  /**
   * Starts the service after its needs are ready; it need not be ready itself yet. A service that already runs is found at its address. The load
   * driver may still be starting: reading and play wait for it, and throw EnvironmentError if it cannot be started. Throws MeasurementError with the
   * name of a need that does not get ready. A relayed service reaches its needs and members through a relay that counts the calls, and has `calls`.
   */
  start(service: Service, signal?: AbortSignal, isRelayed?: boolean): Promise<RunningService>;
  readonly counting: CountingRuntime;
  /** Service with the limits of its programs, if these do not come only from the configuration. */
  withLimits?(service: Service): Service;
  /** Programs of a built service, with its needs. */
  built(service: Service): Promise<readonly BuiltProgram[]>;
  /** Wall time in ms of a fixed CPU loop on the service core, including the effect of other programs there. */
  control(signal: AbortSignal): Promise<number>;
}

export interface RuntimeOptions {
  /** Repository of the measured services; paths in manifests are relative to it. */
  readonly root: string;
  readonly tools: LoadTools;
  readonly limits: Limits;
  readonly cores: Cores;
  /** Reason for this runtime, which is recorded in the run. */
  readonly reason: string;
  /** Marks everything that is started, so that it can be found again: "<pid>:<start time of that process>". */
  readonly owner: string;
  readonly log: (line: string) => void;
  /** Values of placeholders in environment variables, except those of `needs`. */
  readonly lookups?: Lookups;
}

/** Folder with the static Linux binary `wiregauge-load`. */
export interface LoadTools {
  readonly folder: string;
  readonly source: 'cache' | 'release' | 'module' | 'image';
}
