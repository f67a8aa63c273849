import * as z from 'zod';
import type { Json } from '../../foundation/json.ts';
import { path } from '../../foundation/names.ts';
import { deadlineMs, headers, USUAL_DEADLINE } from '../http/headers.ts';

export interface GraphqlBinding {
  readonly path: string;
  readonly method: 'POST' | 'GET';
  readonly query: string;
  /** Operation of the query; undefined if it has only one. */
  readonly operationName: string | undefined;
  /** Variables with `{name}` from the arguments; undefined: the arguments are the variables. */
  readonly variables: Readonly<Record<string, Json>> | undefined;
  /** Sends the hash of the query instead of its text. */
  readonly isPersisted: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly deadlineMs?: number | undefined;
}

const LONGEST_QUERY = 100_000;

const text = z.string().min(1).max(LONGEST_QUERY);

const queryFile = z.strictObject({ file: path });

const long = z
  .strictObject({
    query: z
      .union([text, queryFile], {
        error: 'must be the text of one query, or { file: <path> }; lists of queries are not supported',
      })
      .describe('The query or mutation, or `{ file: user.graphql }`.'),
    operationName: z
      .string()
      .regex(/^[_A-Za-z]\w{0,99}$/, 'must be the name of an operation in the query')
      .optional()
      .describe('The operation to run, if the query has several.'),
    variables: z
      .record(z.string(), z.json())
      .optional()
      .describe('The variables, in which `{name}` is filled from the arguments; default: the arguments.'),
    path: z
      .string()
      .regex(/^\/\S*$/, 'must be a path that begins with / and has no spaces')
      .optional()
      .meta({ default: '/graphql' })
      .describe('The path of requests.'),
    method: z
      .enum(['POST', 'GET'])
      .optional()
      .meta({ default: 'POST' })
      .describe('`POST` with JSON, or `GET` for queries.'),
    persisted: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe('Sends the SHA-256 of the query instead of its text (a persisted query).'),
    headers: headers.optional().describe('Headers that override those of the service.'),
    deadlineMs: deadlineMs.optional().describe(`The time limit until the end of the answer; ${USUAL_DEADLINE}`),
  })
  .describe('A query with variables and other settings.');

export const graphqlSchema = z
  .union([text.transform((query) => ({ query })), long], {
    error: 'must be the text of one query, or a map with `query`, variables, operationName, path and headers',
  })
  .describe('A query, or a map.');

export type GraphqlSource = z.output<typeof long>;
