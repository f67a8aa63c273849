import { z } from 'zod';
import { ALL_OPERATIONS } from '../core/sample.ts';
import { grpcBinding } from './grpc-schema.ts';
import { name, path } from './names.ts';
import { rest } from './rest-schema.ts';

/** One thing that every service of a suite can do. */
export const operation = z.strictObject({
  name: name.refine(
    (value) => value !== ALL_OPERATIONS,
    `must not be "${ALL_OPERATIONS}", which stands for all operations together`,
  ),
  weight: z.number().positive().default(1).describe('Its share of the requests is its weight among all of them.'),
  arguments: z
    .array(z.record(z.string(), z.json()))
    .min(1)
    .default([{}])
    .describe(
      'One request each, taken in turn; {name} in a path, a header or a body is filled from them, and a gRPC message is one.',
    ),
  feed: z
    .strictObject({
      file: path.describe('CSV with a header line, or JSON with a list of maps; a row is one request.'),
      order: z.literal('cycle').default('cycle').describe('From the first row to the last, over and over.'),
    })
    .optional()
    .describe('Arguments that come out of a file; `arguments` are added to its rows in turn.'),
  verify: z
    .enum(['none', 'status', 'answer'])
    .default('answer')
    .describe(
      'What is checked before anything is measured; status: not whether answers are the same. Default: answer.',
    ),
  rest: rest.optional().describe('HTTP method and path, like GET /user/{id}, or a map with headers, body and more.'),
  grpc: grpcBinding.optional(),
});
