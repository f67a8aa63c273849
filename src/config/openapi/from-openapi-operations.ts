import { operationNameFrom } from '../operations/name-from.ts';
import { type LooseMap, listIn, mapIn, textIn } from '../yaml/loose.ts';
import type { OpenApiDocument } from './from-openapi-document.ts';
import { type DocumentNode, nodeAt } from './from-openapi-reference.ts';

/** An operation of an OpenAPI document. */
export interface DocumentOperation {
  /** "GET". */
  readonly method: string;
  /** As the document has it, with the names of parameters in braces. */
  readonly path: string;
  readonly id: string | undefined;
  readonly node: DocumentNode;
  /** What all operations of the path have in common. */
  readonly item: DocumentNode;
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'];

/** All operations of a document, in its order. Throws ConfigError where one of its paths is elsewhere. */
export function documentOperations(document: OpenApiDocument): readonly DocumentOperation[] {
  return Object.entries(mapIn(document.content['paths'])).flatMap(([path, value]) => {
    const item = nodeAt(value, ['paths', path], document);
    return METHODS.filter((method) => item.value[method] !== undefined).map((method) => {
      const node = { value: mapIn(item.value[method]), path: [...item.path, method] };
      return { method: method.toUpperCase(), path, id: textIn(node.value['operationId']), node, item };
    });
  });
}

/** "GET /users/{id}". */
export function requestLine({ method, path }: DocumentOperation): string {
  return `${method} ${path}`;
}

/** What an operation is called where nobody says otherwise. */
export function documentOperationName({ method, path, id }: DocumentOperation): string {
  const verb = method.toLowerCase();
  return operationNameFrom([id, `${verb}${path.replaceAll(/[/{}]+/g, '-')}`], verb);
}

/** What paths are relative to, by the first server of the operation, its path or the document; empty where that is the root. */
export function basePath({ node, item }: DocumentOperation, { content }: OpenApiDocument): string {
  const servers = [node.value, item.value, content]
    .map((one) => listIn(one['servers']))
    .find(({ length }) => length > 0);
  const server = mapIn(servers?.[0]);
  const address = filledIn(textIn(server['url']) ?? textIn(content['basePath']) ?? '', mapIn(server['variables']));
  const path = address
    .replace(/^(?:[a-z][a-z+.-]*:)?\/\/[^/]*/i, '')
    .replace(/^\.(?:\/|$)/, '/')
    .replace(/^(?=[^/])/, '/')
    .replace(/(?<!\/)\/+$/, '');
  return /^(?:\/[\w.~%-]+)*$/.test(path) ? path : '';
}

/** The variables of a server's address have a value each. */
function filledIn(address: string, variables: LooseMap): string {
  return address.replace(/\{(\w+)\}/g, (found, name: string) => textIn(mapIn(variables[name])['default']) ?? found);
}
