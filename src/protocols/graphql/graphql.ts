import { createHash } from 'node:crypto';
import * as z from 'zod';
import { ConfigError, MeasurementError } from '../../foundation/errors.ts';
import { isJsonMap, type Json } from '../../foundation/json.ts';
import { path } from '../../foundation/names.ts';
import { documentAddress } from '../../foundation/text.ts';
import type { Reply, TargetRequest } from '../../model/load.ts';
import { SUCCESS } from '../../model/suite/http.ts';
import { type Call, refuseCut } from '../call.ts';
import { callHttp } from '../http/client.ts';
import { deadlineMs, headers, requestPath, USUAL_DEADLINE } from '../http/headers.ts';
import { refuseStatus, shortText } from '../http/status.ts';
import { type BindingPlace, boundTo, type Protocol } from '../protocol.ts';
import { missingArgument, restRequest, type Values } from '../rest/request.ts';
import { meantOperation, mistakesInVariables } from './query.ts';

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
    path: requestPath.optional().meta({ default: '/graphql' }).describe('The path of requests.'),
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

const graphqlSchema = z
  .union([text.transform((query) => ({ query })), long], {
    error: 'must be the text of one query, or a map with `query`, variables, operationName, path and headers',
  })
  .describe('A query, or a map.');

type GraphqlSource = z.output<typeof long>;

/** GraphQL over HTTP: a query and its variables in a POST or a GET. A response with `errors` is a failure, regardless of its status. */
export const graphql: Protocol<GraphqlSource, GraphqlBinding> = {
  name: 'graphql',
  transport: 'http',
  checks: 'graphql',
  example: 'graphql: "query User($id: ID!) { user(id: $id) { name } }"',
  schema: graphqlSchema,
  bindingOf,
  call: callKnown,

  target(operation, { headers, connection }, address) {
    const binding = boundTo(operation, graphql);
    const whole = { ...binding, headers: { ...headers, ...binding.headers } };
    const requests = operation.arguments.map((row) => requestOf(whole, row));
    return { address, requests, connection, checked: graphql.checks };
  },

  canonical(reply, operation) {
    refuseStatus(reply, SUCCESS);
    refuseCut(reply, operation);
    return reply.cut === undefined ? dataOf(reply) : null;
  },
};

