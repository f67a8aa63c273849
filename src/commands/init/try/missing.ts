import protobuf from 'protobufjs';
import { isMap, isScalar, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { contractCall } from '../../../config/contract/drafts.ts';
import { mapIn } from '../../../config/yaml/lines.ts';
import { cleanText } from '../../../foundation/text.ts';
import type { TriedOperation } from '../../../measure/plans/try.ts';
import type { ExampleArguments } from '../services/proposal.ts';
import { shortList } from '../write/project-text.ts';
import { addCommented, type Change, type Fixing, itemsOf, nameOf, retried } from './fix.ts';

const NOT_CREATED = 'Could not be created by `prepare`';

/** Comment that marks such a `prepare`. */
const ADDED = ' Sent once after each start, to create what the operations read.';

const CREATING = /^(?:Create|Add|Insert|Save|Store|Put|Post|Set|Register|Upsert)(?![a-z])/;

/** Calls that delete what was created: further requests find nothing. */
const DELETING = /^(?:delete|remove)/i;

/** Call that creates what another call reads, and paths in its response to what the reader needs. */
interface Creator {
  readonly call: string;
  readonly message: ExampleArguments;
  readonly capture: Readonly<Record<string, string>>;
  /** Arguments of the reader. */
  readonly row: object;
}

/** Adds calls of a gRPC contract that create, once after each start, what others did not find. */
export function fixMissing(fixing: Fixing): readonly Change[] {
  const { document, name, entry, list, service, known } = fixing;
  if (known.isLast || entry.has('prepare') || list.commentBefore?.includes(NOT_CREATED) === true) {
    return [];
  }
  const missing = namesOf(service.operations, ({ status }) => status === 'NOT_FOUND');
  const read = itemsOf(fixing).filter((item) => missing.includes(nameOf(item)) && !DELETING.test(nameOf(item)));
  const found = read.flatMap((item) => {
    const creator = creatorOf({ call: String(item.get('grpc')), row: rowOf(item) }, service.methods ?? []);
    return creator === undefined ? [] : [{ item, creator }];
  });
  const creators = new Map<string, Creator>();
  for (const { item, creator } of found) {
    const before = creators.get(creator.call)?.capture;
    creators.set(creator.call, { ...creator, capture: { ...before, ...creator.capture } });
    item.set('arguments', document.createNode([creator.row]));
  }
  if (creators.size === 0) {
    return [];
  }
  const entries = [...creators.values()].map(({ call, message, capture }) => ({
    grpc: { call, message },
    ...(Object.keys(capture).length > 0 && { capture }),
  }));
  addCommented(fixing, 'prepare', entries, ADDED);
  const names = found.map(({ item }) => nameOf(item));
  const words = `${name}: prepare sends ${shortList([...creators.keys()])} after each start, because ${shortList(names)} answered NOT_FOUND`;
  return retried(words, names);
}

/** Removes calls that the service refused or did not survive. */
export function fixNotCreated(fixing: Fixing): readonly Change[] {
  const { document, name, entry, list } = fixing;
  const { operations, methods = [], failure } = fixing.service;
  const refusals = operations.map(({ refusal = '' }) => refusal);
  const isRefused = refusals.every((refusal) => refusal.includes(`services.${name}.prepare[`));
  const isFailed = failure !== undefined || (operations.length > 0 && isRefused);
  if (!isFailed || addedTo(entry) === undefined) {
    return [];
  }
  entry.delete('prepare');
  const items = itemsOf(fixing);
  for (const item of items.filter((one) => JSON.stringify(one.get('arguments') ?? '').includes('${prepare.'))) {
    item.set('arguments', document.createNode([exampleFor(item, methods)]));
  }
  const reason = cleanText(failure ?? refusals[0] ?? '', 300).replace(/^.*?prepare\[\d+\]: /, '');
  list.commentBefore = withReason(list, reason);
  return retried(`${name}: without prepare, because of ${reason}`, items.map(nameOf));
}

/** Removes calls that did not create what was read. */
export function fixStillMissing(fixing: Fixing): readonly Change[] {
  const { document, name, entry, list } = fixing;
  const { operations, methods = [] } = fixing.service;
  const added = addedTo(entry);
  const missing = namesOf(operations, ({ status }) => status === 'NOT_FOUND');
  const answered = namesOf(operations, ({ refusal }) => refusal === undefined);
  const created = itemsOf(fixing).flatMap((item) => {
    const row = exampleFor(item, methods);
    const creator = creatorOf({ call: String(item.get('grpc')), row }, methods);
    return creator === undefined ? [] : [{ item, row, call: creator.call }];
  });
  const lost = created.filter(({ item }) => missing.includes(nameOf(item)));
  if (added === undefined || lost.length === 0) {
    return [];
  }
  const kept = created.filter(({ item }) => answered.includes(nameOf(item))).map(({ call }) => call);
  added.items = added.items.filter((one) => isMap(one) && kept.includes(String(one.getIn(['grpc', 'call']))));
  if (added.items.length === 0) {
    entry.delete('prepare');
  }
  for (const { item, row } of lost) {
    item.set('arguments', document.createNode([row]));
  }
  const names = shortList(lost.map(({ item }) => nameOf(item)));
  list.commentBefore = withReason(list, `${names} still answered NOT_FOUND`);
  return retried(`${name}: without prepare for ${names}, which still answered NOT_FOUND`);
}

function namesOf(operations: readonly TriedOperation[], is: (one: TriedOperation) => boolean): readonly string[] {
  return operations.filter(is).map(({ operation }) => operation);
}

/** Requests of `prepare` that `fixMissing` added; undefined if the service has none. */
function addedTo({ items }: YAMLMap): YAMLSeq | undefined {
  const pair = items.find(({ key }) => isScalar(key) && key.value === 'prepare' && key.commentBefore === ADDED);
  return isSeq(pair?.value) ? pair.value : undefined;
}

/** Former arguments of an operation; without a contract, those that `prepare` does not fill in. */
function exampleFor(item: YAMLMap, methods: readonly protobuf.Method[]): ExampleArguments {
  const { message } = methods.map(contractCall).find(({ call }) => call === item.get('grpc')) ?? {};
  const kept = Object.entries(rowOf(item)).filter(([, value]) => !String(value).startsWith('${prepare.'));
  return message ?? (Object.fromEntries(kept) as ExampleArguments);
}

function rowOf(item: YAMLMap): Readonly<Record<string, unknown>> {
  const rows = item.get('arguments');
  return mapIn(isSeq(rows) ? rows.toJSON()[0] : undefined);
}

function withReason({ commentBefore }: YAMLSeq, reason: string): string {
  return [...(commentBefore ? [commentBefore] : []), ` ${NOT_CREATED}: ${reason}`].join('\n');
}

function creatorOf(
  { call: read, row }: { readonly call: string; readonly row: Readonly<Record<string, unknown>> },
  methods: readonly protobuf.Method[],
): Creator | undefined {
  const [service = '', reader = ''] = read.split('/');
  const creating = methods.filter(
    ({ name, parent, requestStream, responseStream }) =>
      CREATING.test(name) && parent?.fullName === `.${service}` && requestStream !== true && responseStream !== true,
  );
  const isOfNoun = ({ name }: protobuf.Method): boolean => nounOf(name) === nounOf(reader);
  const own = methods.find(({ name, parent }) => name === reader && parent?.fullName === `.${service}`);
  const isPlain = (key: string): boolean =>
    fieldsOf(own?.parent, own?.requestType).some((field) => isScalarAt(field, key));
  return creating
    .toSorted((a, b) => Number(isOfNoun(b)) - Number(isOfNoun(a)))
    .flatMap((method): readonly Creator[] => {
      const { call, message = {} } = contractCall(method);
      const lacking = Object.keys(row).filter((key) => JSON.stringify(message[key]) !== JSON.stringify(row[key]));
      const paths = lacking.map(
        (key) => [key, isOfNoun(method) && isPlain(key) ? pathTo(key, method) : undefined] as const,
      );
      if (Object.keys(row).length === 0 || paths.some(([, path]) => path === undefined)) {
        return [];
      }
      const captured = paths.map(([key, path = '']) => ({ key, path, own: ownName(nounOf(reader), key) }));
      return [
        {
          call,
          message,
          capture: Object.fromEntries(captured.map(({ own, path }) => [own, path])),
          row: { ...row, ...Object.fromEntries(captured.map(({ own, key }) => [key, `\${prepare.${own}}`])) },
        },
      ];
    })[0];
}

/** "User" of CreateUser, GetUser and GetUserById. */
function nounOf(name: string): string {
  return name.replace(/^[A-Z][a-z]+/, '').split(/By(?=[A-Z])/)[0] ?? '';
}

function ownName(noun: string, key: string): string {
  const words = [noun, key].filter((word) => word !== '').join('_');
  return (
    words
      .toLowerCase()
      .replace(/^[^a-z]+/, '')
      .slice(0, 60) || 'value'
  );
}

/** Path of a scalar in the response of a call, or in a message in it. */
function pathTo(key: string, { parent, responseType }: protobuf.Method): string | undefined {
  const fields = fieldsOf(parent, responseType);
  if (fields.some((field) => isScalarAt(field, key))) {
    return `$.${key}`;
  }
  const holder = fields.find(
    (field) =>
      !field.repeated &&
      !(field instanceof protobuf.MapField) &&
      fieldsOf(field.parent, field.type).some((inner) => isScalarAt(inner, key)),
  );
  return holder && `$.${holder.name}.${key}`;
}

function fieldsOf(parent: protobuf.NamespaceBase | null | undefined, name = ''): readonly protobuf.Field[] {
  const type = parent?.lookup(name);
  return type instanceof protobuf.Type ? type.fieldsArray : [];
}

/** Other fields have no value to capture or set. */
function isScalarAt(field: protobuf.Field, key: string): boolean {
  const isOne = !field.repeated && !(field instanceof protobuf.MapField);
  return field.name === key && isOne && Object.hasOwn(protobuf.types.basic, field.type);
}
