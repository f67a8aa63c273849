import type { Lookups } from '../foundation/placeholders.ts';
import type { Reading } from '../model/counters.ts';
import type { GeneratorName, Load, LoadCommand, TargetRequest } from '../model/load.ts';
import type { Reply } from '../model/protocol.ts';
import type { RunnerFingerprint } from '../model/runner.ts';
import type { Service } from '../model/service.ts';

/** Limits of one service; the load tool has the same. */
export interface Limits {
  readonly cpus: number;
  readonly memoryMiB: number;
}

/** One run of a load tool that ended. */
export interface LoadEnd {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly exitCode: number;
  /** The last lines of what it printed on standard error. */
  readonly complaint: string;
  /** The raw records, in pieces; empty where the tool left none. */
  records(): AsyncIterable<Uint8Array>;
}

/** One load of a block, and the tool that plays it. */
export interface BlockLoad {
  readonly tool: GeneratorName;
  readonly load: Load;
}

/** A service that was started for one slot. Disposing of it stops it and removes whatever it left. */
export interface RunningService extends AsyncDisposable {
  /** `host:port` as this program reaches the service. */
  readonly address: string;
  /** `host:port` as the load tool reaches it; an address of this machine. */
  readonly loadAddress: string;
  /** Settles with a sentence when the service ends by itself; never rejects. */
  readonly ended: Promise<string>;
  /** Settles when something that it needs ends by itself; undefined where it needs nothing. Never rejects. */
  readonly needEnded?: Promise<NeedEnd> | undefined;
  reading(): Promise<Reading>;
  /** Runs the commands side by side on the load tool's core; a signal that aborts ends them. */
  load(commands: readonly LoadCommand[], signal: AbortSignal): Promise<readonly LoadEnd[]>;
  /**
   * Plays the loads side by side for one block, all from the same instant, by a driver that stays up between blocks; the first
   * call starts it. An abort ends it and rejects with the signal's reason. Throws MeasurementError where the driver ends.
   */
  play(loads: readonly BlockLoad[], signal: AbortSignal): Promise<readonly LoadEnd[]>;
  /** The last lines that the service printed. */
  logs(): Promise<string>;
  /** Runs a command in the service's container, or beside it; gives why it did not succeed, undefined where it did. */
  tries(command: readonly string[]): Promise<string | undefined>;
}

/** How the end of a service, or of what it needs, is told where it used more memory than it may. */
export const OUT_OF_MEMORY = 'ran out of memory (OOM)';

/** How something that a service needs ended. */
export interface NeedEnd {
  readonly name: string;
  readonly sentence: string;
}

/** Builds and starts services: containers or plain processes. */
export interface Runtime extends AsyncDisposable {
  readonly name: 'docker' | 'process';
  /** Why this one, where the user left the choice: one sentence for the log. */
  readonly reason: string;
  readonly runner: RunnerFingerprint;
  /** Builds all services and readies the load tools before anything is measured. */
  prepare(services: readonly Service[], signal: AbortSignal): Promise<void>;
  /**
   * Starts the service anew, with what it needs ready before; it need not be ready itself yet. One that already runs is found at its
   * address. Throws MeasurementError, naming it, where something that it needs does not get ready.
   */
  start(service: Service, signal?: AbortSignal): Promise<RunningService>;
  /** Wall time in ms of a fixed CPU loop on the service core, with whatever else runs there. */
  control(signal: AbortSignal): Promise<number>;
}

/** One real request, for readiness and verification. Rejects where the call itself fails. */
export interface Client {
  call(service: Service, address: string, request: TargetRequest): Promise<Reply>;
  /**
   * The service with its contract in hand, for the load tools: one that tells it by reflection is asked for it at this address, once.
   * Any other comes back as it is. Throws ConfigError where it has no reflection.
   */
  described(service: Service, address: string): Promise<Service>;
}

export interface Clock {
  /** Unix time, which an administrator or a time service may set. */
  nowMs(): number;
  /** Milliseconds since some moment of the past; nothing sets it. */
  steadyMs(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Shows what is going on; on a terminal as a bar, elsewhere as plain lines. */
export interface Progress {
  /** Begins a chapter of the log, which ends the one before. */
  chapter(title: string): void;
  /** One line that stays. */
  line(text: string): void;
  /** The state of the moment; `done` and `total` in seconds of planned time. */
  show(state: ProgressState): void;
  finish(): void;
}

export interface ProgressState {
  readonly doneSeconds: number;
  readonly totalSeconds: number;
  readonly label: string;
  readonly phase: string;
  /** Too short-lived for a line of its own: shown only where one line is redrawn. */
  readonly isFleeting?: boolean;
  readonly offeredRps: number | undefined;
  readonly achievedRps: number | undefined;
}

/** Files of the run's output folder; a write appears whole or not at all. */
export interface OutputFolder {
  write(name: string, text: string): Promise<string>;
}

/** What a runtime is opened with. */
export interface RuntimeOptions {
  /** The repository whose services are measured; paths in manifests are relative to it. */
  readonly root: string;
  readonly tools: LoadTools;
  readonly limits: Limits;
  readonly cores: Cores;
  /** Why this runtime: recorded in the run. */
  readonly reason: string;
  /** Marks whatever is started, so that it can be found again: "<pid>:<start time of that process>". */
  readonly owner: string;
  /** One line for the log. */
  readonly log: (line: string) => void;
  /** What placeholders in environment variables stand for, those of `needs` left out. */
  readonly lookups?: Lookups;
}

/** The cores that the service and the load tool are kept to, by their number; what a service needs runs beside the load tool. */
export interface Cores {
  readonly service: number;
  readonly load: number;
}

/** Where the pinned load tools lie: a folder with the static Linux binaries `ghz` and `vegeta`. */
export interface LoadTools {
  readonly folder: string;
  readonly versions: Readonly<Record<GeneratorName, string>>;
  readonly source: 'cache' | 'release' | 'module' | 'image';
  /** The folder with the driver `wiregauge-load`, which plays blocks and the control loop; only where it was asked for. */
  readonly driverFolder?: string;
}
