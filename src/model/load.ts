import type { Json } from '../foundation/index.ts';
import type { FailureCount, MetricName } from './metric.ts';
import type { Connection, Contract, Transport } from './service.ts';
import type { Answer, Content, StatusRange } from './suite/http.ts';
import type { OverNetwork } from './suite/network.ts';
import type { StreamSettings } from './suite/stream.ts';
import type { UserStage } from './suite/suite.ts';

/**
 * Raw records of one load tool run, as columns of equal length, ordered by start.
 * Times are in milliseconds; starts count from `originMs`, which is Unix time.
 */
export interface Records {
  readonly originMs: number;
  readonly startMs: Float64Array;
  /** As the tool recorded it: from the moment of sending to the end of the answer. */
  readonly latencyMs: Float64Array;
  /** 0 for an answer as it should be, else 1 + index into `failureKinds`. */
  readonly failure: Uint16Array;
  /** For example "HTTP 503", "Unavailable", "timeout"; never a raw error text of unbounded length. */
  readonly failureKinds: readonly string[];
  /** From the moment of sending to the first message of the answer; undefined if no answer is a stream. NaN for one that has none. */
  readonly firstMs?: Float64Array | undefined;
}

/** The programs that send load, besides the driver. */
export type LoadToolName = 'ghz' | 'vegeta';

/** The names of the load generators. A WebSocket is loaded by the driver alone. */
export type GeneratorName = LoadToolName | 'websocket';

/** Where a generator sends one operation: the protocol's own words for it. */
export interface Target {
  /** Address and port as the load tool sees them: always an address of this machine. */
  readonly address: string;
  /** HTTP method and path with `{name}` placeholders filled in, or the gRPC call; one per argument, taken in turn. */
  readonly requests: readonly TargetRequest[];
  readonly proto: Contract | undefined;
  /** Undefined for HTTP/1.1, or gRPC, without TLS. */
  readonly connection?: Connection | undefined;
  /** The statuses of HTTP that are no failure; undefined for 2xx. */
  readonly expected?: readonly StatusRange[] | undefined;
  /** What each answer is read for, besides its status: `graphql` has one with `errors`, or without `data`, as a failure. Only the driver can do so. */
  readonly checked?: 'graphql' | undefined;
  /** What each answer has to be like, if it is a stream. Only the driver looks at it. */
  readonly stream?: StreamSettings | undefined;
}

export interface TargetRequest {
  /** "GET /user/1" for HTTP, "user.v1.UserService/GetUser" for gRPC, "TEXT /chat" or "BINARY /chat" for a message over a WebSocket. */
  readonly call: string;
  /** The message of a gRPC call, or a list of those of a stream; undefined if the call says it all. */
  readonly body: Json | undefined;
  /** Of an HTTP request, or of the handshake before a message: names as Content-Type has them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body of an HTTP request, or a message. */
  readonly content?: Content | undefined;
  /** Of an HTTP request: the protobuf message that its answer is said to be. */
  readonly answerMessage?: string | undefined;
  /** Of a gRPC call, by names in small letters; the value of one that ends in -bin is base64. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** The time that it may take, until its answer has ended; undefined for the usual. */
  readonly deadlineMs?: number | undefined;
  /** Of a persisted query: what tells it to a service that does not know it. */
  readonly introduction?: TargetRequest | undefined;
  /** Of a message over a WebSocket. */
  readonly socket?: SocketSettings | undefined;
}

/** What a connection of a WebSocket is asked for, and how the answer to a message is known. */
export interface SocketSettings {
  readonly subprotocols: readonly string[];
  /** The key of the number that a message and its answer have in common; undefined if each message is answered in turn. */
  readonly correlation?: string | undefined;
  /** Whether that number is sent as a text. */
  readonly isText?: boolean | undefined;
  /** The key that an answer has to have. */
  readonly answer?: string | undefined;
}

/** Requests of one operation, at one pace, for one stage of a slot. */
export type Load = ToolLoad | UsersLoad | StagesLoad;

/** What the load tools can be told on their command lines; the driver plays every load. */
export type ToolLoad = OpenLoad | SaturatingLoad;

