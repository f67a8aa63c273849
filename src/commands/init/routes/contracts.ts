import protobuf from 'protobufjs';
import { contractCall } from '../../../config/contract/drafts.ts';
import { credentialsFor } from '../../../config/openapi/credentials.ts';
import {
  basePath,
  type DocumentOperation,
  documentOperationName,
  documentOperations,
  looseDocument,
  type OpenApiDocument,
} from '../../../config/openapi/document.ts';
import { type DocumentRequest, documentRequest } from '../../../config/openapi/request.ts';
import { withOwnNames } from '../../../config/operations/draft.ts';
import { mapIn } from '../../../config/yaml/lines.ts';
import { ConfigError, ifPossible } from '../../../foundation/errors.ts';
import type { Json } from '../../../foundation/json.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import { textRoot } from '../../../protocols/grpc/contract.ts';
import type { BodySource } from '../../../protocols/rest/binding.ts';
import { baseName, byDepth, folderOf, isBelow, type RepositoryFolder } from '../read/places.ts';
import type { ProposedBinding, ProposedOperation } from '../services/proposal.ts';
import { isHealthPath } from './source-operations.ts';

export function mayBeOpenApi({ path }: RepositoryFile): boolean {
  return /^[\w.-]*(?:openapi|swagger)[\w.-]*\.(?:json|ya?ml)$/i.test(baseName(path));
}

export interface Described {
  readonly operations: readonly ProposedOperation[];
  /** Operations that are left out, like `POST /orders` or `mutation addOrder`. */
  readonly further: readonly string[];
  /** Headers that its operations need, with secrets from the environment. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface Found extends ProposedOperation {
  /** "GET /orders". */
  readonly line: string;
  /** Ways to authenticate; empty if none is required. */
  readonly ways: ReturnType<typeof credentialsFor>;
}

/** Paths and names of operations that only read, although they have a body. */
const READING =
  /search|query|find|look-?up|filter|count|predict|infer|complet|embed|echo|valid|convert|calc|estimat|translat|check|parse|render|scor|classif|detect/i;

/** Operations of a document that need credentials, to propose in addition to public ones. */
export interface MoreOperations {
  /** Those that change data. */
  readonly writes?: boolean | undefined;
  /** Those that need credentials, in addition to others. */
  readonly guarded?: boolean | undefined;
}

/**
 * GET operations of an OpenAPI document, with example values for their parameters: public ones, if they are more than a health check and `guarded` is
 * not set; else all, with the headers that they need. Without any, operations with a body that seem to read; with `writes`, also those that change
 * data.
 */
export function openApiOperations(
  { path, text }: RepositoryFile,
  { writes = false, guarded = false }: MoreOperations = {},
): Described {
  const document = looseDocument({ file: path, text });
  if (document.content['openapi'] === undefined && document.content['swagger'] === undefined) {
    return { operations: [], further: [] };
  }
  const operations = orNothing(() => documentOperations(document)) ?? [];
  const proposedOf = (all: readonly DocumentOperation[]) =>
    all.flatMap((operation) => orNothing(() => proposed(operation, document)) ?? []);
  const plain = proposedOf(operations.filter(({ method }) => method === 'GET'));
  const reading = plain.length > 0 ? plain : proposedOf(operations.filter(isReading));
  const read = guarded ? reading : withoutGuarded(reading);
  const changing = proposedOf(operations.filter(({ method }) => /^(?:POST|PUT|PATCH)$/.test(method))).filter(
    (one) => !reading.some(({ line }) => line === one.line),
  );
  const found = writes ? [...read.slice(0, READ_FIRST), ...changing, ...read.slice(READ_FIRST)] : read;
  const lines = new Set(found.map(({ line }) => line));
  const shown = new Map(changing.map((one) => [one.line, withBody(one)]));
  return {
    operations: withOwnNames(found.map(({ ways: _, line: _line, ...operation }) => operation)),
    further: operations
      .map((one) => lineOf(one, document))
      .flatMap((one) => (lines.has(one) ? [] : (shown.get(one) ?? one))),
    headers: headersOf(found),
  };
}

/** Number of proposed operations that only read, ahead of those that change data. */
const READ_FIRST = 3;

/** Public operations, if they are more than a health check; else all. */
function withoutGuarded(found: readonly Found[]): readonly Found[] {
  const open = found.filter(({ ways }) => ways.length === 0);
  const isEnough = open.some(({ line }) => !isHealthPath(line));
  return isEnough ? open : [...open, ...found.filter(({ ways }) => ways.length > 0)];
}

/** Headers of the first way to authenticate that needs only headers. */
function headersOf(found: readonly Found[]): Readonly<Record<string, string>> {
  const way = found.flatMap(({ ways }) => ways).find((one) => one.every(({ kind }) => kind === 'header')) ?? [];
  return Object.fromEntries(way.map(({ name, prefix }) => [name, `${prefix}\${env.API_TOKEN}`]));
}

