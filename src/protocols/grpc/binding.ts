import * as z from 'zod';
import type { Json } from '../../foundation/json.ts';
import { deadlineMs, USUAL_DEADLINE } from '../http/headers.ts';
import { type BindingPlace, missingKey } from '../protocol.ts';

/** Request of an operation over gRPC. `{name}` in strings of a message is filled from the arguments. */
export interface GrpcBinding {
  /** Service and method: "user.v1.UserService/GetUser". */
  readonly call: string;
  /** Overrides that of the service. Values of names that end in -bin are base64. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly deadlineMs?: number | undefined;
  /** One message, or the messages of each stream of requests. Undefined: the arguments are the message. */
  readonly message?: { readonly one: Json } | { readonly stream: readonly Json[] } | RepeatedMessage | undefined;
}

/** Messages of a stream from one template, in which `{number}` counts from 1. */
export interface RepeatedMessage {
  readonly repeated: Json;
  readonly count: number;
}

const MAX_MESSAGES = 1000;

const MAX_REPEATED = 10_000;

const NOT_METADATA =
  /^(?:grpc-.*|content-type|user-agent|te|host|connection|transfer-encoding|keep-alive|upgrade|proxy-connection)$/;

export const metadata = z
  .record(
    z
      .string()
      .regex(/^[a-z0-9_.-]+$/, 'must be lower-case letters, digits, dots, dashes and underscores')
      .refine((key) => !NOT_METADATA.test(key), 'is set by gRPC itself'),
    z.string().regex(/^[\x20-\x7e]*$/, 'must be printable ASCII; for other bytes, use base64 and a name in -bin'),
  )
  .superRefine((all, context) => {
    const broken = Object.keys(all).find((key) => key.endsWith('-bin') && !isBinary(all[key] ?? ''));
    if (broken !== undefined) {
      context.addIssue({ code: 'custom', path: [broken], message: 'must be base64, because its name ends in -bin' });
    }
  });

/** The value of a variable is not known yet. */
function isBinary(value: string): boolean {
  return /\$\{(?:env|prepare)\./.test(value) || (value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value));
}

const call = z.string().regex(/^[\w.]+\/\w+$/, 'must be a service and a method, like user.v1.UserService/GetUser');

const message = z.record(z.string(), z.json());

const repeated = z
  .strictObject({
    count: z.int().min(1).max(MAX_REPEATED).describe('The number of messages.'),
    message: message.describe('The message, in which `{number}` and the arguments are filled in.'),
  })
  .transform((found): RepeatedMessage => ({ repeated: found.message, count: found.count }));

export interface GrpcSource extends Omit<GrpcBinding, 'call'> {
  readonly call?: string | undefined;
}

const whole = z
  .strictObject({
    call: call.optional().describe('Service and method, like `user.v1.UserService/GetUser`; required without `from`.'),
    metadata: metadata
      .optional()
      .describe('Overrides that of the service. Names are lower-case; values of names that end in `-bin` are base64.'),
    deadlineMs: deadlineMs
      .optional()
      .describe(`The time limit of a call or a whole stream, also sent to the service; ${USUAL_DEADLINE}`),
    message: message
      .optional()
      .describe('The message, in which `{name}` is filled from the arguments; default: each argument is a message.'),
    messages: z
      .union([z.array(message).min(1).max(MAX_MESSAGES), repeated], {
        error: `must be a list of 1 to ${MAX_MESSAGES} messages, or a map with \`count\` and \`message\``,
      })
      .optional()
      .describe(
        `For a stream of requests: 1 to ${MAX_MESSAGES} messages, or a map with \`count\`, up to ${MAX_REPEATED}, and a \`message\`, in which \`{number}\` counts from 1.`,
      ),
  })
  .refine(({ message: one, messages }) => one === undefined || messages === undefined, {
    path: ['messages'],
    error: 'cannot be combined with message: a method takes one message, or a stream of them',
  })
  .transform(
    ({ message: one, messages, ...rest }): GrpcSource => ({
      ...rest,
      message: messages === undefined ? one && { one } : Array.isArray(messages) ? { stream: messages } : messages,
    }),
  );

export const grpcSchema = z
  .union([call.transform((found): GrpcSource => ({ call: found })), whole], {
    error: 'must be a service and a method, like user.v1.UserService/GetUser, or a map with `call`',
  })
  .describe('Service and method, like `user.v1.UserService/GetUser`, or a map.');

export function grpcBindingOf({ call, ...more }: GrpcSource, { at }: BindingPlace): GrpcBinding {
  if (call === undefined) {
    throw missingKey(at('call'));
  }
  return { ...more, call };
}
