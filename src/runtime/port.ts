import type { Lookups } from '../foundation/placeholders.ts';
import type { Cores } from '../host/machine/machine.ts';
import type { BlockLoad, LoadEnd, LoadToolName } from '../model/load.ts';
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

/** A service that was started for one trial. Disposing of it stops it and removes whatever it left. */
export interface RunningService extends AsyncDisposable {
  /** `host:port` as this program reaches the service. */
  readonly address: string;
  /** `host:port` as the load tool reaches it; an address of this machine. */
  readonly loadAddress: string;
  /** The folder that it was started in from here, or that its image was built in; undefined if it was not started from here. */
  readonly folder?: string | undefined;
  /** Unix time in ms at which its program was started, the entry if it has several; undefined if that was not from here. */
  readonly startedAtMs?: number | undefined;
  /** Settles when the service ends unexpectedly; never rejects. */
  readonly ended: Promise<Ended>;
  /** Settles when another of its members, or a need, ends unexpectedly; undefined if there is neither. Never rejects. */
  readonly needEnded?: Promise<NeedEnd> | undefined;
  /** Another member of the service that no longer passes its check, with its last lines; undefined if all pass, or the service has no other member. */
  ailing?(): Promise<string | undefined>;
  /** Lets its program use all cores until that is disposed of; undefined if that is not possible. */
  readonly onAllCores?: (() => Promise<AsyncDisposable>) | undefined;
  /** True if the kernel limits its CPU time by a quota every 100 ms, of which it has a whole one unused at the start of a block. */
  readonly hasCpuQuota?: boolean | undefined;
  /** CPU time so far of it, its members and what it needs; left out if it was not started from here. */
  cpuSeconds?(): Promise<number>;
  reading(): Promise<Reading>;
  /** Runs the loads of one block from the same instant, by a driver that the first call starts: ends of all loads, generator by generator. An abort rejects. */
  play(loads: readonly BlockLoad[], signal: AbortSignal): Promise<readonly LoadEnd[]>;
  /** Counts of the service since the last call, if it runs under a counter. */
  readonly counts?: ((detail?: CountDetail) => Promise<Counts>) | undefined;
  /** Calls to what it needs and to its members since the last time; undefined if it was not started behind a relay. */
  readonly calls?: (() => Promise<readonly NeedCalls[]>) | undefined;
  /** The pages with figures of its own of each program that has one; undefined if none has. Never rejects. */
  readonly pages?: (() => Promise<readonly ProgramPage[]>) | undefined;
  /** The first process of each of its programs, by its number on this machine; undefined if they cannot be seen from here. */
  readonly processes?: readonly number[] | undefined;
  /** Names of its programs that have left its process tree, as daemons do, so that their use is not counted. */
  readonly escaped?: (() => readonly string[]) | undefined;
  /** The last lines that the service printed, 400 by default; with about 20 characters a line. */
  logs(lines?: number): Promise<string>;
  /** Runs a command in the service's container, or in the environment of its process; returns the reason of a failure, undefined on success. */
  tries(command: readonly string[]): Promise<string | undefined>;
}

export interface Counts {
  readonly instructions: number;
  /** Its calls of the kernel. */
  readonly syscalls: number;
  /** Calls of functions that allocate memory, as far as their names are known. */
  readonly allocations: number;
  /** Number of its programs that began and ended since the last call, and were not counted. */
  readonly uncounted: number;
  /** Its functions with the highest counts, if requested and known. */
  readonly functions?: readonly ExecutedFunction[];
  /** The same by who called whom; the calls of each program of a service of several are below its name. */
  readonly calls?: readonly ExecutedCall[];
  /** Share of each program of a service of several, by its name. */
  readonly members?: Readonly<Record<string, Pick<Counts, 'instructions' | 'syscalls'>>>;
}

/** Detail of the counts, in all modes of the driver. After a pause, counting resumes with the next request. */
export type CountDetail = 'counts' | 'functions' | 'pause';

/** Counter: only counts of the same are comparable. */
export interface Counter {
  readonly name: 'valgrind';
  readonly version: string;
  /** Architecture with the features that the processor lacks, of those that Valgrind shows: "x64", "x64 without avx2". */
  readonly architecture: string;
}

/** Starts services to be counted. Throws EnvironmentError if nothing on this machine counts. */
export interface CountingRuntime {
  counter(): Promise<Counter>;
  /** Starts a service as Runtime.start does, some ten times slower, and with `counts`, at whose first call it begins to count and to be some fifty times slower. */
  start(service: Service, options?: CountingOptions): Promise<RunningService>;
}

export interface CountingMode {
  /** They count from their start on, and so does every program that they start later. */
  readonly isFromStart?: boolean | undefined;
  /** Functions are named: each stack of calls is counted separately, and runtimes write the addresses of the functions that they compile. */
  readonly hasFunctions?: boolean | undefined;
}

export interface CountingOptions extends CountingMode {
  readonly signal?: AbortSignal;
  /** The service runs on the load tool's core, and its load tool on the service's: so two are counted at once, with a core each. */
  readonly exchangesCores?: boolean;
}

export interface Runtime extends AsyncDisposable {
  readonly name: Place['runtime'];
  /** Why this one, if the user left the choice: one sentence for the log. */
  readonly reason: string;
  readonly runner: RunnerFingerprint;
  /** Builds all services and readies the load tools before anything is measured. */
  prepare(services: readonly Service[], signal: AbortSignal): Promise<void>;
  /**
   * Starts the service anew, after its needs are ready; it need not be ready itself yet. One that already runs is found at its address. The load
   * driver may still be starting: reading and play wait for it, and throw EnvironmentError if it cannot be started. Throws MeasurementError,
   * naming the need, if one does not get ready. A relayed service reaches its needs and members by a relay that counts the calls, and has `calls`.
   */
  start(service: Service, signal?: AbortSignal, isRelayed?: boolean): Promise<RunningService>;
  readonly counting: CountingRuntime;
  /** Service with the limits that its programs get, where these are not only those of the configuration. */
  withLimits?(service: Service): Service;
  /** Programs of a service that was built, with what it needs. */
  built(service: Service): Promise<readonly BuiltProgram[]>;
  /** Wall time in ms of a fixed CPU loop on the service core, with whatever else runs there. */
  control(signal: AbortSignal): Promise<number>;
}

export interface RuntimeOptions {
  /** The repository whose services are measured; paths in manifests are relative to it. */
  readonly root: string;
  readonly tools: LoadTools;
  readonly limits: Limits;
  readonly cores: Cores;
  /** Why this runtime: recorded in the run. */
  readonly reason: string;
  /** Marks everything that is started, so that it can be found again: "<pid>:<start time of that process>". */
  readonly owner: string;
  /** One line for the log. */
  readonly log: (line: string) => void;
  /** Values of placeholders in environment variables, those of `needs` left out. */
  readonly lookups?: Lookups;
}

/** Where the load driver is: a folder with the static Linux binary `wiregauge-load`, and the versions of the libraries in it. */
export interface LoadTools {
  readonly folder: string;
  readonly versions: Readonly<Record<LoadToolName, string>>;
  readonly source: 'cache' | 'release' | 'module' | 'image';
}