/** Throws ConfigError with all mistakes in the query and in the variables of each argument. */
function bindingOf(source: GraphqlSource, place: BindingPlace): GraphqlBinding {
  const { at, contentOf, rows } = place;
  const { operationName, variables, path = '/graphql', method = 'POST', persisted = false, deadlineMs } = source;
  const query =
    typeof source.query === 'string'
      ? source.query
      : Buffer.from(contentOf(source.query.file, 'query', 'file'), 'base64').toString('utf8');
  const meant = meantOperation(query, operationName);
  if ('mistake' in meant) {
    throw new ConfigError(`${at('query')}: ${meant.mistake}`, {
      code: 'WG-105',
      next: `A query with variables: ${documentAddress('docs/config.md#a-query-over-graphql')}`,
    });
  }
  if (method === 'GET' && meant.operation.operation === 'mutation') {
    throw new ConfigError(`${at('method')}: a mutation cannot be sent with GET`, {
      code: 'WG-105',
      next: 'Remove `method`; the default is POST.',
    });
  }
  const binding = {
    path,
    method,
    query,
    operationName,
    variables,
    isPersisted: persisted,
    headers: source.headers ?? {},
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
  for (const [index, row] of rows.entries()) {
    const missing = missingArgument(templateOf(binding), row);
    const mistakes =
      missing === undefined
        ? mistakesInVariables(meant.operation, filledBy(binding, row).variables)
        : [`{${missing}} has no plain value`];
    if (mistakes.length > 0) {
      throw new ConfigError(`${at()}: item ${index + 1} of the arguments: ${mistakes.join('; ')}`, {
        code: 'WG-114',
        next: 'Set the variables that the query declares in `variables`, or as arguments with the same names.',
      });
    }
  }
  return binding;
}

/** The parts with placeholders: path, headers and variables. The query has none, since braces are part of its syntax. */
function templateOf({ path, headers, variables = {} }: GraphqlBinding) {
  return { path, headers, body: { kind: 'json' as const, json: variables } };
}

export function filledBy(binding: GraphqlBinding, row: Values) {
  const { path, headers, content } = restRequest(templateOf(binding), row);
  const text = content !== undefined && 'text' in content ? content.text : '{}';
  const variables: Values = binding.variables === undefined ? row : JSON.parse(text);
  return { path, headers, variables };
}

function requestOf(binding: GraphqlBinding, row: Values): TargetRequest {
  const { method, query, operationName, isPersisted, deadlineMs } = binding;
  const { path, headers, variables } = filledBy(binding, row);
  const persistedQuery = { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') };
  const payload = {
    ...(!isPersisted && { query }),
    ...(operationName !== undefined && { operationName }),
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(isPersisted && { extensions: { persistedQuery } }),
  };
  const { 'Content-Type': type = 'application/json', ...others } = headers;
  const post = {
    call: `POST ${path}`,
    body: undefined,
    headers: { 'Content-Type': type, ...others },
    content: { text: JSON.stringify({ ...payload, query }) },
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
  const sent =
    method === 'POST'
      ? { ...post, content: { text: JSON.stringify(payload) } }
      : { ...post, call: `GET ${withQuery(path, payload)}`, headers: others, content: undefined };
  return isPersisted ? { ...sent, introduction: post } : sent;
}

function withQuery(path: string, payload: object): string {
  const texts = Object.entries(payload).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}=${encodeURIComponent(text)}`;
  });
  return `${path}${path.includes('?') ? '&' : '?'}${texts.join('&')}`;
}

/** Message of servers for the hash of an unknown query. */
const UNKNOWN_QUERY = /persisted.?query.?not.?found/i;

/** Sends a request; if the service does not know the persisted query, sends the query and then the request again. */
async function callKnown(call: Call): Promise<Reply> {
  const reply = await callHttp(call);
  const { introduction } = call.request;
  if (introduction === undefined || !errorsIn(reply.body).some((error) => UNKNOWN_QUERY.test(JSON.stringify(error)))) {
    return reply;
  }
  const introduced = await callHttp({ ...call, request: introduction });
  return errorsIn(introduced.body).length > 0 ? introduced : await callHttp(call);
}

export function errorsIn(body: Json | undefined): readonly Json[] {
  const errors = isJsonMap(body) ? body['errors'] : undefined;
  return Array.isArray(errors) ? errors : errors === undefined || errors === null ? [] : [errors];
}

function dataOf({ status, body, answer }: Reply): Json {
  const [error, ...others] = errorsIn(body);
  if (error !== undefined) {
    const more = others.length === 0 ? '' : `, and ${others.length} more`;
    throw new MeasurementError(`answered ${status} with errors: ${wordsOf(error)}${more}`, {
      code: 'WG-307',
      next: 'Fix the query, its variables or the service: an answer with `errors` is a failure, even if it has `data`.',
    });
  }
  const data = isJsonMap(body) ? body['data'] : undefined;
  if (data === undefined || data === null) {
    throw new MeasurementError(`answered ${status} without \`data\`: ${shortText(answer?.text ?? '')}`, {
      code: 'WG-307',
      next: 'Check that `path` is that of a GraphQL service. Default: /graphql.',
    });
  }
  return data;
}

export function wordsOf(error: Json): string {
  const message = isJsonMap(error) ? error['message'] : undefined;
  const path = isJsonMap(error) && Array.isArray(error['path']) ? ` (at ${error['path'].join('.')})` : '';
  return typeof message === 'string'
    ? `${JSON.stringify(shortText(message))}${shortText(path)}`
    : shortText(JSON.stringify(error));
}
