import type { Json } from './json.ts';
import type { Records } from './records.ts';
import type { ProtocolName, ProtoSource } from './service.ts';

/** The names of the load generators; each has one file under `src/generators`. */
export type GeneratorName = 'ghz' | 'vegeta';

/** Where a generator sends one operation: the protocol's own words for it. */
export interface Target {
  /** Address and port as the load tool sees them: always an address of this machine. */
  readonly address: string;
  /** HTTP method and path with `{name}` placeholders filled in, or the gRPC call; one per argument, taken in turn. */
  readonly requests: readonly TargetRequest[];
  readonly proto: ProtoSource | undefined;
}

export interface TargetRequest {
  /** "GET /user/1" for HTTP, "user.v1.UserService/GetUser" for gRPC. */
  readonly call: string;
  /** The message of a gRPC call; undefined where the call says it all. */
  readonly body: Json | undefined;
}

/** Requests of one operation, at one pace, for one stage of a slot. */
export type Load = OpenLoad | SaturatingLoad;

/** A fixed arrival rate with a bound on the requests in flight. */
export interface OpenLoad {
  readonly kind: 'open';
  readonly target: Target;
  /** A whole number, since ghz takes no other; requests = ratePerSecond * seconds. */
  readonly ratePerSecond: number;
  readonly seconds: number;
  readonly workers: number;
  readonly timeoutSeconds: number;
  /**
   * Moves each request to a random moment of its own interval; undefined for an even schedule. Only the driver can do so. Even
   * schedules keep step with each other and with the kernel's timer, in another phase in each block.
   */
  readonly jitterSeed?: number | undefined;
}

/** A closed loop without think time. */
export interface SaturatingLoad {
  readonly kind: 'saturate';
  readonly target: Target;
  readonly workers: number;
  readonly seconds: number;
  readonly timeoutSeconds: number;
}

/** A load tool's command: run in an empty folder that holds `inputs`, it leaves its raw records in `output`. */
export interface LoadCommand {
  readonly tool: GeneratorName;
  readonly arguments: readonly string[];
  /** Text of each file to be written before the start, by its path relative to the folder. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Path of the raw records, relative to the folder. */
  readonly output: string;
  /** After this many seconds the tool has hung and is ended. */
  readonly limitSeconds: number;
}

/** Reads a tool's raw records piece by piece, so that a million of them never sit in memory as text. */
export interface RecordReader {
  push(chunk: Uint8Array): void;
  /** All records read so far, in order of their start; `cutOff` where the output ended in the middle of a record. */
  finish(): { readonly records: Records; readonly cutOff: boolean };
}

/** A load generator: what it drives, its command for a load, and a reader of its raw records. All pure. */
export interface Generator {
  readonly name: GeneratorName;
  readonly drives: ProtocolName;
  /**
   * `label` keeps the files of commands that run side by side in one folder apart ([a-z0-9-]+).
   */
  command(load: Load, label: string): LoadCommand;
  reader(): RecordReader;
}
