import {
  coerceInputValue,
  type DocumentNode,
  GraphQLError,
  GraphQLSchema,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  parse,
  specifiedScalarTypes,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import type { Json } from '../../foundation/json.ts';

const MAX_TOKENS = 20_000;

export type MeantOperation = { readonly operation: OperationDefinitionNode } | { readonly mistake: string };

/** Operation of a query that is sent: the only one, or the one with the name. */
export function meantOperation(query: string, name: string | undefined): MeantOperation {
  const document = parsed(query);
  if ('mistake' in document) {
    return document;
  }
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const names = operations.map((one) => one.name?.value ?? 'an unnamed one').join(', ');
  const [first, second] = operations;
  if (first === undefined) {
    return { mistake: 'has no operation, like `query User($id: ID!) { user(id: $id) { name } }`' };
  }
  if (name === undefined) {
    return second === undefined
      ? accepted(first)
      : { mistake: `has several operations (${names}): select one with \`operationName\`` };
  }
  const named = operations.find((one) => one.name?.value === name);
  return named === undefined ? { mistake: `has no operation ${name}; it has ${names}` } : accepted(named);
}

function accepted(operation: OperationDefinitionNode): MeantOperation {
  return operation.operation === 'subscription'
    ? { mistake: 'is a subscription: only queries and mutations can be measured' }
    : { operation };
}

function parsed(query: string): DocumentNode | { readonly mistake: string } {
  try {
    return parse(query, { maxTokens: MAX_TOKENS });
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) {
      throw thrown;
    }
    const [place] = thrown.locations ?? [];
    const where = place === undefined ? '' : ` (line ${place.line}, column ${place.column})`;
    return { mistake: `is not valid GraphQL${where}: ${thrown.message.replace(/^Syntax Error: /, '')}` };
  }
}

/** Mistakes in the variables of an operation: undeclared ones, missing ones, and values that do not fit a known type. */
export function mistakesInVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, Json>>,
  schema = BUILT_IN,
): readonly string[] {
  const declared = new Map(variableDefinitions.map((one) => [one.variable.name.value, one]));
  const unknown = Object.keys(variables).filter((name) => !declared.has(name));
  return [
    ...unknown.map((name) => `the query does not declare $${name}`),
    ...[...declared].flatMap(([name, definition]) => mistakesInValue(schema, definition, variables[name])),
  ];
}

const BUILT_IN = new GraphQLSchema({ types: specifiedScalarTypes });

function mistakesInValue(
  schema: GraphQLSchema,
  { variable, type, defaultValue }: VariableDefinitionNode,
  value: Json | undefined,
): readonly string[] {
  const name = `$${variable.name.value}`;
  if (value === undefined) {
    return type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined ? [`the query needs ${name}`] : [];
  }
  const known = typeFromAST(schema, type as Parameters<typeof typeFromAST>[1]);
  const mistakes: string[] = [];
  // The value of a secret is not known yet.
  if (isInputType(known) && !JSON.stringify(value).includes('${')) {
    coerceInputValue(value, known, (path, _value, { message }) => {
      mistakes.push(`${[name, ...path].join('.')}: ${message}`);
    });
  }
  return mistakes;
}
