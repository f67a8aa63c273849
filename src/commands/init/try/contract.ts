import { isMap } from 'yaml';
import { type Described, HEALTH, methodOperations } from '../routes/contracts.ts';
import { schemaQueries, TYPENAME } from '../routes/graphql-schema.ts';
import { leftOutWords, MAX_OPERATIONS, operationEntry } from '../write/project-text.ts';
import { type Change, type Fixing, keyOf, nameOf, retried } from './fix.ts';

/** A service that only answers HTTP/2 speaks gRPC; its contract is not among the files found for it. */
export function fixProtocol({ document, name, entry, list, service: { speaks } }: Fixing): readonly Change[] {
  if (speaks !== 'grpc' || entry.get('protocol') !== 'rest') {
    return [];
  }
  entry.set('protocol', 'grpc');
  entry.set('proto', 'reflection');
  list.items = [document.createNode(operationEntry(HEALTH))];
  return retried(`${name}: protocol grpc, because it answers HTTP/2 only`);
}

/** Replaces the query that every GraphQL service answers with queries of its own schema. */
export function fixQueries(fixing: Fixing): readonly Change[] {
  const found = schemaQueries(fixing.service.schema);
  return replaced(fixing, { guess: TYPENAME.name, found, kind: 'Queries', from: 'schema', takes: 'arguments' });
}

/** Replaces the gRPC health check with calls of the service's contract. */
export function fixMethods(fixing: Fixing): readonly Change[] {
  const [only] = fixing.list.items;
  // A contract may have a call with that name.
  if (!isMap(only) || only.get('grpc') !== HEALTH.binding.grpc) {
    return [];
  }
  const found = methodOperations(fixing.service.methods ?? []);
  return replaced(fixing, { guess: HEALTH.name, found, kind: 'Calls', from: 'contract', takes: 'messages' });
}

type Replacement = Readonly<Record<'guess' | 'kind' | 'from' | 'takes', string>> & { readonly found: Described };

function replaced(fixing: Fixing, { guess, found, kind, from, takes }: Replacement): readonly Change[] {
  const { document, name, list } = fixing;
  const others = found.operations.slice(0, MAX_OPERATIONS);
  const [only, ...rest] = list.items;
  if (!isMap(only) || nameOf(only) !== guess || rest.length > 0 || others.length === 0) {
    return [];
  }
  list.items = others.map((other) => document.createNode(operationEntry(other)));
  list.commentBefore = null;
  const key = keyOf(fixing);
  if (key !== undefined) {
    key.commentBefore = ` ${kind} from its ${from}. Use ${takes} that the service can answer.${leftOutWords(found)}`;
  }
  return retried(`${name}: uses ${others.map((one) => one.name).join(', ')} from its ${from}`);
}
