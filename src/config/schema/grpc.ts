import { z } from 'zod';
import { ConfigError, path } from '../../foundation/index.ts';
import type { Contract, GrpcBinding } from '../../model/index.ts';
import { contentAt, type ReadFile } from '../reader.ts';
import { deadlineMs, USUAL_DEADLINE } from './headers.ts';

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

/** A binding to gRPC, of which the call may come from elsewhere. */
interface GrpcSource extends Omit<GrpcBinding, 'call'> {
  readonly call?: string | undefined;
}

const whole = z
  .strictObject({
    call: call
      .optional()
      .describe('Service and method, like `user.v1.UserService/GetUser`. Needed, unless `from` names them.'),
    metadata: metadata
      .optional()
      .describe(
        'Before the `metadata` of the service. Names are in small letters; the value of one that ends in `-bin` is base64.',
      ),
    deadlineMs: deadlineMs
      .optional()
      .describe(
        `The time that a call, or a whole stream, may take; ${USUAL_DEADLINE} It is sent to the service; a call that passes it is a failure.`,
      ),
    message: message
      .optional()
      .describe(
        'The message, with `{name}` from the arguments; a text that is nothing but `{name}` becomes the argument itself, be it a number or a map. Default: an argument is a message.',
      ),
    messages: z
      .array(message)
      .min(1)
      .max(MOST_MESSAGES)
      .optional()
      .describe(
        `For a method that takes a stream: the messages of each stream, 1 to ${MOST_MESSAGES}. Every call sends the same stream, so there is one entry in \`arguments\` at most.`,
      ),
  })
  .refine(({ message: one, messages }) => one === undefined || messages === undefined, {
    path: ['messages'],
    error: 'stands beside message: a method takes one message, or a stream of them',
  })
  .transform(
    ({ message: one, messages, ...rest }): GrpcSource => ({
      ...rest,
      message: messages === undefined ? one && { one } : { stream: messages },
    }),
  );

/** An operation's binding to gRPC: "pkg.Service/Method", or a map with more. */
export const grpcBinding = z
  .union([call.transform((found): GrpcSource => ({ call: found })), whole], {
    error: 'must be a service and a method, like user.v1.UserService/GetUser, or a map with `call`',
  })
  .describe('gRPC service and method, like `user.v1.UserService/GetUser`, or a map with `call`.');

const files = z
  .strictObject({
    root: z
      .union([path, z.array(path).min(1)])
      .optional()
      .describe(
        'The folder that imports are relative to, or a list of such folders, of which the first that has a file wins.',
      ),
    file: path
      .optional()
      .describe('The `.proto` file, relative to a root; a load tool finds its services, not those of its imports.'),
    descriptorSet: path
      .optional()
      .describe(
        'What `protoc --include_imports --descriptor_set_out` or `buf build -o` wrote: all services of all its files.',
      ),
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
  .describe(
    'The contract of a gRPC service: .proto files, a descriptor set, or `reflection`; of a REST service: where `expect.message` is.',
  );

/** Gives the text of every `.proto` file below a folder, by its path relative to that folder. */
export type ProtoTexts = (root: string) => Readonly<Record<string, string>>;

/** A service in its file, and what reads the files that its contract is in. */
export interface ContractPlace {
  /** For messages: where a key of `proto` stands. */
  readonly at: (...steps: readonly string[]) => string;
  readonly protoTexts: ProtoTexts;
  readonly readFile: ReadFile;
}

/** A contract with its files read. Throws ConfigError with file and line where one is not there. */
export function contractOf(found: z.output<typeof proto>, { at, protoTexts, readFile }: ContractPlace): Contract {
  if ('reflection' in found) {
    return found;
  }
  if ('descriptorSet' in found) {
    const { base64 } = contentAt(found.descriptorSet, at('descriptorSet'), readFile);
    return { descriptorSet: base64, origin: found.descriptorSet };
  }
  // As with protoc, the first folder that has a file wins.
  const texts: Readonly<Record<string, string>> = Object.assign({}, ...found.root.map(protoTexts).reverse());
  if (!Object.hasOwn(texts, found.file)) {
    const tried = found.root.map((root) => `${root}/${found.file}`).join(', nor ');
    throw new ConfigError(`${at('file')}: there is no ${tried}`, {
      next: 'Give the path of the .proto file relative to proto.root.',
    });
  }
  return { root: found.root.join(', '), file: found.file, texts };
}
