import { type Document, isMap } from 'yaml';
import { type Described, HEALTH, methodOperations } from '../proposal/contracts.ts';
import { schemaQueries, TYPENAME } from '../proposal/graphql-schema.ts';
import { leftOutWords, MOST_OPERATIONS, operationEntry } from '../proposal/project-text.ts';
import { type Change, type Fixing, keyOf, listOf, nameOf } from './fix.ts';

/** A service that answers HTTP/2 alone speaks gRPC; its contract is not among the files that were found for it. */
export function fixProtocol({ document, name, service: { speaks } }: Fixing): readonly Change[] {
  const service = document.getIn(['services', name]);
  const list = listOf(document.contents, name);
  if (speaks !== 'grpc' || !isMap(service) || list === undefined || service.get('protocol') !== 'rest') {
    return [];
  }
  service.set('protocol', 'grpc');
  service.set('proto', 'reflection');
  list.items = [document.createNode(operationEntry(HEALTH))];
  return [{ words: `${name}: protocol grpc, because it answers HTTP/2 only`, isRequestedOtherwise: true }];
}

/** The query that every GraphQL service answers gives way to those of its own schema. */
export function fixQueries({ document, name, service: { schema } }: Fixing): readonly Change[] {
  const found = schemaQueries(schema);
  return isReplaced(document, name, { guess: TYPENAME.name, found, words: TOLD_QUERIES })
    ? [{ words: `${name}: uses ${namesOf(found)} from its schema`, isRequestedOtherwise: true }]
    : [];
}

/** The call that most gRPC services answer gives way to those of the contract that it tells. */
export function fixMethods({ document, name, service: { methods = [] } }: Fixing): readonly Change[] {
  const found = methodOperations(methods);
  return isReplaced(document, name, { guess: HEALTH.name, found, words: TOLD_CALLS })
    ? [{ words: `${name}: uses ${namesOf(found)} from its contract`, isRequestedOtherwise: true }]
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
