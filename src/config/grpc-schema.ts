import { z } from 'zod';
import { path } from './names.ts';

/** More would be a load of its own. */
const MOST_MESSAGES = 1000;

const NOT_METADATA =
  /^(?:grpc-.*|content-type|user-agent|te|host|connection|transfer-encoding|keep-alive|upgrade|proxy-connection)$/;

/** Metadata of calls: what headers are to HTTP. */
export const metadata = z
  .record(
    z
      .string()
      .regex(/^[a-z0-9_.-]+$/, 'must be small letters, digits, dots, dashes and underscores')
      .refine((key) => !NOT_METADATA.test(key), 'is set by gRPC itself'),
    z.string().regex(/^[\x20-\x7e]*$/, 'must be printable ASCII; a name that ends in -bin takes any bytes, in base64'),
  )
  .superRefine((all, context) => {
    const broken = Object.keys(all).find((key) => key.endsWith('-bin') && !isBinary(all[key] ?? ''));
    if (broken !== undefined) {
      context.addIssue({ code: 'custom', path: [broken], message: 'must be base64, since its name ends in -bin' });
    }
  });

/** A value out of the environment is known only later. */
function isBinary(value: string): boolean {
  return value.includes('${env.') || (value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value));
}

const call = z.string().regex(/^[\w.]+\/\w+$/, 'must be a service and a method, like user.v1.UserService/GetUser');

const message = z.record(z.string(), z.json());

const whole = z
  .strictObject({
    call: call.describe('Service and method, like user.v1.UserService/GetUser.'),
    metadata: metadata.optional().describe("Metadata of the call; it comes before the service's own."),
    deadlineMs: z.int().min(1).max(3_600_000).optional().describe('The time that a call may take; default: 30000.'),
    message: message
      .optional()
      .describe('The message, with {name} filled from `arguments`; default: an argument is one.'),
    messages: z
      .array(message)
      .min(1)
      .max(MOST_MESSAGES)
      .optional()
      .describe(`The messages of each stream, for a method that takes one; at most ${MOST_MESSAGES}.`),
  })
  .refine(({ message: one, messages }) => one === undefined || messages === undefined, {
    path: ['messages'],
    error: 'stands beside message: a method takes one message, or a stream of them',
  })
  .transform(({ message: one, messages, ...rest }) => ({
    ...rest,
    message: messages === undefined ? one && { one } : { stream: messages },
  }));

/** An operation's binding to gRPC: "pkg.Service/Method", or a map with more. */
export const grpcBinding = z
  .union([call.transform((found) => ({ call: found })), whole], {
    error: 'must be a service and a method, like user.v1.UserService/GetUser, or a map with `call`',
  })
  .describe('gRPC service and method, like user.v1.UserService/GetUser, or a map with `call`.');

const files = z
  .strictObject({
    root: z
      .union([path, z.array(path).min(1)])
      .optional()
      .describe('The folder, or the folders, that imports are relative to.'),
    file: path.optional().describe('The .proto file, relative to a root.'),
    descriptorSet: path.optional().describe('What `protoc --include_imports --descriptor_set_out` wrote.'),
  })
  .transform(({ root, file, descriptorSet }, context) => {
    if (descriptorSet !== undefined && root === undefined && file === undefined) {
      return { descriptorSet };
    }
    if (descriptorSet === undefined && root !== undefined && file !== undefined) {
      return { root: typeof root === 'string' ? [root] : root, file };
    }
    context.addIssue({ code: 'custom', message: 'must have `root` and `file`, or `descriptorSet`' });
    return z.NEVER;
  });

/** The contract of a service: `.proto` files, a descriptor set, or reflection. */
export const proto = z
  .union([z.literal('reflection').transform(() => ({ reflection: true as const })), files], {
    error: 'must be `reflection`, a map with `root` and `file`, or a map with `descriptorSet`',
  })
  .describe('The contract of a gRPC service: .proto files, a descriptor set, or `reflection`.');
