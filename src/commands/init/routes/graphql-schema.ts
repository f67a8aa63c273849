import {
  buildASTSchema,
  buildClientSchema,
  concatAST,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  type IntrospectionQuery,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  parse,
} from 'graphql';
import { withOwnNames } from '../../../config/operations/draft.ts';
import { ifPossible } from '../../../foundation/errors.ts';
import type { Json } from '../../../foundation/json.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import { isBelow, nearest } from '../read/places.ts';
import type { ExampleArguments, ProposedOperation } from '../services/proposal.ts';
import type { Described } from './contracts.ts';
import { NODE_SOURCES } from './node-routes.ts';

const MAX_TOKENS = 200_000;

/** Operations of the nearest schema files, or of an introspected service; no operations if there is no schema. */
export function graphqlOperations(files: readonly RepositoryFile[], folder: string): Described {
  const near = nearest(files, folder);
  const schema = schemaOf(near.filter(({ path }) => /\.(?:graphqls?|gql)$/i.test(path))) ?? introspected(near);
  return schemaQueries(schema);
}

/** Operations of the schemas written in JavaScript sources below a folder. */
export function writtenOperations(files: readonly RepositoryFile[], folder: string): Described {
  const sources = files.filter(({ path }) => NODE_SOURCES.test(path) && isBelow(path, folder));
  const templates = sources.flatMap(({ path, text }) =>
    [...text.matchAll(TEMPLATE)].map(([, written = '']) => ({ path, text: written })),
  );
  return schemaQueries(schemaOf(templates));
}

const TEMPLATE = /(?:\bgql|\bbuildSchema\(|\b(?:typeDefs|schema)\s*[:=])\s*(?:\/\*[^*]*\*\/\s*)?`([^`]*)`/g;

/** The query that every GraphQL service answers. */
export const TYPENAME: ProposedOperation = {
  name: 'Typename',
  example: undefined,
  binding: { graphql: 'query Typename { __typename }' },
};

/** Queries of a schema, with example values for required arguments. Mutations and subscriptions are left out: they may change data, or have no single response. */
export function schemaQueries(schema: GraphQLSchema | undefined): Described {
  const queries = fieldsOf(schema?.getQueryType()).map((field) => ({ field, requested: operationOf(field) }));
  return {
    operations: withOwnNames(queries.flatMap(({ requested }) => requested)),
    further: [
      ...fieldsOf(schema?.getMutationType()).map(({ name }) => `mutation ${name}`),
      ...fieldsOf(schema?.getSubscriptionType()).map(({ name }) => `subscription ${name}`),
      ...queries.filter(({ requested }) => requested.length === 0).map(({ field }) => `query ${field.name}`),
    ],
  };
}

function fieldsOf(type: GraphQLObjectType | null | undefined): readonly GraphQLField<unknown, unknown>[] {
  return Object.values(type?.getFields() ?? {});
}

/** Schema of all files together, since schemas are often split; undefined if they define none. */
function schemaOf(files: readonly RepositoryFile[]): GraphQLSchema | undefined {
  const documents = files.flatMap(
    ({ text }) => ifPossible(() => parse(text, { maxTokens: MAX_TOKENS, noLocation: true })) ?? [],
  );
  return documents.length === 0
    ? undefined
    : ifPossible(() => buildASTSchema(concatAST(documents), { assumeValidSDL: true }));
}

/** Schema of the first introspection response in a file, which many tools store; undefined without any. */
function introspected(files: readonly RepositoryFile[]): GraphQLSchema | undefined {
  const stored = files.filter(({ path, text }) => /\.json$/i.test(path) && text.includes('"__schema"'));
  const schemas = stored.map(({ text }) =>
    ifPossible(() => {
      // Whole response, or its data alone; a missing part is an error.
      const answer = JSON.parse(text) as IntrospectionQuery & { readonly data?: IntrospectionQuery };
      return buildClientSchema(answer.data ?? answer, { assumeValid: true });
    }),
  );
  return schemas.find((schema) => schema !== undefined);
}

/** Undefined if it needs an argument that cannot be guessed, or if its response has no field to select. */
function operationOf({ name, args, type }: GraphQLField<unknown, unknown>): readonly ProposedOperation[] {
  const needed = args.filter(isRequiredArgument);
  const examples = needed.map((arg) => [arg.name, exampleOf(arg.type)] as const);
  const selection = selectionOf(type, 2);
  // Operation names begin with a letter or digit, have at most 80 characters, and may get a number.
  const [first = '', ...rest] = name.replace(/^_+/, '').slice(0, 70);
  if (first === '' || selection === undefined || examples.some(([, example]) => example === undefined)) {
    return [];
  }
  const title = first.toUpperCase() + rest.join('');
  const declared = needed.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
  const passed = needed.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const query = `query ${title}${declared && `(${declared})`} { ${name}${passed && `(${passed})`}${selection} }`;
  return [
    {
      name: title,
      example: examples.length === 0 ? undefined : (Object.fromEntries(examples) as ExampleArguments),
      binding: { graphql: query },
    },
  ];
}

const EXAMPLES: Readonly<Record<string, Json>> = { ID: '1', Int: 1, Float: 1.5, String: 'text', Boolean: true };

function exampleOf(type: GraphQLInputType): Json | undefined {
  if (isNonNullType(type)) {
    return exampleOf(type.ofType);
  }
  if (isListType(type)) {
    const one = exampleOf(type.ofType);
    return one === undefined ? undefined : [one];
  }
  return isEnumType(type) ? type.getValues()[0]?.name : EXAMPLES[getNamedType(type).name];
}

/** Plain fields of a type that need no argument, and those of its nested types; undefined if it has none. */
function selectionOf(type: GraphQLOutputType, depth: number): string | undefined {
  const named = getNamedType(type);
  if (isLeafType(named)) {
    return '';
  }
  if (!isObjectType(named) || depth === 0) {
    return undefined;
  }
  const fields = Object.values(named.getFields()).flatMap((field) => {
    const inner = field.args.some(isRequiredArgument) ? undefined : selectionOf(field.type, depth - 1);
    return inner === undefined ? [] : [`${field.name}${inner}`];
  });
  return fields.length === 0 ? undefined : ` { ${fields.join(' ')} }`;
}
