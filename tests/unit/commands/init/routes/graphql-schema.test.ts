import { buildSchema, introspectionFromSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { proposed } from '../services/repositories.ts';

const PACKAGE = JSON.stringify({
  name: 'movies',
  scripts: { start: 'node server.js' },
  dependencies: { express: '^5.0.0' },
});

const SCHEMA = `scalar Date
enum Order { NEWEST OLDEST }
input Filter { title: String }
union Found = Movie | Person
type Query {
  movie(id: ID!): Movie
  movies(order: Order!, years: [Int!]!, after: String): [Movie!]!
  search(text: String!): [Found!]!
  filtered(filter: Filter!): [Movie!]!
  count: Int!
}
type Movie { id: ID! title: String released: Date director: Person poster(size: Int!): String cast(first: Int): [Person!]! }
type Mutation { add(title: String!): Movie }
`;

const PERSON = 'type Person { name: String! movies: [Movie!]! }';

describe('what is proposed for a repository with a schema of GraphQL', () => {
  it('is its queries, with what they need, and the plain fields of their answers', () => {
    const { service, operations } = proposed({
      'package.json': PACKAGE,
      'schema/movies.graphql': SCHEMA,
      'schema/person.gql': PERSON,
    });

    expect(service?.protocol).toBe('graphql');
    expect(operations.map(({ name, arguments: rows, bindings }) => [name, rows, bindings.graphql])).toMatchObject([
      [
        'Movie',
        [{ id: '1' }],
        { query: 'query Movie($id: ID!) { movie(id: $id) { id title released director { name } cast { name } } }' },
      ],
      [
        'Movies',
        [{ order: 'NEWEST', years: [1] }],
        {
          query:
            'query Movies($order: Order!, $years: [Int!]!) { movies(order: $order, years: $years) { id title released director { name } cast { name } } }',
        },
      ],
      ['Count', [{}], { query: 'query Count { count }' }],
    ]);
  });

  it('names in a comment what is left out: mutations, subscriptions, and queries with unknown arguments', () => {
    const { proposals, text } = proposed({
      'package.json': PACKAGE,
      'schema.graphql': `${SCHEMA} ${PERSON} type Subscription { added: Movie! } extend type Mutation { drop(id: ID!): ID }`,
    });

    expect(proposals[0].further).toEqual([
      'mutation add',
      'mutation drop',
      'subscription added',
      'query search',
      'query filtered',
    ]);
    expect(text).toContain(
      ' Left out: mutation add, mutation drop, subscription added, query search, query filtered.\n',
    );
  });

  it('names mutations also if there are more queries than are asked', () => {
    const queries = Array.from({ length: 12 }, (_, index) => `count${index}: Int!`).join(' ');
    const schema = `schema { query: Reading mutation: Writing } type Reading { ${queries} } type Writing { add: Int }`;
    const { operations, text } = proposed({ 'package.json': PACKAGE, 'schema.graphql': schema });

    expect(operations).toHaveLength(5);
    expect(text).toContain(' Left out: mutation add, Count5, Count6, Count7, Count8 and 3 more.\n');
  });

  it('has nothing to name if all of a schema is asked', () => {
    const { proposals, text } = proposed({ 'package.json': PACKAGE, 'schema.graphql': 'type Query { count: Int! }' });

    expect(proposals[0].further).toEqual([]);
    expect(text).not.toContain('Left out');
  });

  it('has valid operation names, for any field name', () => {
    const long = 'x'.repeat(100);
    const schema = `type Query { _allMeta: Int! allMeta: Int! __: Int ${long}: Int! }`;

    const { operations } = proposed({ 'package.json': PACKAGE, 'schema.graphql': schema });

    expect(operations.map(({ name }) => name)).toEqual(['AllMeta', 'AllMeta-2', `X${'x'.repeat(69)}`]);
    expect(operations.map(({ bindings }) => bindings.graphql)).toMatchObject([
      { query: 'query AllMeta { _allMeta }' },
      { query: 'query AllMeta { allMeta }' },
      { query: `query X${'x'.repeat(69)} { ${long} }` },
    ]);
  });

  describe('whose schema is an answer to introspection', () => {
    const answer = introspectionFromSchema(buildSchema(SCHEMA + PERSON));
    const namesIn = (files: Record<string, unknown>) => {
      const texts = Object.entries(files).map(([path, value]) => [path, JSON.stringify(value)]);
      const { service, operations } = proposed({ 'package.json': PACKAGE, ...Object.fromEntries(texts) });
      return [service?.protocol, operations.map(({ name }) => name)];
    };

    it.each(['schema.json', 'graphql.schema.json', 'introspection.json'])('is the same, out of %s', (path) => {
      expect(namesIn({ [path]: { data: answer } })).toEqual(['graphql', ['Movie', 'Movies', 'Count']]);
      expect(namesIn({ [path]: answer })).toEqual(['graphql', ['Movie', 'Movies', 'Count']]);
    });

    it.each([
      ['another schema', { type: 'object' }],
      ['half of one', { __schema: { types: [] } }],
      ['nothing', null],
      ['a list', ['"__schema"']],
    ])('is another protocol if the file is %s', (_what, value) => {
      expect(namesIn({ 'schema.json': value })[0]).toBe('rest');
    });
  });

  it.each([
    ['is broken', 'type Query {'],
    ['is not whole', 'type Query { a: Missing }'],
    ['has no queries', 'type Movie { id: ID! }'],
    ['is a query', 'query { a }'],
  ])('is another protocol if the schema %s', (_what, schema) => {
    expect(proposed({ 'package.json': PACKAGE, 'schema.graphql': schema }).service?.protocol).toBe('rest');
  });
});

describe('what is proposed for a package with a server of GraphQL', () => {
  const packageOf = (name: string, start = 'node server.js') =>
    JSON.stringify({ name: 'movies', scripts: { start }, dependencies: { [name]: '^1.0.0' } });

  it.each([
    ['json-graphql-server', 3000],
    ['graphql-http', 3000],
    ['mercurius', 3000],
    ['@apollo/server', 4000],
    ['graphql-yoga', 4000],
  ])('is a query that each answers, if no schema is found: %s', (name, port) => {
    const { service, operations, text } = proposed({
      'package.json': packageOf(name),
      'server.js': "app.get('/page', page);",
    });

    expect(service).toMatchObject({ protocol: 'graphql', port });
    expect(operations).toMatchObject([{ bindings: { graphql: { query: 'query Typename { __typename }' } } }]);
    expect(text).toContain('no schema was found: query the fields that matter.');
  });

  it.each([
    ['a tagged template', 'const typeDefs = gql`type Query { movies: [String!]! }`;'],
    ['a commented template', 'const typeDefs = `#graphql\n type Query { movies: [String!]! }`;'],
    ['a template with a word for editors', 'const schema = /* GraphQL */ `type Query { movies: [String!]! }`;'],
    ['buildSchema', 'const built = buildSchema(`type Query { movies: [String!]! }`);'],
  ])('is the queries of the schema in its sources: %s', (_what, source) => {
    const { service, operations } = proposed({ 'package.json': packageOf('graphql-yoga'), 'src/schema.js': source });

    expect(service?.protocol).toBe('graphql');
    expect(operations).toMatchObject([{ bindings: { graphql: { query: 'query Movies { movies }' } } }]);
  });

  it('is REST for a package without one', () => {
    const { service } = proposed({ 'package.json': packageOf('express'), 'server.js': "app.get('/page', page);" });

    expect(service?.protocol).toBe('rest');
  });
});
