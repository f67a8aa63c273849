import type { RepositoryFile } from '../../core/repository-file.ts';
import { contentOf, listIn, mapIn, textIn } from './loose.ts';
import { nameFrom, withOwnNames } from './names.ts';
import { plainExample } from './openapi-example.ts';
import { baseName } from './places.ts';
import type { ProposedOperation } from './proposal.ts';

/** Whether a file may be an OpenAPI document, by its name. */
export function mayBeOpenApi({ path }: RepositoryFile): boolean {
  return /^[\w.-]*(?:openapi|swagger)[\w.-]*\.(?:json|ya?ml)$/i.test(baseName(path));
}

interface Found extends ProposedOperation {
  /** Whether it answers only who shows credentials. */
  readonly isGuarded: boolean;
}

/** The document that operations are read from, and where in it parameters may refer to. */
type Map = Readonly<Record<string, unknown>>;

/** The GET operations of an OpenAPI document, with example values for their parameters; those that need no credentials first. */
export function openApiOperations({ text }: RepositoryFile): readonly ProposedOperation[] {
  const document = mapIn(contentOf(text));
  if (document['openapi'] === undefined && document['swagger'] === undefined) {
    return [];
  }
  const found = Object.entries(mapIn(document['paths'])).flatMap(([path, item]) =>
    operationAt(path, mapIn(item), document),
  );
  const ordered = [...found.filter(({ isGuarded }) => !isGuarded), ...found.filter(({ isGuarded }) => isGuarded)];
  return withOwnNames(ordered.map(({ isGuarded: _, ...operation }) => operation));
}

function operationAt(path: string, item: Map, document: Map): readonly Found[] {
  if (item['get'] === undefined || !isPath(path)) {
    return [];
  }
  const get = mapIn(item['get']);
  const parameters = [...listIn(item['parameters']), ...listIn(get['parameters'])].map((one) =>
    referred(one, document),
  );
  const asked = parameters.filter(
    (one) => one['required'] === true && (one['in'] === 'header' || one['in'] === 'cookie'),
  );
  if (asked.length > 0) {
    return [];
  }
  const inPath = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  const inQuery = parameters
    .filter((one) => one['in'] === 'query' && one['required'] === true)
    .flatMap((one) => textIn(one['name']) ?? [])
    .filter((name) => /^[\w.-]+$/.test(name));
  const example = Object.fromEntries(
    [...inPath, ...inQuery].map((name) => [
      placeholder(name),
      plainExample(parameters.findLast((one) => one['name'] === name) ?? {}),
    ]),
  );
  const query = inQuery.map((name) => `${name}={${placeholder(name)}}`).join('&');
  const target = `${basePath(document)}${path.replace(/\{([^{}]*)\}/g, (_, name) => `{${placeholder(name)}}`)}`;
  const name = nameFrom(textIn(get['operationId'])) ?? nameFrom(`get${path.replaceAll(/[/{}]+/g, '-')}`) ?? 'get';
  const security = get['security'] ?? document['security'];
  return [
    {
      // "all" stands for all operations together.
      name: name === 'all' ? 'get-all' : name,
      example: Object.keys(example).length === 0 ? undefined : example,
      binding: { rest: `GET ${target}${query === '' ? '' : `?${query}`}` },
      isGuarded: listIn(security).some((one) => Object.keys(mapIn(one)).length > 0),
    },
  ];
}

/** No white space, and nothing that Wiregauge would fill in from elsewhere. */
function isPath(path: string): boolean {
  return /^\/[\w\-./~!'()*+,;=:@%{}]*$/.test(path) && path.length < 1000;
}

/** A name as placeholders may have it. */
function placeholder(name: string): string {
  return name.replace(/\W+/g, '_').replace(/^_+/, '') || 'value';
}

function referred(parameter: unknown, document: Map): Map {
  const reference = textIn(mapIn(parameter)['$ref']);
  if (reference === undefined) {
    return mapIn(parameter);
  }
  const steps = reference.replace(/^#\//, '').split('/');
  return mapIn(steps.reduce<unknown>((value, step) => mapIn(value)[step], document));
}

/** What paths are relative to, by the first server; empty where that is the root, or not known. */
function basePath(document: Map): string {
  const address = textIn(mapIn(listIn(document['servers'])[0])['url']) ?? textIn(document['basePath']) ?? '';
  const path = address.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/(?<!\/)\/+$/, '');
  return /^(?:\/[\w.~-]+)*$/.test(path) ? path : '';
}