/** A fixed arrival rate with a bound on the requests in flight. */
export interface OpenLoad extends OverNetwork {
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
export interface SaturatingLoad extends LoopPart {
  readonly kind: 'saturate';
  readonly target: Target;
  readonly workers: number;
  readonly seconds: number;
  readonly timeoutSeconds: number;
}

/** What an operation has of a closed loop that it forms with the others of its block. */
interface LoopPart extends OverNetwork {
  /**
   * Its share of the requests: each worker of the loop takes the next operation by these weights, so that an operation gets as many
   * requests as it is to have, however slow it is. The driver keeps them; to a load tool, and without a weight, each load is a loop
   * of its own.
   */
  readonly weight?: number | undefined;
}

/** A closed loop of users who begin one after the other; see ClosedTier. */
export interface UsersLoad extends LoopPart {
  readonly kind: 'users';
  readonly target: Target;
  /** As many as there are users, each with one request in flight at most. */
  readonly workers: number;
  /** undefined: as many as they get answered in the time. */
  readonly requestsPerUser: number | undefined;
  readonly rampSeconds: number;
  /** Whether its connections are opened for it alone, and closed when it is over; undefined: others of the same kind use them, too. */
  readonly fresh?: boolean | undefined;
  /** No request is sent later than this after the first. */
  readonly seconds: number;
  readonly timeoutSeconds: number;
}

/** A closed loop of users who come and go, and think; see StagesTier. */
export interface StagesLoad extends LoopPart {
  readonly kind: 'stages';
  readonly target: Target;
  /** Of its operation; of the loop there are as many as the stages say. */
  readonly workers: number;
  /** Of the loop that it forms with the others of its block. */
  readonly stages: readonly UserStage[];
  readonly thinkSeconds: number;
  /** Of all stages together. */
  readonly seconds: number;
  readonly timeoutSeconds: number;
}

/** A load tool's command: run in an empty folder that holds `inputs`, it leaves its raw records in `output`. */
export interface LoadCommand {
  readonly tool: LoadToolName;
  readonly arguments: readonly string[];
  /** Text of each file to be written before the start, by its path relative to the folder. */
  readonly inputs: Readonly<Record<string, string>>;
  /** The same for files that are no text: their bytes, in base64. */
  readonly binaryInputs?: Readonly<Record<string, string>> | undefined;
  /** Path of the raw records, relative to the folder. */
  readonly output: string;
  /** After this many seconds the tool has hung and is ended. */
  readonly limitSeconds: number;
}

/** Reads a tool's raw records piece by piece, so that a million of them never sit in memory as text. */
export interface RecordReader {
  push(chunk: Uint8Array): void;
  /** All records read so far, in order of their start; `cutOff` if the output ended in the middle of a record. */
  finish(): { readonly records: Records; readonly cutOff: boolean };
}

/** A load generator: what it drives, its command for a load, and a reader of its raw records. All pure. */
export interface Generator {
  readonly name: GeneratorName;
  readonly drives: Transport;
  /**
   * `label` keeps the files of commands that run side by side in one folder apart ([a-z0-9-]+). Not there if only the driver sends such load.
   */
  command?(load: ToolLoad, label: string): LoadCommand;
  /**
   * `expected` are the statuses of HTTP that are no failure; undefined for 2xx. `mask` hides secrets in texts of errors, before they are
   * made into kinds and cannot be known any more.
   */
  reader(expected?: Target['expected'], mask?: (text: string) => string): RecordReader;
}

/** A load generator with a program of its own. */
export type ToolGenerator = Generator & Required<Pick<Generator, 'command'>>;

/** What came back: the protocol's status word ("200", "OK", "NOT_FOUND") and the message or body. */
export interface Reply {
  readonly status: string;
  /** Undefined if it is not one, or no JSON. */
  readonly body: Json | undefined;
  /** The body of an HTTP answer, JSON or not. */
  readonly answer?: Answer | undefined;
  /** That there was more of it than is kept, "longer than 4194304 bytes": what is here is the beginning, or nothing. */
  readonly cut?: string | undefined;
}

/** Raw records of one operation in one stage, and the schedule that they were to follow. */
export interface ScheduledRecords {
  readonly operation: string;
  readonly records: Records;
  /** undefined in a closed loop, which has no schedule. */
  readonly ratePerSecond: number | undefined;
  /** Requests of the schedule; undefined in a closed loop. */
  readonly planned: number | undefined;
  /** Of a schedule whose requests were moved within their intervals; see OpenLoad. */
  readonly jitterSeed?: number | undefined;
  /** How many messages each answer has; undefined if they are no streams. */
  readonly messages?: number | undefined;
}

/** The part of a slot that counts, in Unix milliseconds: from (inclusive) to (exclusive). */
export interface MeasuredWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What the records of a window say; the readings of the machine are added by the caller. */
export interface RecordSummary {
  /** latency*, recorded*, lag*, achievedRps, errorRate, and of streams firstMessage* and messagesPerSecond. */
  readonly values: Readonly<Partial<Record<MetricName, number>>>;
  readonly histogram: string;
  readonly requests: number;
  readonly failures: readonly FailureCount[];
  readonly offeredRps: number | undefined;
  readonly droppedRequests: number;
  /** The longest time in the window with requests waiting and none answered, in milliseconds. */
  readonly longestStallMs: number;
}

/** One run of a load tool that ended. */
export interface LoadEnd {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly exitCode: number;
  /** The last lines of what it printed on standard error. */
  readonly complaint: string;
  /** The raw records, in pieces; empty if the tool left none. */
  records(): AsyncIterable<Uint8Array>;
}

/** One load of a block, and the tool that plays it. */
export interface BlockLoad {
  readonly tool: GeneratorName;
  readonly load: Load;
}
