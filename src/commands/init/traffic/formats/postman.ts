import { isLooseMap, type LooseMap, listIn, mapIn, textIn } from '../../../../config/yaml/lines.ts';
import { BINARY, FormatError, type ObservedRequest } from '../request.ts';
import {
  authorizationOf,
  filledRequest,
  graphqlBody,
  type Pairs,
  type Template,
  type Variables,
  withPathValues,
} from './variables.ts';

const MAX_DEPTH = 30;

/** Names and values, without disabled ones and secrets of an environment. */
function pairsIn(found: unknown): Pairs {
  return listIn(found)
    .map(mapIn)
    .filter(({ disabled, enabled, type }) => disabled !== true && enabled !== false && type !== 'secret')
    .map(({ key, value }) => [textIn(key) ?? '', textIn(value) ?? '']);
}

export function postmanVariables(document: unknown): Variables {
  return new Map(pairsIn(mapIn(document)['values']));
}

/** Requests of a collection of Postman, versions 2.0 and 2.1. */
export function postmanRequests(document: unknown, environment: Variables): readonly ObservedRequest[] {
  const { info, item, variable, auth } = mapIn(document);
  if (!/\/v2\.\d+\.\d+\//.test(textIn(mapIn(info)['schema']) ?? '')) {
    throw new FormatError('is a collection of another version than 2.x: export it from Postman as "Collection v2.1"');
  }
  const variables = new Map([...pairsIn(variable), ...environment]);
  return templatesIn(item, { auth, at: 'item', depth: 0 }).map((one) => filledRequest(one, variables));
}

interface Around {
  readonly auth: unknown;
  readonly at: string;
  readonly depth: number;
}

function templatesIn(items: unknown, { auth, at, depth }: Around): readonly Template[] {
  if (items !== undefined && !Array.isArray(items)) {
    throw new FormatError(`${at} is not a list`);
  }
  if (depth > MAX_DEPTH && listIn(items).length > 0) {
    throw new FormatError(`${at} is nested too deeply`);
  }
  return listIn(items).flatMap((one, index) => {
    const { request, item, auth: own } = mapIn(one);
    const inner = { auth: own ?? auth, at: `${at}[${index}].item`, depth: depth + 1 };
    const template = request === undefined ? [] : [templateOf(request, inner.auth, `${at}[${index}].request`)];
    return [...template, ...templatesIn(item, inner)];
  });
}

function templateOf(found: unknown, around: unknown, at: string): Template {
  const { method = 'GET', url, header, body, auth } = typeof found === 'string' ? { url: found } : mapIn(found);
  if (typeof method !== 'string' || !(typeof found === 'string' || isLooseMap(found))) {
    throw new FormatError(`${at} is neither a text nor a map with the method as a text`);
  }
  const { raw, variable } = typeof url === 'string' ? { raw: url } : mapIn(url);
  const { type, apikey } = mapIn(auth ?? around);
  return {
    method,
    target: withPathValues(textIn(raw) ?? '', new Map(pairsIn(variable))),
    headers: [...pairsIn(header), ...authorizationOf(textIn(type) ?? '', new Map(pairsIn(apikey)).get('key'))],
    body: bodyOf(mapIn(body)),
  };
}

function bodyOf({ mode, raw, urlencoded, graphql }: LooseMap): Template['body'] {
  const { query, variables } = mapIn(graphql);
  switch (mode ?? undefined) {
    case undefined:
      return undefined;
    case 'raw':
      return textIn(raw);
    case 'urlencoded':
      return pairsIn(urlencoded);
    case 'graphql':
      return graphqlBody(textIn(query), textIn(variables));
    default:
      return BINARY;
  }
}
