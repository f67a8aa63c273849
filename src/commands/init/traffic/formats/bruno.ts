import { BINARY, type ObservedRequest } from '../request.ts';
import {
  authorizationOf,
  filledRequest,
  graphqlBody,
  type Template,
  type Variables,
  withPathValues,
} from './variables.ts';

const START = /^([a-z]{3,10}(?::[a-z-]{2,20}){0,2}) \{\s*$/;

/** True if a text is a file of Bruno: a request, a folder, or an environment. */
export function isBrunoFile(text: string): boolean {
  return /^(?:meta|vars|get|post|put|patch|delete|head|options) \{\s*$/m.test(text.slice(0, 2000));
}

/** Texts of the blocks of a file of Bruno, by their names: `get`, `headers`, `body:json`. */
function blocksOf(text: string): ReadonlyMap<string, readonly string[]> {
  const blocks = new Map<string, string[]>();
  let inner: string[] | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, name] = (inner === undefined && START.exec(line)) || [];
    if (name !== undefined) {
      inner = [];
      blocks.set(name, inner);
    } else if (line.startsWith('}')) {
      inner = undefined;
    } else {
      inner?.push(line);
    }
  }
  return blocks;
}

/** Names and values of a block, without disabled ones. */
function pairsIn(lines: readonly string[] = []): readonly (readonly [string, string])[] {
  return lines.flatMap((line) => {
    const [, name, value = ''] = /^\s{0,20}(?!~)"?([^\s:"][^:"]{0,200})"?:(?: (.*))?$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value.trim()] as const];
  });
}

export function brunoVariables(text: string): Variables {
  return new Map(pairsIn(blocksOf(text).get('vars')));
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/** Request in a Bruno file; none for a folder or an environment. */
export function brunoRequests(text: string, variables: Variables): readonly ObservedRequest[] {
  const blocks = blocksOf(text);
  const method = METHODS.find((one) => blocks.has(one));
  const { url, body, auth = '' } = Object.fromEntries(pairsIn(method === undefined ? [] : blocks.get(method)));
  if (method === undefined || url === undefined) {
    return [];
  }
  const key = new Map(pairsIn(blocks.get('auth:apikey'))).get('key');
  const template: Template = {
    method,
    target: withPathValues(url, new Map(pairsIn(blocks.get('params:path')))),
    headers: [...pairsIn(blocks.get('headers')), ...authorizationOf(auth, key)],
    body: bodyOf(body, blocks),
  };
  return [filledRequest(template, variables)];
}

function bodyOf(kind: string | undefined, blocks: ReadonlyMap<string, readonly string[]>): Template['body'] {
  const text = (name: string): string => (blocks.get(name) ?? []).join('\n').trim();
  switch (kind) {
    case undefined:
    case 'none':
      return undefined;
    case 'json':
    case 'text':
    case 'xml':
      return text(`body:${kind}`);
    case 'graphql':
      return graphqlBody(text('body:graphql'), text('body:graphql:vars'));
    case 'formUrlEncoded':
      return pairsIn(blocks.get('body:form-urlencoded'));
    default:
      return BINARY;
  }
}
