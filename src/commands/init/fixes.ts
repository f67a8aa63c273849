import { type Document, isMap, isScalar, isSeq, parseDocument, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Json } from '../../foundation/json.ts';
import { formatDuration } from '../../foundation/numbers.ts';
import { cleanText } from '../../foundation/text.ts';
import { isGuarded, type TriedOperation, type TriedService } from '../../measure/plans/try.ts';
import { MOST_SECONDS } from '../../measure/trial/ready.ts';
import { RATE_LIMITED } from '../../model/suite/http.ts';
import { type Described, HEALTH, methodOperations } from './proposal/contracts.ts';
import { schemaQueries, TYPENAME } from './proposal/graphql-schema.ts';
import {
  FURTHER,
  furtherWords,
  leftOutWords,
  MOST_OPERATIONS,
  operationEntry,
  TOKEN_WORDS,
} from './proposal/project-text.ts';
import type { LeftOutService } from './proposal/proposal.ts';
import { isHealthPath, operationName } from './routes/source-operations.ts';

/** The result of each service's trial, by its name. */
export type TriedServices = ReadonlyMap<string, TriedService>;

/** The text of a wiregauge.yml as a trial leaves it. */
export interface FixedText {
  readonly text: string;
  /** A line for each change. */
  readonly changes: readonly string[];
  /** The operations that it lost. */
  readonly leftOut: readonly LeftOutService[];
  /** Routes that it still lacks and that were not tried, by the name of their service. */
  readonly further: FixKnowledge['further'];
  /** Whether only another trial shows if a change helps. */
  readonly isAskedOtherwise: boolean;
}

/** What is known of the services besides their answers. */
export interface FixKnowledge {
  /** Routes with arguments that the file does not have, such as `GET /users/{id}`, by the name of their service. */
  readonly further: ReadonlyMap<string, readonly string[]>;
  /** Whether the environment has an API_TOKEN to try. */
  readonly hasToken: boolean;
  /** True for the last trial, after which no argument can be tried. */
  readonly isLast: boolean;
}

const NOTHING: FixKnowledge = { further: new Map(), hasToken: false, isLast: false };

interface Change {
  /** undefined: the text stays, and only another thing is to be said. */
  readonly words: string | undefined;
  readonly leftOut?: readonly LeftOutService[];
  readonly isAskedOtherwise?: boolean;
}

/**
 * A text with what a trial showed: the arguments that the answer of a list has; credentials, if nothing is answered without them; without the
 * operations that a service refused, which a comment names, if it answers others; with a path that answers if it answers none of them; with
 * the queries of the schema, or the calls of the contract, that it provides if none was found before; with gRPC for a service that speaks
 * nothing but HTTP/2; without comparing what differed between two starts; with the port that its container printed, or that the process
 * listens on; and with the time that a slow start needs. All else of the text stays.
 */
export function fixedText(text: string, tried: TriedServices, known: FixKnowledge = NOTHING): FixedText {
  const document = parseDocument(text);
  const changes = [...tried].flatMap(([name, service]): readonly Change[] => {
    const filled = known.isLast ? [] : fixArguments(document, name, service, known.further.get(name) ?? []);
    const shown = fixCredentials(document, name, service, known.hasToken);
    const limited = rateLimited(name, service);
    const waiting = new Set([...filled, ...shown, ...limited].flatMap(({ operations }) => operations));
    return [
      ...filled,
      ...shown,
      ...limited,
      ...fixOperations(document, name, service, waiting),
      ...fixQueries(document, name, service),
      ...fixMethods(document, name, service),
      ...fixProtocol(document, name, service),
      ...fixFewOperations(document, name, service, known.further.get(name) ?? []),
      ...fixSetuptools(document, name, service),
      ...fixLost(document, name, service),
      ...fixVarying(document, name, service).map((words) => ({ words })),
      ...fixPort(document, name, service),
      ...fixReady(document, name, service),
    ];
  });
  const further = new Map([...known.further].map(([name, routes]) => [name, furtherOf(document, name, routes)]));
  return {
    text: changes.every(({ words }) => words === undefined)
      ? text
      : document.toString({ lineWidth: 0, flowCollectionPadding: true }),
    changes: changes.flatMap(({ words }) => words ?? []),
    leftOut: changes.flatMap(({ leftOut = [] }) => leftOut),
    further,
    isAskedOtherwise: changes.some((change) => change.isAskedOtherwise === true),
  };
}

