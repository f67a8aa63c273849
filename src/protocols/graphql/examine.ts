import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  parse,
  validate,
  validateSchema,
} from 'graphql';
import { withFallback } from '../../foundation/errors.ts';
import type { Reply } from '../../model/load.ts';
import type { Operation } from '../../model/suite/suite.ts';
import type { Running } from '../call.ts';
import type { Client } from '../client.ts';
import { shortText } from '../http/status.ts';
import { boundTo } from '../protocol.ts';
import { errorsIn, filledBy, type GraphqlBinding, graphql, wordsOf } from './graphql.ts';
import { meantOperation, mistakesInVariables } from './query.ts';

export type Examination =
  /** Each mistake names its operation. */
  | { readonly kind: 'examined'; readonly queries: number; readonly mistakes: readonly string[] }
  /** The service returned no schema, most often because introspection is disabled. */
  | { readonly kind: 'untold'; readonly why: string };

/** Requests the schema of a running service and validates the queries and variables of operations against it. No operation is sent. */
export async function examineQueries(
  client: Client,
  running: Running,
  operations: readonly Operation[],
): Promise<Examination> {
  const mistakes: string[] = [];
  for (const operation of operations) {
    const binding = boundTo(operation, graphql);
    const found = await schemaOf(client, running, binding);
    if ('why' in found) {
      return { kind: 'untold', why: found.why };
    }
    mistakes.push(...mistakesOf(found.schema, operation, binding).map((words) => `${operation.name}: ${words}`));
  }
  return { kind: 'examined', queries: operations.length, mistakes };
}

/** Schema of a running service, requested with the headers of an operation; undefined if it returns none. */
export async function introspectedSchema(
  client: Client,
  running: Running,
  operation: Operation,
): Promise<GraphQLSchema | undefined> {
  const found = await schemaOf(client, running, boundTo(operation, graphql));
  return 'schema' in found ? found.schema : undefined;
}

type Introspection = { readonly schema: GraphQLSchema } | { readonly why: string };

async function schemaOf(
  client: Client,
  { service, address }: Running,
  { path, headers }: GraphqlBinding,
): Promise<Introspection> {
  const request = {
    call: `POST ${path}`,
    body: undefined,
    headers: { 'Content-Type': 'application/json', ...service.headers, ...headers },
    content: { text: JSON.stringify({ query: getIntrospectionQuery() }) },
  };
  return await withFallback(
    async () => introspectionIn(await client.call(service, address, request)),
    ({ brief }) => ({ why: brief }),
  );
}

function introspectionIn({ status, body, answer }: Reply): Introspection {
  const [error] = errorsIn(body);
  if (error !== undefined) {
    return { why: `it answered introspection with ${wordsOf(error)}` };
  }
  try {
    const schema = buildClientSchema((body as unknown as { readonly data: IntrospectionQuery }).data);
    const [mistake] = validateSchema(schema);
    return mistake === undefined ? { schema } : { why: `its schema is not valid: ${shortText(mistake.message)}` };
  } catch {
    return { why: `it answered introspection with ${status} and no schema: ${shortText(answer?.text ?? '')}` };
  }
}

function mistakesOf(schema: GraphQLSchema, operation: Operation, binding: GraphqlBinding): readonly string[] {
  const inQuery = validate(schema, parse(binding.query, { noLocation: true })).map(({ message }) => message);
  const meant = meantOperation(binding.query, binding.operationName);
  const inVariables =
    inQuery.length > 0 || 'mistake' in meant
      ? []
      : operation.arguments.flatMap((row) =>
          mistakesInVariables(meant.operation, filledBy(binding, row).variables, schema),
        );
  return [...new Set([...inQuery, ...inVariables])].map((words) => shortText(words));
}
