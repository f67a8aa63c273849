import { buildSchema, introspectionFromSchema, printSchema } from 'graphql';
import { graphqlOperations } from '../../src/commands/init/routes/graphql-schema.ts';
import { toolSamples } from '../../src/commands/runs/tool-samples.ts';
import { parseProject } from '../../src/config/parse.ts';
import type { Json } from '../../src/foundation/json.ts';
import type { BenchmarkTool } from '../../src/history/adapters/adapters.ts';
import { readToolOutput } from '../../src/history/exchange/import.ts';
import { examineQueries } from '../../src/protocols/graphql/examine.ts';
import { CRITERION, GO, GOOGLE, HYPERFINE, JMH, K6, PYTEST } from '../support/sample-benchmarks.ts';
import { namer } from '../support/sample-gab.ts';
import { changedJson } from './edits-json.ts';
import { changedText } from './edits-text.ts';
import { type Reader, readerOf, readOrRefuse } from './outcome.ts';

const SCHEMA = buildSchema(`
  enum Kind { BOOK TOY }
  interface Node { id: ID! }
  input Filter { kind: Kind = BOOK, most: Int!, inner: Filter }
  type Item implements Node { id: ID!, kind: Kind!, parts(first: Int = 2): [Item!]! }
  union Found = Item | Shop
  type Shop implements Node { id: ID!, items(filter: Filter): [Item!]! }
  type Query { shop(id: ID!): Shop, found(text: String!, kinds: [Kind!]): [Found!]! }
`);

const QUERY = `query ($id: ID!, $filter: Filter) {
  shop(id: $id) { items(filter: $filter) { id ... on Node { id } parts { kind } } }
}`;

const { suite, services } = parseProject({
  file: 'wiregauge.yml',
  text: JSON.stringify({
    services: { shop: { protocol: 'graphql', address: '127.0.0.1:4000' } },
    operations: [{ name: 'Ask', graphql: QUERY, arguments: [{ id: 1, filter: { most: 2 } }] }],
  }),
});

const SHOP = services.get('shop') ?? raise();

function raise(): never {
  throw new Error('the sample has no service');
}

/** As clients do: what is no JSON has no body. */
function bodyOf(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** As doctor does with what a service answers. */
async function holdAgainst(text: string): Promise<void> {
  const body = bodyOf(text);
  const client = {
    call: async () => ({ status: '200', body }),
    learn: () => undefined,
    described: async <Service>(service: Service) => service,
  };
  await examineQueries(client, { service: SHOP, address: '127.0.0.1:4000' }, suite.operations);
}

/** As init does with the files of a repository. */
const proposed = (path: string) => (text: string) => graphqlOperations([{ path, text }], '');

const INTROSPECTED = JSON.stringify({ data: introspectionFromSchema(SCHEMA) });

/** Nothing but the tool tells in which form it prints, so each reads all. */
const imported = (tools: readonly BenchmarkTool[]) => async (text: string) => {
  for (const tool of tools) {
    const about = { tool, suite: 'parser', at: undefined, commit: undefined, now: '2026-11-23T10:00:00.000Z' };
    await readOrRefuse(() => readToolOutput(text, 'bench.out', { ...about, nameRun: namer() }));
  }
  await readOrRefuse(() => toolSamples({ base: [{ file: 'a', text }], head: [{ file: 'b', text }] }));
};

/** Readers of schemas of GraphQL, and of what other benchmark tools print. */
export const ANSWER_READERS: readonly Reader[] = [
  readerOf('introspection of GraphQL', changedJson([INTROSPECTED]), holdAgainst),
  readerOf('introspection in a file', changedJson([INTROSPECTED]), proposed('schema.json')),
  readerOf('a schema of GraphQL', changedText([printSchema(SCHEMA)]), proposed('schema.graphql')),
  readerOf('printed by benchmark tools', changedText([GO, CRITERION]), imported(['go-test', 'criterion'])),
  readerOf(
    'JSON of benchmark tools',
    changedJson([PYTEST, GOOGLE, JMH, K6, HYPERFINE].map((result) => JSON.stringify(result))),
    imported(['pytest-benchmark', 'google-benchmark', 'jmh', 'k6', 'hyperfine']),
  ),
];
