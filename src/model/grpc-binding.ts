import type { Json } from '../foundation/json.ts';

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
