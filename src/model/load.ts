import type { Json } from '../foundation/json.ts';
import type { MetricName } from './metric.ts';
import type { FailureCount } from './run/sample.ts';
import type { Connection } from './service.ts';
import type { Answer, Content, StatusRange } from './suite/http.ts';
import type { OverNetwork } from './suite/network.ts';
import type { StreamSettings } from './suite/stream.ts';
import type { UserStage } from './suite/suite.ts';

/** Records of one load in order of sending, as columns in ms; starts count from `originMs`, Unix time. */
export interface Records {
  readonly originMs: number;
  /** By the schedule; undefined in a closed loop, which has none. */
  readonly dueMs?: Float64Array | undefined;
  readonly startMs: Float64Array;
  /** From the moment of sending to the end of the answer. */
  readonly latencyMs: Float64Array;
  /** 0 for an answer as it should be, else 1 + index into `failureKinds`. */
  readonly failure: Uint16Array;
  /** For example "HTTP 503", "Unavailable", "timeout"; never a raw error text of unbounded length. */
  readonly failureKinds: readonly string[];
  /** From the moment of sending to the first message of the answer; undefined if no answer is a stream. NaN for one that has none. */
  readonly firstMs?: Float64Array | undefined;
}

/** Projects whose libraries send the load. */
export type LoadToolName = 'ghz' | 'vegeta';

export type GeneratorName = LoadToolName | 'websocket';

export interface Target {
  /** Address and port as the load tool sees them: always an address of this machine. */
  readonly address: string;
  /** HTTP method and path with `{name}` placeholders filled in, or the gRPC call; one per argument, taken in turn. */
  readonly requests: readonly TargetRequest[];
  /** Sides of a gRPC call that are streams; undefined for other protocols, and before the messages are encoded. */
  readonly method?: { readonly clientStreams: boolean; readonly serverStreams: boolean } | undefined;
  /** Undefined for HTTP/1.1, or gRPC, without TLS. */
  readonly connection?: Connection | undefined;
  readonly expected?: readonly StatusRange[] | undefined;
  /** Check of each response in addition to its status: `graphql` fails one with `errors` or without `data`. */
  readonly checked?: 'graphql' | undefined;
  readonly stream?: StreamSettings | undefined;
}

export interface TargetRequest {
  /** "GET /user/1" for HTTP, "user.v1.UserService/GetUser" for gRPC, "TEXT /chat" or "BINARY /chat" for a message over a WebSocket. */
  readonly call: string;
  /** The message of a gRPC call, or a list of those of a stream; undefined if the call says it all. */
  readonly body: Json | undefined;
  /** Encoded messages of a gRPC call, in base64; undefined before they are encoded. */
  readonly messages?: readonly string[] | undefined;
  /** For an HTTP request, or of the handshake before a message: names as Content-Type has them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body of an HTTP request, or a message. */
  readonly content?: Content | undefined;
  /** For an HTTP request: the protobuf message of its response. */
  readonly answerMessage?: string | undefined;
  /** For a gRPC call, by names in small letters; the value of one that ends in -bin is base64. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** The time that it may take, until its answer has ended; undefined for the usual. */
  readonly deadlineMs?: number | undefined;
  /** For a persisted query: the text for a service that does not know it yet. */
  readonly introduction?: TargetRequest | undefined;
  readonly socket?: SocketSettings | undefined;
}

/** Settings of a WebSocket connection, and the key that identifies responses. */
export interface SocketSettings {
  readonly subprotocols: readonly string[];
  /** The key of the number that a message and its answer have in common; undefined if each message is answered in turn. */
  readonly correlation?: string | undefined;
  /** True if that number is sent as a text. */
  readonly isText?: boolean | undefined;
  /** The key that an answer has to have. */
  readonly answer?: string | undefined;
}

export type Load = OpenLoad | SaturatingLoad | UsersLoad | StagesLoad;

