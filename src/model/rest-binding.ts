import type { Json } from '../foundation/json.ts';
import type { StatusRange } from './http.ts';

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
