import { z } from 'zod';
import { name, path } from '../../foundation/names.ts';
import { ALL_OPERATIONS } from '../../model/sample.ts';
import { grpcBinding } from '../schema/grpc-schema.ts';
import { restBindingSchema } from '../schema/rest-schema.ts';
import { from } from './from-schema.ts';

const keys = z.strictObject({
  name: name
    .refine(
      (value) => value !== ALL_OPERATIONS,
      `must not be "${ALL_OPERATIONS}", which stands for all operations together`,
    )
    .optional()
    .describe('What reports call it. Needed, unless the operation comes out of a document or a contract (`from`).'),
  from: from.optional(),
  operationId: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Beside `from` a document: which of its operations, like `getUser`; of one without an id its request, like `GET /users`. Without it, all that change nothing (GET and HEAD).',
    ),
  weight: z.number().positive().default(1).describe('Its share of the requests is its weight among all of them.'),
  arguments: z
    .array(z.record(z.string(), z.json()))
    .min(1)
    .optional()
    .meta({ default: [{}] })
    .describe(
      'One request each, taken in turn; `{name}` in a path, a header or a body is filled from them, and a gRPC message is one.',
    ),
  feed: z
    .strictObject({
      file: path.describe('CSV with a header line, or JSON with a list of maps (`users.json`); a row is one request.'),
      order: z.literal('cycle').default('cycle').describe('From the first row to the last, over and over.'),
    })
    .optional()
    .describe('Arguments that come out of a file; `arguments` are added to its rows in turn.'),
  verify: z
    .enum(['none', 'status', 'answer'])
    .default('answer')
    .describe(
      'What is checked before anything is measured: the whole `answer`, its `status` but not whether answers are the same, or `none`.',
    ),
  rest: restBindingSchema
    .optional()
    .describe('HTTP method and path, like `GET /user/{id}`, or a map with headers, body and more.'),
  grpc: grpcBinding.optional(),
});

/** Keys that are about one operation. */
const OF_ONE = ['name', 'arguments', 'feed', 'rest', 'grpc'] as const;

/** One thing that every service of a suite can do, or several that come out of a document or a contract. */
export const operation = keys.superRefine((found, context) => {
  const refuse = (key: string, message: string): void => context.addIssue({ code: 'custom', path: [key], message });
  const { from: origin, operationId } = found;
  if (operationId !== undefined && origin?.kind !== 'document') {
    refuse(
      'operationId',
      'chooses from an OpenAPI document, and `from` names none; a method is chosen as `from: Service/Method`',
    );
    return;
  }
  const isOne =
    origin === undefined || operationId !== undefined || (origin.kind === 'contract' && origin.method !== undefined);
  const misfit = isOne ? undefined : OF_ONE.find((key) => found[key] !== undefined);
  if (misfit !== undefined) {
    refuse(
      misfit,
      `is of one operation, and \`from\` stands for several: choose one by ${origin?.kind === 'document' ? '`operationId`' : '`from: Service/Method`'}`,
    );
  }
});