interface AnyLoad extends OverNetwork {
  readonly target: Target;
  readonly seconds: number;
  readonly workers: number;
  readonly timeoutSeconds: number;
  /** True if its connections are opened for it alone, and closed when it is over; undefined: others of the same kind use them, too. */
  readonly fresh?: boolean | undefined;
}

export interface OpenLoad extends AnyLoad {
  readonly kind: 'open';
  /** A whole number; requests = ratePerSecond * seconds. */
  readonly ratePerSecond: number;
  /** Moves each request within its own interval: even schedules keep step with each other and with the kernel's timer. */
  readonly jitterSeed?: number | undefined;
  /** The requests of the schedule that are sent; undefined for all. */
  readonly share?: LoadShare | undefined;
}

/** Every `of`th of a whole, from `index` on: that of one load generator among several. */
export interface LoadShare {
  readonly index: number;
  readonly of: number;
}

/** Size of a share of a whole number. All shares together have exactly that number. */
export function partOf(whole: number, { index, of }: LoadShare): number {
  return Math.floor((whole + of - 1 - index) / of);
}

export interface SaturatingLoad extends LoopPart {
  readonly kind: 'saturate';
}

interface LoopPart extends AnyLoad {
  /** Its share of the requests of a loop: each worker takes the next operation by these weights. Undefined: a loop of its own. */
  readonly weight?: number | undefined;
}

/** A closed loop of users who begin one after the other; see ClosedTier. Each is one worker, with one request in flight at most. */
export interface UsersLoad extends LoopPart {
  readonly kind: 'users';
  /** undefined: as many as are answered in the time. No request is sent later than `seconds` after the first. */
  readonly requestsPerUser: number | undefined;
  readonly rampSeconds: number;
}

/** A closed loop of users who come and go, and think; see StagesTier. Its workers are those of its operation, its seconds those of all stages. */
export interface StagesLoad extends LoopPart {
  readonly kind: 'stages';
  /** For the loop that it forms with the others of its block. */
  readonly stages: readonly UserStage[];
  readonly thinkSeconds: number;
}

/** Response: the protocol's status word ("200", "OK", "NOT_FOUND") and the message or body. */
export interface Reply {
  readonly status: string;
  readonly body: Json | undefined;
  /** The body of an HTTP answer, JSON or not. */
  readonly answer?: Answer | undefined;
  /** Message of a gRPC status that is not OK. */
  readonly detail?: string | undefined;
  /** That there was more of it than is kept, "longer than 4194304 bytes": what is here is the beginning, or nothing. */
  readonly cut?: string | undefined;
}

/** Raw records of one operation in one block, and the schedule that they were to follow. */
export interface ScheduledRecords {
  readonly operation: string;
  readonly records: Records;
  readonly ratePerSecond: number | undefined;
  readonly planned: number | undefined;
  readonly messages?: number | undefined;
  /** Requests that its generator may have in flight. */
  readonly workers: number;
}

/** The part of a trial that counts, in Unix milliseconds: from (inclusive) to (exclusive). */
export interface MeasuredWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Summary of the records of a window; the readings of the machine are added by the caller. */
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

export interface LoadEnd {
  readonly startedMs: number;
  readonly endedMs: number;
  /** Why it could not be sent; empty if it was. */
  readonly complaint: string;
  readonly isOverTime: boolean;
  /** Content of the record file, or nothing if the file is missing. */
  records(): Promise<Uint8Array>;
  /** Undefined if one generator sends the load, by the clock of the service. */
  readonly generator?: GeneratorEnd | undefined;
}

export interface GeneratorEnd {
  /** Its share of the load. */
  readonly load: Load;
  /** Its clock minus that of the service. */
  readonly aheadMs: number;
  /** Reports the share of its requests that it sent late although it had free workers. */
  late(share: number): void;
}

export interface BlockLoad {
  readonly tool: GeneratorName;
  readonly load: Load;
}
