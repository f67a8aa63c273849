import type { Json } from '../foundation/json.ts';
import type { MetricName } from './metric.ts';
import type { Pace } from './plan.ts';
import type { FailureCount } from './run/sample.ts';
import type { Connection } from './service.ts';
import type { Answer, Content, StatusRange } from './suite/http.ts';
import type { StreamSettings } from './suite/suite.ts';

/** Records of one load in order of sending, as columns in ms; starts count from `originMs`, Unix time. */
export interface Records {
  readonly originMs: number;
  /** Scheduled times; undefined in a closed loop, which has no schedule. */
  readonly dueMs?: Float64Array | undefined;
  readonly startMs: Float64Array;
  /** From sending to the end of the response. */
  readonly latencyMs: Float64Array;
  /** 0 for an expected response, else 1 + index into `failureKinds`. */
  readonly failure: Uint16Array;
  /** For example "HTTP 503", "Unavailable", "timeout"; never a raw error text of unbounded length. */
  readonly failureKinds: readonly string[];
  /** From sending to the first message of the response; undefined if no response is a stream. NaN for one without messages. */
  readonly firstMs?: Float64Array | undefined;
}

/** Projects whose libraries send the load. */
export type LoadToolName = 'ghz' | 'vegeta';

export type GeneratorName = LoadToolName | 'websocket';

export interface Target {
  /** Address and port for the load tool: always an address of this machine. */
  readonly address: string;
  /** HTTP method and path with `{name}` placeholders filled in, or the gRPC call; one per argument, used in turn. */
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
  /** Message of a gRPC call, or the list of messages of a stream; undefined if the call is sufficient. */
  readonly body: Json | undefined;
  /** Encoded messages of a gRPC call, in base64; undefined before they are encoded. */
  readonly messages?: readonly string[] | undefined;
  /** Headers of an HTTP request, or of the handshake before a message, with names in the case of Content-Type. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Body of an HTTP request, or a message. */
  readonly content?: Content | undefined;
  /** For an HTTP request: the protobuf message of its response. */
  readonly answerMessage?: string | undefined;
  /** Metadata of a gRPC call, with lower-case names; the value of one that ends in -bin is base64. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Time limit, until the end of its response; undefined for the default. */
  readonly deadlineMs?: number | undefined;
  /** For a persisted query: its text, for a service that does not know it yet. */
  readonly introduction?: TargetRequest | undefined;
  readonly socket?: SocketSettings | undefined;
}

/** Settings of a WebSocket connection, and the key that identifies responses. */
export interface SocketSettings {
  readonly subprotocols: readonly string[];
  /** Key of the number that a message and its response share; undefined if messages are answered in order. */
  readonly correlation?: string | undefined;
  /** True if that number is sent as a text. */
  readonly isText?: boolean | undefined;
  /** Key that a response must have. */
  readonly answer?: string | undefined;
}

/** Load of one operation: its share of a pace. */
export type Load = OpenLoad | LoopLoad;

interface OperationLoad {
  readonly target: Target;
  /** No request is sent later than this after the first. */
  readonly seconds: number;
  readonly timeoutSeconds: number;
  /** True if its connections are opened for it alone, and closed when it is over; undefined: others of the same kind share them. */
  readonly fresh?: boolean | undefined;
}

/** Load at an arrival rate, a whole number: requests = ratePerSecond * seconds. */
export type OpenLoad = OperationLoad &
  Extract<Pace, { readonly kind: 'open' }> & {
    /** Shifts each request within its interval: even schedules stay in step with each other and with the kernel's timer. */
    readonly jitterSeed?: number | undefined;
    /** Requests of the schedule that are sent; undefined for all. */
    readonly share?: LoadShare | undefined;
  };

type LoopLoad = OperationLoad &
  Exclude<Pace, { readonly kind: 'open' }> & {
    /** Share of the requests of a loop: each worker takes the next operation by these weights. Undefined: a separate loop. */
    readonly weight?: number | undefined;
  };

/** Every `of`th request, from `index` on: the share of one load generator among several. */
export interface LoadShare {
  readonly index: number;
  readonly of: number;
}

/** Size of a share of a whole number. All shares together have exactly that number. */
export function partOf(whole: number, { index, of }: LoadShare): number {
  return Math.floor((whole + of - 1 - index) / of);
}

/** Response: the protocol's status word ("200", "OK", "NOT_FOUND") and the message or body. */
export interface Reply {
  readonly status: string;
  readonly body: Json | undefined;
  /** Body of an HTTP response, JSON or not. */
  readonly answer?: Answer | undefined;
  /** Message of a gRPC status that is not OK. */
  readonly detail?: string | undefined;
  /** Reason that it is truncated, such as "longer than 4194304 bytes": only the beginning, or nothing, is kept. */
  readonly cut?: string | undefined;
}

/** Raw records of one operation in one block, and their planned schedule. */
export interface ScheduledRecords {
  readonly operation: string;
  readonly records: Records;
  readonly ratePerSecond: number | undefined;
  readonly planned: number | undefined;
  readonly messages?: number | undefined;
  /** Requests that its generator may have in flight. */
  readonly workers: number;
}

/** Measured part of a trial, in Unix milliseconds: from (inclusive) to (exclusive). */
export interface MeasuredWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Summary of the records of a window; the readings of the machine are added by the caller. */
export interface RecordSummary {
  /** latency*, recorded*, lag*, achievedRps, errorRate, and for streams firstMessage* and messagesPerSecond. */
  readonly values: Readonly<Partial<Record<MetricName, number>>>;
  readonly histogram: string;
  readonly requests: number;
  readonly failures: readonly FailureCount[];
  readonly offeredRps: number | undefined;
  readonly droppedRequests: number;
  /** Longest time in the window with requests waiting and none answered, in milliseconds. */
  readonly longestStallMs: number;
}

export interface LoadEnd {
  readonly startedMs: number;
  readonly endedMs: number;
  /** Reason that it could not be sent; empty if it was. */
  readonly complaint: string;
  readonly isOverTime: boolean;
  /** Content of the record file; empty if the file is missing. */
  records(): Promise<Uint8Array>;
  /** Undefined if one generator, with the service's clock, sends the load. */
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