/** A text without services that do not work: with them no other could be measured. */
export function withoutServices(text: string, names: readonly string[]): string {
  const document = parseDocument(text);
  for (const name of names) {
    document.deleteIn(['services', name]);
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** A change of which another trial shows whether the operations are answered then. */
interface Waiting extends Change {
  readonly operations: readonly string[];
}

/** Of `GET /users/{id}`: the path of the list, and the name of the argument. */
const ONE_OF_LIST = /^GET (\/[^{}?]*?)\/?\{(\w+)\}\/?$/;

/** What `GET /users` answered is an argument of `GET /users/{id}`, which is added if the sources have such a route. */
function fixArguments(
  document: Document,
  name: string,
  { operations }: TriedService,
  further: readonly string[],
): readonly Waiting[] {
  const list = listOf(document.contents, name);
  const items = (list?.items ?? []).filter((item) => isMap(item));
  const argumentsOf = (route: string): Record<string, Json> | undefined => {
    const [, path, argument = ''] = ONE_OF_LIST.exec(route) ?? [];
    const all = operations.find((one) => path !== undefined && pathOf(one.call) === path);
    const keys = [argument, ...(/^(?:\w*id|pk|key)$/i.test(argument) ? ['id', '_id', 'uuid'] : [])];
    const key = keys.find((one) => all?.item?.[one] !== undefined) ?? '';
    const ignored = items.find((item) => nameOf(item) === all?.operation)?.toJSON().ignore ?? [];
    // The next start would not know the value.
    const isVarying = [ignored, all?.varies ?? []].flat().some((one) => String(one).endsWith(`].${key}`));
    const value = isVarying ? undefined : all?.item?.[key];
    return value === undefined ? undefined : { [argument]: value };
  };
  const refused = items.flatMap((item): readonly Waiting[] => {
    const route = String(item.get('rest'));
    const found = argumentsOf(route);
    const isRefused = operations.some(({ operation, refusal }) => operation === nameOf(item) && refusal !== undefined);
    const isNew = JSON.stringify(item.toJSON().arguments) !== JSON.stringify([found]);
    if (found === undefined || !isRefused || !isNew) {
      return [];
    }
    item.set('arguments', document.createNode([found]));
    return [filledWords(name, route, [nameOf(item)])];
  });
  const routes = new Set(items.map((item) => String(item.get('rest'))));
  const added = further
    .filter((route) => !routes.has(route) && argumentsOf(route) !== undefined)
    .slice(0, Math.max(0, MOST_OPERATIONS - items.length))
    .map((route): Waiting => {
      const operation = operationName(route.slice('GET '.length));
      list?.add(document.createNode({ name: operation, arguments: [argumentsOf(route)], rest: route }));
      return filledWords(name, route, [operation]);
    });
  return [...refused, ...added];
}

function pathOf(call: string): string {
  return call
    .replace(/^GET /, '')
    .replace(/\?.*$/, '')
    .replace(/(.)\/$/, '$1');
}

function filledWords(name: string, route: string, operations: readonly string[]): Waiting {
  return {
    words: `${name}: ${route} with an argument from the answer of its list`,
    operations,
    isAskedOtherwise: true,
  };
}

/** Routes without arguments in the sources of a service with few operations; another trial keeps those that respond. */
function fixFewOperations(
  document: Document,
  name: string,
  { operations }: TriedService,
  further: readonly string[],
): readonly Change[] {
  const list = listOf(document.contents, name);
  const asked = new Set([...operations.map(({ call }) => call), ...(list?.items ?? []).map(routeOf)]);
  const isUp = operations.some(({ status }) => status !== undefined);
  const isNew = (route: string): boolean =>
    !asked.has(route) && list?.commentBefore?.includes(leftOutLine(route)) !== true;
  const added = further
    .filter((route) => /^GET \/[^{}]*$/.test(route) && !isHealthPath(route) && isNew(route))
    .slice(0, Math.max(0, MOST_OPERATIONS - (list?.items.length ?? 0)));
  if (list === undefined || !isUp || added.length === 0) {
    return [];
  }
  for (const route of added) {
    list.add(document.createNode({ name: operationName(route.slice('GET '.length)), rest: route }));
  }
  return [{ words: `${name}: tries ${added.join(', ')}, too`, isAskedOtherwise: true }];
}

/** The routes that a file still lacks; the comment above its operations names no others. */
function furtherOf(document: Document, name: string, further: readonly string[]): readonly string[] {
  const list = listOf(document.contents, name);
  const there = new Set(list?.items.map(routeOf));
  const left = further.filter((route) => !there.has(route) && !list?.commentBefore?.includes(leftOutLine(route)));
  const key = keyOf(document.contents, name);
  const lines = key?.commentBefore?.split('\n') ?? [];
  if (key !== undefined && lines.some((line) => line.startsWith(` ${FURTHER}`))) {
    const rest = lines.filter((line) => !line.startsWith(` ${FURTHER}`));
    key.commentBefore = [...rest, ...(left.length === 0 ? [] : [` ${furtherWords(left)}`])].join('\n');
  }
  return left;
}

function leftOutLine(call: string): string {
  return `${LEFT_OUT}: ${call}:`;
}

function routeOf(item: unknown): string {
  return isMap(item) ? String(item.get('rest')) : '';
}

const CREDENTIALS = 'Bearer ${env.API_TOKEN}';

/** Credentials from the environment: if it has some to try, or if nothing is answered without them. */
function fixCredentials(
  document: Document,
  name: string,
  { operations }: TriedService,
  hasToken: boolean,
): readonly Waiting[] {
  const guarded = operations.filter(({ status }) => isGuarded(status));
  const isNothing = operations.every(({ refusal }) => refusal !== undefined);
  const key = document.getIn(['services', name, 'protocol']) === 'grpc' ? 'metadata' : 'headers';
  if (document.hasIn(['services', name, key])) {
    return hasToken ? [] : writtenCredentials(document, [name, key], { operations, guarded });
  }
  if (guarded.length === 0 || !(hasToken || isNothing)) {
    return [];
  }
  const pair = document.createPair(key, { [key === 'headers' ? 'Authorization' : 'authorization']: CREDENTIALS });
  const service = document.getIn(['services', name]);
  if (!isMap(service) || !isScalar(pair.key)) {
    return [];
  }
  pair.key.commentBefore = ` ${TOKEN_WORDS}`;
  service.items.push(pair as (typeof service.items)[number]);
  return [
    {
      words: `${name}: ${key} with the credentials in API_TOKEN, because it answered ${cleanText(guarded[0]?.status ?? '', 20)}`,
      operations: guarded.map(({ operation }) => operation),
      isAskedOtherwise: hasToken,
      ...(!hasToken && { leftOut: [{ name: `credentials of ${name}`, why: TOKEN_WORDS }] }),
    },
  ];
}

/** Credentials that the contract asks for, of a service that was tried without them. */
function writtenCredentials(
  document: Document,
  [name, key]: readonly [string, string],
  { operations, guarded }: { readonly operations: readonly TriedOperation[]; readonly guarded: typeof operations },
): readonly Waiting[] {
  if (guarded.length > 0) {
    const left = [{ name: `credentials of ${name}`, why: TOKEN_WORDS }];
    return [{ words: undefined, operations: guarded.map(({ operation }) => operation), leftOut: left }];
  }
  if (operations.every(({ refusal }) => refusal !== undefined)) {
    return [];
  }
  document.deleteIn(['services', name, key]);
  return [{ words: `${name}: without ${key}, because it answers without credentials`, operations: [] }];
}

/** Responses with 429 say nothing of the operation: it stays. */
function rateLimited(name: string, { operations }: TriedService): readonly Waiting[] {
  const limited = operations.filter(({ status }) => status === '429').map(({ operation }) => operation);
  const why = `${limited.join(', ')} answered 429. ${RATE_LIMITED}`;
  return limited.length === 0
    ? []
    : [{ words: undefined, operations: limited, leftOut: [{ name: `${name}: rate limit`, why }] }];
}

function fixOperations(
  document: Document,
  name: string,
  { operations, path }: TriedService,
  waiting: ReadonlySet<string>,
): readonly Change[] {
  const list = listOf(document.contents, name);
  const refused = operations.filter(({ refusal, operation }) => refusal !== undefined && !waiting.has(operation));
  const isLeft = refused.length < operations.length || path !== undefined;
  if (list === undefined || refused.length === 0 || !isLeft) {
    return [];
  }
  leaveOut(list, refused);
  const changes = refused.map(
    (one): Change => ({
      words: `${name}: left out ${refusedWords(one)}`,
      leftOut: [
        {
          name: `${name}: ${one.call}`,
          why: `it ${answeredWords(one)}${isGuarded(one.status) ? `; ${WITH_TOKEN}` : ''}`,
        },
      ],
    }),
  );
  if (path === undefined || list.items.some((item) => isMap(item) && item.get('weight') !== 0)) {
    return changes;
  }
  list.add(document.createNode({ name: 'Index', rest: `GET ${path}` }));
  const why = `only GET ${path} answered, which says little of the service: write the requests that matter`;
  const leftOut = [{ name: `${name}: its own operations`, why }];
  return [...changes, { words: `${name}: requests GET ${path} instead`, leftOut, isAskedOtherwise: true }];
}

const WITH_TOKEN =
  'with `headers: { Authorization: "Bearer ${env.API_TOKEN}" }` on the service, API_TOKEN of the environment is sent';

/** A service that answers HTTP/2 alone speaks gRPC; its contract is not among the files that were found for it. */
function fixProtocol(document: Document, name: string, { speaksGrpc }: TriedService): readonly Change[] {
  const service = document.getIn(['services', name]);
  const list = listOf(document.contents, name);
  if (speaksGrpc !== true || !isMap(service) || list === undefined || service.get('protocol') !== 'rest') {
    return [];
  }
  service.set('protocol', 'grpc');
  service.set('proto', 'reflection');
  list.items = [document.createNode(operationEntry(HEALTH))];
  return [{ words: `${name}: protocol grpc, because it answers HTTP/2 only`, isAskedOtherwise: true }];
}

/** Another machine may be slower, and a comparison starts two at once. */
const LONGER = 3;

/** A service that may need more time than one without a limit of its own has. */
function fixReady(document: Document, name: string, { startUpSeconds = 0 }: TriedService): readonly Change[] {
  const timeoutSeconds = Math.ceil(LONGER * startUpSeconds);
  if (timeoutSeconds <= MOST_SECONDS || document.hasIn(['services', name, 'ready'])) {
    return [];
  }
  document.setIn(['services', name, 'ready'], document.createNode({ timeoutSeconds }, { flow: true }));
  const took = formatDuration(startUpSeconds);
  return [{ words: `${name}: ready after at most ${timeoutSeconds} s, three times the ${took} that it took` }];
}

/** Adds the last setuptools with pkg_resources, which environments of Python contained until 3.12. */
function fixSetuptools(document: Document, name: string, { failure = '' }: TriedService): readonly Change[] {
  const lacking = /No module named '(pkg_resources|distutils|setuptools)/.exec(failure)?.[1];
  const build = document.getIn(['services', name, 'process', 'build']);
  const steps = isSeq(build) ? build.items.map((step) => (isSeq(step) ? step.items.map(String) : [])) : [];
  const install = steps.find((step) => step.slice(0, 4).join(' ') === 'uv pip install --python');
  if (lacking === undefined || install === undefined || !isSeq(build) || steps.flat().includes(SETUPTOOLS)) {
    return [];
  }
  build.add(document.createNode([...install.slice(0, 5), SETUPTOOLS], { flow: true }));
  return [{ words: `${name}: installs ${SETUPTOOLS}, because it imports ${lacking}`, isAskedOtherwise: true }];
}

const SETUPTOOLS = 'setuptools<81';

/** The query that every GraphQL service answers gives way to those of its own schema. */
function fixQueries(document: Document, name: string, { schema }: TriedService): readonly Change[] {
  const found = schemaQueries(schema);
  return isReplaced(document, name, { guess: TYPENAME.name, found, words: TOLD_QUERIES })
    ? [{ words: `${name}: uses ${namesOf(found)} from its schema`, isAskedOtherwise: true }]
    : [];
}

/** The call that most gRPC services answer gives way to those of the contract that it tells. */
function fixMethods(document: Document, name: string, { methods = [] }: TriedService): readonly Change[] {
  const found = methodOperations(methods);
  return isReplaced(document, name, { guess: HEALTH.name, found, words: TOLD_CALLS })
    ? [{ words: `${name}: uses ${namesOf(found)} from its contract`, isAskedOtherwise: true }]
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

/** Arguments of operations that are answered with others. */
function fixLost(document: Document, name: string, { operations }: TriedService): readonly Change[] {
  const items = listOf(document.contents, name)?.items ?? [];
  return operations.flatMap(({ operation, call, lost = [] }) => {
    const item = items.find((one) => isMap(one) && nameOf(one) === operation);
    const rows = isMap(item) ? item.get('arguments') : undefined;
    if (!isSeq(rows) || lost.length === 0) {
      return [];
    }
    const words = `${name}: without ${lost.length} of ${rows.items.length} arguments of ${cleanText(operation, 80)}, because it refused them, unlike ${cleanText(call, 100)}`;
    rows.items = rows.items.filter((_, place) => !lost.includes(place));
    return [{ words, isAskedOtherwise: lost.includes(0) }];
  });
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
    item.set(key, document.createNode(value, { flow: Array.isArray(value) }));
    const told = varies === 'all' ? 'compares only the status of' : `ignores ${cleanText(varies.join(', '), 200)} of`;
    return [`${name}: ${told} ${cleanText(call, 100)}, because it differed between two starts`];
  });
}

function fixPort(document: Document, name: string, { printedPort, ownPort }: TriedService): readonly Change[] {
  if (ownPort !== undefined && isMap(document.getIn(['services', name, 'process']))) {
    document.setIn(['services', name, 'process', 'port'], ownPort);
    return [{ words: `${name}: process.port ${ownPort}, the port that it listens on`, isAskedOtherwise: true }];
  }
  if (printedPort === undefined || document.getIn(['services', name, 'port']) === undefined) {
    return [];
  }
  document.setIn(['services', name, 'port'], printedPort);
  return [{ words: `${name}: port ${printedPort}, which it printed`, isAskedOtherwise: true }];
}

/** "GET /orders: answered 401", for a comment and a terminal. */
function refusedWords(one: TriedOperation): string {
  return `${cleanText(one.call, 100)}: ${answeredWords(one)}`;
}

function answeredWords({ status, refusal = '' }: TriedOperation): string {
  return status === undefined ? cleanText(refusal, 200) : `answered ${cleanText(status, 20)}`;
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

const LEFT_OUT = 'Left out, because it failed when tried';

function leaveOut(list: YAMLSeq, refused: readonly TriedOperation[]): void {
  const names = new Set(refused.map(({ operation }) => operation));
  const words = refused.map((one) => ` ${LEFT_OUT}: ${refusedWords(one)}`);
  list.items = list.items.filter((item) => !isMap(item) || !names.has(nameOf(item)));
  const guarded = refused.some(({ status }) => isGuarded(status))
    ? [` To measure what requires credentials: ${WITH_TOKEN}.`]
    : [];
  list.commentBefore = [list.commentBefore, ...words, ...guarded]
    .filter((line) => line !== undefined && line !== null)
    .join('\n');
}

function nameOf(item: YAMLMap): string {
  const name = item.get('name', true);
  return isScalar(name) ? String(name.value) : '';
}
