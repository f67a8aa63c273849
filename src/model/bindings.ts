import type { Json } from '../foundation/index.ts';

/** How an operation is asked for over HTTP. `{name}` in the path, in values of headers and in texts of the body is an argument's. */
export interface RestBinding {
  readonly method: string;
  readonly path: string;
  /** These come before the service's own. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RestBody | undefined;
  readonly expect: RestExpectation;
  /** The time that a request may take, until its answer has ended; undefined for the usual. */
  readonly deadlineMs?: number | undefined;
}

export type RestBody =
  | { readonly kind: 'json'; readonly json: Json }
  | { readonly kind: 'text'; readonly text: string }
  /** A file's content, sent as it is. */
  | { readonly kind: 'file'; readonly file: string; readonly base64: string };

/** What an answer must be like. */
export interface RestExpectation {
  readonly status: readonly StatusRange[];
  /** A media type, without its parameters. */
  readonly contentType: string | undefined;
  /** A text that the body has somewhere in it. */
  readonly contains: string | undefined;
  /** The protobuf message that the body is, in protobuf or in its JSON form: "user.v1.User". */
  readonly message?: string | undefined;
}

/** How an operation is asked for over gRPC. `{name}` in texts of a message is an argument's. */
export interface GrpcBinding {
  /** "user.v1.UserService/GetUser". */
  readonly call: string;
  /** These come before the service's own. The value of a name that ends in -bin is base64. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** The time that a call, or a whole stream, may take; undefined for the usual. */
  readonly deadlineMs?: number | undefined;
  /** One message; or, for a method that takes a stream, the messages of each stream. Undefined: the arguments are the message. */
  readonly message?: { readonly one: Json } | { readonly stream: readonly Json[] } | undefined;
}

/** Status codes from one to another, both included: 200 to 299 for 2xx. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

/** What counts as success where an operation says nothing else. */
export const SUCCESS: readonly StatusRange[] = [{ from: 200, to: 299 }];

/** Whether a status is one of those. */
export function isExpected(status: number, ranges: readonly StatusRange[]): boolean {
  return ranges.some(({ from, to }) => status >= from && status <= to);
}

/** The ranges as one would write them: "2xx, 404". */
export function statusText(ranges: readonly StatusRange[]): string {
  return ranges.map(({ from, to }) => (from === to ? String(from) : `${from / 100}xx`)).join(', ');
}

/** What a request carries: text that is sent as UTF-8, or bytes. */
export type Content = { readonly text: string } | { readonly base64: string };

/** The body of an HTTP answer, once what it was compressed with is undone. */
export interface Answer {
  /** "text/html; charset=utf-8"; undefined where the service says none. */
  readonly contentType: string | undefined;
  /** Where a redirect leads to. */
  readonly location: string | undefined;
  readonly text: string;
  readonly bytes: number;
  /** Hexadecimal, of the bytes. */
  readonly sha256: string;
}