/** "POST /orders {"count":1}". */
function withBody({ line, binding, example = {} }: Found): string {
  const entry = 'rest' in binding && typeof binding.rest === 'object' ? binding.rest.body : undefined;
  const body = mapIn(entry)['json'] ?? entry;
  const filled = (found: string, name: string): string =>
    Object.hasOwn(example, name) ? JSON.stringify(example[name]) : found;
  return body === undefined ? line : `${line} ${JSON.stringify(body).replace(/"\{(\w+)\}"/g, filled)}`;
}

/** "GET /api/orders/{id}", with the base path of its server. */
function lineOf(operation: DocumentOperation, document: OpenApiDocument): string {
  return `${operation.method} ${orNothing(() => basePath(operation, document)) ?? ''}${operation.path}`;
}

function isReading({ method, path, id = '' }: DocumentOperation): boolean {
  return method === 'POST' && READING.test(`${path} ${id}`);
}

/** Skips mistakes of a document: a configuration that uses it gets an error that explains them. */
function orNothing<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof ConfigError) {
      return undefined;
    }
    throw thrown;
  }
}

/** Undefined if it requires a header, since its value cannot be guessed. */
function proposed(operation: DocumentOperation, document: OpenApiDocument): readonly Found[] {
  const request = documentRequest(operation, document, { argumentNames: new Set(), rest: undefined });
  if (request.parameters.some(({ place, isRequired }) => place === 'header' && isRequired)) {
    return [];
  }
  const [example = {}] = request.examples;
  return [
    {
      line: lineOf(operation, document),
      name: documentOperationName(operation),
      example: Object.keys(example).length === 0 ? undefined : example,
      binding: bindingOf(operation, request),
      ways: credentialsFor(operation, document),
    },
  ];
}

function bindingOf({ method }: DocumentOperation, { path, headers, body }: DocumentRequest): ProposedBinding {
  const sent = Object.keys(headers).length === 0 ? {} : { headers };
  if (method !== 'GET' && body !== undefined) {
    return { rest: { method, path, ...sent, body: bodyEntry(body) } };
  }
  return { rest: 'headers' in sent ? { path, ...sent } : `${method} ${path}` };
}

/** Body in the form of a configuration, in which some maps have a special meaning. */
function bodyEntry(body: BodySource): Json {
  if (body.kind === 'text') {
    return { text: body.text };
  }
  const value = body.kind === 'json' ? body.json : { file: body.file };
  const isPlain =
    typeof value === 'object' && value !== null && !/^(?:json|text|file)$/.test(Object.keys(value)[0] ?? '');
  return isPlain || body.kind === 'file' ? value : { json: value };
}

export interface FoundContract extends Described {
  readonly proto: { readonly root: string; readonly file: string };
  /** Paths of other files with services that may be the right ones. */
  readonly contracts: readonly string[];
  /** Imports that the repository does not have. */
  readonly lacks: readonly string[];
  /** True if the sources register one of its services. */
  readonly isServed: boolean;
}

/** Services of gRPC itself, which are never measured. */
const NOT_MEASURED = /^\.?(?:grpc\.(?:health|reflection|channelz)|google)\./;

/** The contract that a program serves. */
export interface ServedContract extends RepositoryFolder {
  /** Names of the services that its sources register; empty if they show none. */
  readonly served: readonly string[];
  /** True if calls that change something are proposed, too. */
  readonly writes?: boolean | undefined;
}

/** First contract with a service that a program serves, else with any service: in its folder if it has one, else the nearest to the root; undefined without any. */
export function contractIn({ files, folder, served, writes = false }: ServedContract): FoundContract | undefined {
  const parsed = files
    .filter(({ path }) => path.endsWith('.proto'))
    .toSorted((a, b) => Number(isBelow(b.path, folder)) - Number(isBelow(a.path, folder)) || byDepth(a, b));
  const root = new protobuf.Root();
  const all = parsed.flatMap((file) => servicesOf(file, root));
  const own = all.filter(({ service }) => served.includes(service.name));
  const found = own.length > 0 ? own : all;
  const [first] = found;
  if (first === undefined) {
    return undefined;
  }
  const methods = found.filter(({ file }) => file === first.file).flatMap(({ service }) => service.methodsArray);
  const proto = rootOf(first, parsed);
  return {
    proto,
    ...offeredBy(methods, writes),
    contracts: [...new Set(found.map(({ file }) => file.path))].filter((path) => path !== first.file.path),
    lacks: compiles(proto, parsed) ? [] : lackingIn(first.file, parsed),
    isServed: own.length > 0,
  };
}

function compiles({ root, file }: FoundContract['proto'], all: readonly RepositoryFile[]): boolean {
  const start = root === '.' ? 0 : root.length + 1;
  const texts = Object.fromEntries(
    all.filter(({ path }) => isBelow(path, start === 0 ? '' : root)).map(({ path, text }) => [path.slice(start), text]),
  );
  return ifPossible(() => textRoot(file, { root, file, texts })) !== undefined;
}

const BUILT_IN = /^google\/protobuf\//;

