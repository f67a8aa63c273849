import { z } from 'zod';
import { type Json, path } from '../../foundation/index.ts';
import { deadlineMs, headers, USUAL_DEADLINE } from '../http/headers.ts';

/** How an operation is asked for over GraphQL. */
export interface GraphqlBinding {
  readonly path: string;
  readonly method: 'POST' | 'GET';
  readonly query: string;
  /** Which operation of the query is meant; undefined if it has one. */
  readonly operationName: string | undefined;
  /** With `{name}` from the arguments; undefined: the arguments are the variables. */
  readonly variables: Readonly<Record<string, Json>> | undefined;
  /** The hash of the query is sent, and not its text. */
  readonly isPersisted: boolean;
  /** These come before the service's own. */
  readonly headers: Readonly<Record<string, string>>;
  /** The time that a request may take, until its answer has ended; undefined for the usual. */
  readonly deadlineMs?: number | undefined;
}

const LONGEST_QUERY = 100_000;

const text = z.string().min(1).max(LONGEST_QUERY);

const queryFile = z.strictObject({ file: path });

const long = z
  .strictObject({
    query: z
      .union([text, queryFile], {
        error: 'must be the text of one query, or { file: <path> }; lists of queries are not sent',
      })
      .describe('The text of the query or mutation, or `{ file: user.graphql }`, a file of the repository. Needed.'),
    operationName: z
      .string()
      .regex(/^[_A-Za-z]\w{0,99}$/, 'must be the name of an operation')
      .optional()
      .describe('Which operation of the query is meant, if it has several.'),
    variables: z
      .record(z.string(), z.json())
      .optional()
      .describe(
        'The variables, with `{name}` from the arguments; a text that is nothing but `{name}` becomes the argument itself, be it a number or a map. Default: the arguments are the variables.',
      ),
    path: z
      .string()
      .regex(/^\/\S*$/, 'must be a path that begins with /, without spaces')
      .optional()
      .meta({ default: '/graphql' })
      .describe('The path that requests are sent to.'),
    method: z
      .enum(['POST', 'GET'])
      .optional()
      .meta({ default: 'POST' })
      .describe('`POST` with a body in JSON, or `GET` with all of it in the address, for queries that change nothing.'),
    persisted: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe(
        'The SHA-256 of the query is sent instead of its text (a persisted query). A service that does not know it is told the query once, before anything is measured.',
      ),
    headers: headers.optional().describe('These come before the `headers` of the service.'),
    deadlineMs: deadlineMs
      .optional()
      .describe(`The time that a request may take, until its answer has ended; ${USUAL_DEADLINE}`),
  })
  .describe('A query with variables and more.');

/** How an operation is asked for over GraphQL. */
export const graphqlSchema = z
  .union([text.transform((query) => ({ query })), long], {
    error: 'must be the text of one query, or a map with `query`, variables, operationName, path and headers',
  })
  .describe('A GraphQL query, or a map with `query`, variables and more.');

/** What the schema makes of a `graphql:`. */
export type GraphqlSource = z.output<typeof long>;
