import { buildSchema, introspectionFromSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { queryDiagnoses } from '../../../../src/commands/doctor/queries.ts';
import { parseProject } from '../../../../src/config/parse.ts';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import type { Json } from '../../../../src/foundation/json.ts';
import type { Reply } from '../../../../src/model/load.ts';

const SCHEMA = buildSchema(`
  input UserInput { name: String!, age: Int }
  type User { id: ID!, name: String! }
  type Query { user(id: ID!): User, top(count: Int!): [User!]! }
  type Mutation { add(user: UserInput!): User! }
`);

const reported: Reply = { status: '200', body: { data: introspectionFromSchema(SCHEMA) } as unknown as Json };

/** What doctor says of operations of a service that answers so to introspection. */
async function diagnosed(operations: readonly object[], reply: Reply | Error = reported, address = true) {
  const start = address ? { address: '127.0.0.1:4000' } : { port: 4000, image: 'a:1' };
  const text = JSON.stringify({ services: { shop: { protocol: 'graphql', ...start } }, operations });
  const files = parseProject({ file: 'wiregauge.yml', text });
  const calls: string[] = [];
  const client = {
    call: async (_service: object, at: string, { call }: { readonly call: string }) => {
      calls.push(`${at} ${call}`);
      if (reply instanceof Error) {
        throw reply;
      }
      return reply;
    },
    learn: () => undefined,
    described: async <Service>(service: Service) => service,
  };
  return { diagnoses: await queryDiagnoses(client, files), calls };
}

const operation = (graphql: string, rows: readonly object[] = [{}]) => ({ name: 'Ask', graphql, arguments: rows });

describe('the queries of a service that runs', () => {
  it('fit the schema from introspection, and are not sent', async () => {
    const { diagnoses, calls } = await diagnosed([
      { ...operation('query ($id: ID!) { user(id: $id) { name } }', [{ id: 1 }]), name: 'User' },
      {
        ...operation('mutation ($user: UserInput!) { add(user: $user) { id } }', [{ user: { name: 'A' } }]),
        name: 'Add',
      },
    ]);

    expect(diagnoses).toEqual([
      { about: 'queries of shop', state: 'ok', says: '2 operations fit the schema of the service' },
    ]);
    expect(new Set(calls)).toEqual(new Set(['127.0.0.1:4000 POST /graphql']));
  });

  it.each([
    ['an unknown field', operation('{ user(id: 1) { nam } }'), /^Ask: Cannot query field "nam" on type "User"/],
    ['an unknown argument', operation('{ user(id: 1, x: 2) { name } }'), /^Ask: Unknown argument "x"/],
    [
      'a variable of another type than the argument',
      operation('query ($n: String!) { top(count: $n) { id } }', [{ n: 'a' }]),
      /^Ask: Variable "\$n" of type "String!" used in position expecting type "Int!"/,
    ],
    [
      'a value that an input type does not take',
      operation('mutation ($user: UserInput!) { add(user: $user) { id } }', [{ user: { name: 'A', age: 'old' } }]),
      /^Ask: \$user\.age: Int cannot represent non-integer value: "old"/,
    ],
    [
      'a value that lacks a field',
      operation('mutation ($user: UserInput!) { add(user: $user) { id } }', [{ user: {} }]),
      /^Ask: \$user: Field "name" of required type "String!" was not provided/,
    ],
  ])('are a problem with %s', async (_, requested, says) => {
    const { diagnoses } = await diagnosed([requested]);

    expect(diagnoses).toMatchObject([{ state: 'problem', says: expect.stringMatching(says) }]);
  });

  it.each([
    [
      'introspection is switched off',
      { status: '200', body: { errors: [{ message: 'introspection is not allowed' }] } },
      'they cannot be checked, because the service does not provide its schema: it answered introspection with "introspection is not allowed"',
    ],
    [
      'it answers no schema',
      {
        status: '404',
        body: undefined,
        answer: { contentType: undefined, location: undefined, text: 'not here', bytes: 8, sha256: '' },
      },
      'they cannot be checked, because the service does not provide its schema: it answered introspection with 404 and no schema: not here',
    ],
    [
      'its schema has no query',
      {
        status: '200',
        body: { data: { __schema: { queryType: null, types: [], directives: [] } } } as unknown as Json,
      },
      'they cannot be checked, because the service does not provide its schema: its schema is not valid: Query root type must be provided.',
    ],
    [
      'it does not answer',
      new MeasurementError('connection refused', { code: 'WG-308' }),
      'they cannot be checked, because the service does not provide its schema: connection refused',
    ],
  ] as const)('are a warning if %s', async (_, reply, says) => {
    const { diagnoses } = await diagnosed([operation('{ user(id: 1) { name } }')], reply);

    expect(diagnoses).toMatchObject([
      { state: 'warning', says, next: expect.stringContaining('Enable introspection') },
    ]);
  });

  it('are not looked at if the service would have to be started', async () => {
    expect(await diagnosed([operation('{ user(id: 1) { name } }')], reported, false)).toEqual({
      diagnoses: [],
      calls: [],
    });
  });
});
