import protobuf from 'protobufjs';
import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml';
import { contractCall } from '../../../config/contract/drafts.ts';
import { mapIn } from '../../../config/yaml/lines.ts';
import { cleanText } from '../../../foundation/text.ts';
import { shortList } from '../proposal/project-text.ts';
import type { ExampleArguments } from '../proposal/proposal.ts';
import { type Change, type Fixing, listOf, nameOf } from './fix.ts';

const NOT_CREATED = 'Could not be created by `prepare`';

const CREATING = /^(?:Create|Add|Insert|Save|Store|Put|Post|Set|Register|Upsert)(?![a-z])/;

/** Second requests of these find nothing, whatever was created. */
const DELETING = /^(?:delete|remove)/i;

/** Call that creates what a reader requests, and paths in its response of what the reader needs. */
interface Creator {
  readonly call: string;
  readonly message: ExampleArguments;
  readonly capture: Readonly<Record<string, string>>;
  /** Arguments of the reader. */
  readonly row: object;
}

/** Calls of a gRPC contract that create, once after each start, what others did not find. */
export function fixMissing({ document, name, service, known }: Fixing): readonly Change[] {
  const at = ['services', name, 'prepare'];
  const list = listOf(document.contents, name);
  if (known.isLast || document.hasIn(at) || list?.commentBefore?.includes(NOT_CREATED) === true) {
    return [];
  }
  const missing = service.operations
    .filter(({ operation, status }) => status === 'NOT_FOUND' && !DELETING.test(operation))
    .map(({ operation }) => operation);
  const found = (list?.items ?? []).flatMap((item) => {
    const creator = isMap(item) && missing.includes(nameOf(item)) ? creatorOf(item, service.methods ?? []) : undefined;
    return isMap(item) && creator !== undefined ? [{ item, creator }] : [];
  });
  const creators = new Map<string, Creator>();
  for (const { item, creator } of found) {
    const before = creators.get(creator.call)?.capture;
    creators.set(creator.call, { ...creator, capture: { ...before, ...creator.capture } });
    item.set('arguments', document.createNode([creator.row]));
  }
  const holder = document.getIn(['services', name]);
  if (creators.size === 0 || !isMap(holder)) {
    return [];
  }
  const entries = [...creators.values()].map(({ call, message, capture }) => ({
    grpc: { call, message },
    ...(Object.keys(capture).length > 0 && { capture }),
  }));
  const pair = document.createPair('prepare', entries);
  if (isScalar(pair.key)) {
    pair.key.commentBefore = ' Sent once after each start, to create what the operations read.';
  }
  holder.items.push(pair as (typeof holder.items)[number]);
  const read = found.map(({ item }) => nameOf(item));
  const words = `${name}: prepare sends ${shortList([...creators.keys()])} after each start, because ${shortList(read)} answered NOT_FOUND`;
  return [{ words, operations: read, isRequestedOtherwise: true }];
}

/** The file without calls that the service refused. */
export function fixNotCreated({ document, name, service }: Fixing): readonly Change[] {
  const { operations, methods = [], failure } = service;
  const list = listOf(document.contents, name);
  const isRefused = operations.every(({ refusal = '' }) => refusal.includes(`services.${name}.prepare[`));
  if (list === undefined || failure !== undefined || methods.length === 0 || operations.length === 0 || !isRefused) {
    return [];
  }
  document.deleteIn(['services', name, 'prepare']);
  for (const item of list.items.filter(isMap)) {
    if (JSON.stringify(item.get('arguments') ?? '').includes('${prepare.')) {
      const { message = {} } = methods.map(contractCall).find(({ call }) => call === item.get('grpc')) ?? {};
      item.set('arguments', document.createNode([message]));
    }
  }
  const reason = cleanText(operations[0]?.refusal ?? '', 300).replace(/^.*?prepare\[\d+\]: /, '');
  list.commentBefore = [...(list.commentBefore ? [list.commentBefore] : []), ` ${NOT_CREATED}: ${reason}`].join('\n');
  const words = `${name}: without prepare, because of ${reason}`;
  return [{ words, operations: operations.map(({ operation }) => operation), isRequestedOtherwise: true }];
}

function creatorOf(item: YAMLMap, methods: readonly protobuf.Method[]): Creator | undefined {
  const rows = item.get('arguments');
  const row = mapIn(isSeq(rows) ? rows.toJSON()[0] : undefined);
  const [service = '', reader = ''] = String(item.get('grpc')).split('/');
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
  return name.replace(/^[A-Z][a-z]+/, '').replace(/By[A-Z]\w*$/, '');
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

/** Other fields have no value to capture, or to write one in. */
function isScalarAt(field: protobuf.Field, key: string): boolean {
  const isOne = !field.repeated && !(field instanceof protobuf.MapField);
  return field.name === key && isOne && Object.hasOwn(protobuf.types.basic, field.type);
}
