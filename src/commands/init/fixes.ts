import { type Document, isMap, isScalar, isSeq, parseDocument, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { cleanText } from '../../foundation/index.ts';
import type { TriedOperation, TriedService } from '../../measure/index.ts';
import { type Described, HEALTH, methodOperations } from './proposal/contracts.ts';
import { schemaQueries, TYPENAME } from './proposal/graphql-schema.ts';
import { leftOutWords, MOST_OPERATIONS, operationEntry } from './proposal/project-text.ts';

/** The result of each service's trial, by its name. */
export type TriedServices = ReadonlyMap<string, TriedService>;

/** The text of a wiregauge.yml without what its services refused, and a line for each change. */
export interface FixedText {
  readonly text: string;
  readonly changes: readonly string[];
}

/**
 * Leaves out the operations that a service refused when it was tried, if it answers others, and says so in a comment; asks for a path that
 * answers if it answers none of them; asks for queries of the schema, or calls of the contract, that it tells if none was found before; compares nothing that differed between two starts; and takes the port that it printed for that of
 * its container, and the port that it listens on for that of a plain process. All else of the text stays.
 */
export function fixedText(text: string, tried: TriedServices): FixedText {
  const document = parseDocument(text);
  const changes = [...tried].flatMap(([name, service]) => [
    ...fixOperations(document, name, service),
    ...fixQueries(document, name, service),
    ...fixMethods(document, name, service),
    ...fixVarying(document, name, service),
    ...fixPort(document, name, service),
  ]);
  return {
    text: changes.length === 0 ? text : document.toString({ lineWidth: 0, flowCollectionPadding: true }),
    changes,
  };
}

function fixOperations(document: Document, name: string, { operations, path }: TriedService): readonly string[] {
  const list = listOf(document.contents, name);
  const refused = operations.filter(({ refusal }) => refusal !== undefined);
  const isLeft = refused.length < operations.length || path !== undefined;
  if (list === undefined || refused.length === 0 || !isLeft) {
    return [];
  }
  leaveOut(list, refused);
  const changes = refused.map((one) => `${name}: left out ${refusedWords(one)}`);
  if (path === undefined) {
    return changes;
  }
  list.add(document.createNode({ name: 'Index', rest: `GET ${path}` }, { flow: true }));
  return [...changes, `${name}: requests GET ${path} instead`];
}

/** The query that every GraphQL service answers gives way to those of its own schema. */
function fixQueries(document: Document, name: string, { schema }: TriedService): readonly string[] {
  const found = schemaQueries(schema);
  return isReplaced(document, name, { guess: TYPENAME.name, found, words: TOLD_QUERIES })
    ? [`${name}: uses ${namesOf(found)} from its schema`]
    : [];
}

/** The call that most gRPC services answer gives way to those of the contract that it tells. */
function fixMethods(document: Document, name: string, { methods = [] }: TriedService): readonly string[] {
  const found = methodOperations(methods);
  return isReplaced(document, name, { guess: HEALTH.name, found, words: TOLD_CALLS })
    ? [`${name}: uses ${namesOf(found)} from its contract`]
    : [];
}

function namesOf({ operations }: Described): string {
  return operations
    .slice(0, MOST_OPERATIONS)
    .map(({ name }) => name)
    .join(', ');
}

const TOLD_QUERIES = 'Queries from its schema. Use arguments that the service can answer.';

const TOLD_CALLS = 'Calls from its contract. Use messages that the service can answer.';

interface Replacement {
  /** The name of the operation that stands there because nothing better was known. */
  readonly guess: string;
  readonly found: Described;
  /** The comment above them. */
  readonly words: string;
}

/** Whether a guess was all that is asked of a service, and gave way to what was found. */
function isReplaced(document: Document, name: string, { guess, found, words }: Replacement): boolean {
  const others = found.operations.slice(0, MOST_OPERATIONS);
  const list = listOf(document.contents, name);
  const [only, ...rest] = list?.items ?? [];
  if (list === undefined || !isMap(only) || nameOf(only) !== guess || rest.length > 0 || others.length === 0) {
    return false;
  }
  list.items = others.map((other) => document.createNode(operationEntry(other)));
  list.commentBefore = null;
  const key = keyOf(document.contents, name);
  if (key !== undefined) {
    key.commentBefore = ` ${words}${leftOutWords(found)}`;
  }
  return true;
}

/** What differs from start to start would keep the service from being measured. */
function fixVarying(document: Document, name: string, { operations }: TriedService): readonly string[] {
  const items = listOf(document.contents, name)?.items ?? [];
  return operations.flatMap(({ operation, call, varies }) => {
    const item = items.find((one) => isMap(one) && nameOf(one) === operation);
    if (varies === undefined || !isMap(item)) {
      return [];
    }
    const [key, value] = varies === 'all' ? ['verify', 'status'] : ['ignore', varies];
    item.set(key, document.createNode(value, { flow: true }));
    const told = varies === 'all' ? 'compares only the status of' : `ignores ${cleanText(varies.join(', '), 200)} of`;
    return [`${name}: ${told} ${cleanText(call, 100)}, because it differed between two starts`];
  });
}

function fixPort(document: Document, name: string, { printedPort, ownPort }: TriedService): readonly string[] {
  if (ownPort !== undefined && isMap(document.getIn(['services', name, 'process']))) {
    document.setIn(['services', name, 'process', 'port'], ownPort);
    return [`${name}: process.port ${ownPort}, because it ignores PORT`];
  }
  if (printedPort === undefined || document.getIn(['services', name, 'port']) === undefined) {
    return [];
  }
  document.setIn(['services', name, 'port'], printedPort);
  return [`${name}: port ${printedPort}, which it printed`];
}

/** "GET /orders: answered 401", for a comment and a terminal. */
function refusedWords({ call, status, refusal = '' }: TriedOperation): string {
  return `${cleanText(call, 100)}: ${status === undefined ? cleanText(refusal, 200) : `answered ${cleanText(status, 20)}`}`;
}

/** The operations of a service, or of the file. */
function listOf(contents: unknown, service: string): YAMLSeq | undefined {
  const root = isMap(contents) ? contents : undefined;
  const own = root?.getIn(['services', service, 'operations']);
  const all = own ?? root?.get('operations');
  return isSeq(all) ? all : undefined;
}

/** The key of the same list, which the comment about it stands above. */
function keyOf(contents: unknown, service: string): Scalar | undefined {
  const root = isMap(contents) ? contents : undefined;
  const own = root?.getIn(['services', service]);
  const holder = isMap(own) && own.has('operations') ? own : root;
  const key = holder?.items.find((pair) => isScalar(pair.key) && pair.key.value === 'operations')?.key;
  return isScalar(key) ? key : undefined;
}

function leaveOut(list: YAMLSeq, refused: readonly TriedOperation[]): void {
  const names = new Set(refused.map(({ operation }) => operation));
  const words = refused.map((one) => ` Left out, because it failed when tried: ${refusedWords(one)}`);
  list.items = list.items.filter((item) => !isMap(item) || !names.has(nameOf(item)));
  list.commentBefore = [list.commentBefore, ...words].filter((line) => line !== undefined && line !== null).join('\n');
}

function nameOf(item: YAMLMap): string {
  const name = item.get('name', true);
  return isScalar(name) ? String(name.value) : '';
}