function lackingIn(file: RepositoryFile, all: readonly RepositoryFile[]): readonly string[] {
  const seen = new Set([file]);
  const lacking = new Set<string>();
  // The set grows during the iteration.
  for (const { text } of seen) {
    for (const [, path = ''] of text.matchAll(/^[\t ]*import\s+(?:public\s+|weak\s+)?"([^"\n]+)"/gm)) {
      const found = all.find((one) => one.path === path || one.path.endsWith(`/${path}`));
      if (found !== undefined) {
        seen.add(found);
      } else if (!BUILT_IN.test(path)) {
        lacking.add(path);
      }
    }
  }
  return [...lacking];
}

interface FoundService {
  readonly file: RepositoryFile;
  readonly packageName: string;
  readonly imports: readonly string[];
  readonly service: protobuf.Service;
}

/** Skips an unreadable contract: a measurement reports it with its line. */
function servicesOf(file: RepositoryFile, root: protobuf.Root): readonly FoundService[] {
  const services = ifPossible(() => {
    // Each file is parsed alone first, since broken or duplicate definitions would spoil the types of the others.
    const own = new protobuf.Root();
    const { package: packageName, imports } = protobuf.parse(file.text, own, { keepCase: true });
    protobuf.parse(file.text, root, { keepCase: true });
    return namesOfServices(own).flatMap((name) => {
      const service = root.lookup(name);
      return service instanceof protobuf.Service && !NOT_MEASURED.test(service.fullName)
        ? [{ file, packageName: packageName ?? '', imports: imports ?? [], service }]
        : [];
    });
  });
  return services ?? [];
}

function namesOfServices(space: protobuf.NamespaceBase): readonly string[] {
  return space.nestedArray.flatMap((one) => {
    if (one instanceof protobuf.Service) {
      return /^\.[\w.]+$/.test(one.fullName) && one.methodsArray.length > 0 ? [one.fullName] : [];
    }
    return one instanceof protobuf.Namespace ? namesOfServices(one) : [];
  });
}

/** Folder that imports are relative to: the one in which they exist, else the one that the package name implies. */
function rootOf({ file, packageName, imports }: FoundService, all: readonly RepositoryFile[]): FoundContract['proto'] {
  const folder = folderOf(file.path);
  const parts = folder === '' ? [] : folder.split('/');
  const folders = parts.map((_, index) => parts.slice(0, parts.length - index).join('/')).concat('');
  const known = new Set(all.map(({ path }) => path));
  const holds = (root: string): number =>
    imports.filter((path) => known.has(root === '' ? path : `${root}/${path}`)).length;
  const [byImports = ''] = folders.toSorted((a, b) => holds(b) - holds(a));
  const own = packageName.replaceAll('.', '/');
  const byPackage =
    own !== '' && `/${folder}`.endsWith(`/${own}`) ? folder.slice(0, -own.length).replace(/\/$/, '') : folder;
  const root = holds(byImports) > 0 ? byImports : byPackage;
  return { root: root || '.', file: root === '' ? file.path : file.path.slice(root.length + 1) };
}

/** Call to use until the contract is known: the health check, which many gRPC services have. */
export const HEALTH = {
  name: 'Health',
  example: undefined,
  binding: { grpc: 'grpc.health.v1.Health/Check' },
} as const satisfies ProposedOperation;

/** Operations of the contract of a running service, without the methods of gRPC itself. */
export function methodOperations(methods: readonly protobuf.Method[]): Described {
  return offeredBy(methods.filter(({ parent }) => parent !== null && !NOT_MEASURED.test(parent.fullName)));
}

function offeredBy(methods: readonly protobuf.Method[], writes = false): Described {
  const requested = methodsToAsk(methods, writes);
  return {
    operations: withOwnNames(requested.map(operationOf)),
    further: methods.filter((method) => !requested.includes(method)).map((method) => contractCall(method).call),
  };
}

const READING_CALL = /^(?:get|list|all|read|find|search|check|query|lookup|fetch|count|say|echo)/i;

const CHANGING_CALL =
  /^(?:create|add|insert|save|store|put|post|set|update|patch|edit|delete|remove|register|sign|log_?(?:in|out)|send|buy|pay|upload|reset)/i;

/** Calls that only read, else those that do not seem to add data during a measurement. Streams only if there is nothing else. */
function methodsToAsk(methods: readonly protobuf.Method[], writes: boolean): readonly protobuf.Method[] {
  const unary = methods.filter(
    ({ requestStream, responseStream }) => requestStream !== true && responseStream !== true,
  );
  const possible = unary.length > 0 ? unary : methods;
  const reading = possible.filter(({ name }) => READING_CALL.test(name));
  const harmless = possible.filter(({ name }) => !CHANGING_CALL.test(name));
  return [reading, harmless].find((some) => some.length > 0 && !writes) ?? possible;
}

function operationOf(method: protobuf.Method): ProposedOperation {
  const { name, call, takesStream, message = {} } = contractCall(method);
  const isRequested = !takesStream && Object.keys(message).length > 0;
  return {
    name,
    example: isRequested ? message : undefined,
    binding: { grpc: takesStream ? { call, messages: [message] } : call },
  };
}
