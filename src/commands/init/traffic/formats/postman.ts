import * as z from 'zod/mini';
import { encoded } from '../../../../foundation/text.ts';
import { BINARY, type ObservedRequest } from '../request.ts';
import { FormatError } from './format-error.ts';
import { authorizationOf, type Variables, withPathValues, withValues } from './variables.ts';

const fields = z._default(
  z.array(
    z.object({
      key: z._default(z.nullable(z.string()), ''),
      value: z._default(z.unknown(), ''),
      disabled: z.optional(z.boolean()),
      enabled: z.optional(z.boolean()),
      type: z.optional(z.string()),
    }),
  ),
  [],
);

const auth = z.nullable(z.looseObject({ type: z.string() }));

const request = z.union([
  z.string(),
  z.object({
    method: z._default(z.string(), 'GET'),
    url: z._default(z.union([z.string(), z.looseObject({ raw: z._default(z.string(), ''), variable: fields })]), ''),
    header: z._default(z.union([fields, z.nullable(z.string())]), []),
    body: z.optional(
      z.nullable(
        z.looseObject({
          mode: z.optional(z.string()),
          raw: z.optional(z.string()),
          urlencoded: fields,
          graphql: z.optional(z.object({ query: z._default(z.string(), ''), variables: z.optional(z.unknown()) })),
        }),
      ),
    ),
    auth: z.optional(auth),
  }),
]);

const folder = z.looseObject({
  name: z._default(z.string(), ''),
  item: z.optional(z.array(z.unknown())),
  request: z.optional(request),
  auth: z.optional(auth),
});

const collection = z.looseObject({
  info: z.object({ schema: z.string() }),
  item: z.array(z.unknown()),
  variable: fields,
});

const MOST_DEPTH = 30;

type Fields = z.infer<typeof fields>;

/** Variables of an environment of Postman. */
export function postmanVariables(document: unknown): Variables {
  const { data } = z.object({ values: fields }).safeParse(document);
  return variablesOf((data?.values ?? []).filter(({ enabled, type }) => enabled !== false && type !== 'secret'));
}

function variablesOf(found: Fields): Variables {
  return new Map(found.map(({ key, value }) => [key ?? '', String(value)]));
}

/** Requests of a collection of Postman, versions 2.0 and 2.1. */
export function postmanRequests(document: unknown, environment: Variables): readonly ObservedRequest[] {
  const { data } = collection.safeParse(document);
  if (data === undefined || !/\/v2\.\d+\.\d+\//.test(data.info.schema)) {
    throw new FormatError('is a collection of another version than 2.x: export it from Postman as "Collection v2.1"');
  }
  const variables = new Map([...variablesOf(data.variable), ...environment]);
  return requestsIn(data.item, {
    variables,
    auth: auth.safeParse(data['auth']).data ?? undefined,
    at: 'item',
    depth: 0,
  });
}

interface Around {
  readonly variables: Variables;
  readonly auth: z.infer<typeof auth> | undefined;
  readonly at: string;
  readonly depth: number;
}

function requestsIn(items: readonly unknown[], around: Around): readonly ObservedRequest[] {
  return items.flatMap((one, index) => {
    const at = `${around.at}[${index}]`;
    const read = folder.safeParse(one);
    if (!read.success || around.depth > MOST_DEPTH) {
      const [issue] = read.error?.issues ?? [];
      throw new FormatError(`${at}.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is nested too deeply'}`);
    }
    const own = read.data.auth ?? around.auth;
    const inner = { ...around, auth: own, at: `${at}.item`, depth: around.depth + 1 };
    return [
      ...(read.data.request === undefined ? [] : [requestOf(read.data.request, inner)]),
      ...requestsIn(read.data.item ?? [], inner),
    ];
  });
}

function requestOf(found: z.infer<typeof request>, { variables, auth: inherited }: Around): ObservedRequest {
  const fill = (text: string): string => withValues(text, variables);
  if (typeof found === 'string') {
    return { method: 'GET', target: fill(found), isTemplate: true };
  }
  const { method, url, header, body, auth: own } = found;
  const raw = typeof url === 'string' ? url : url.raw;
  const path = variablesOf(typeof url === 'string' ? [] : url.variable);
  const given = own ?? inherited;
  const headers = (Array.isArray(header) ? header : [])
    .filter(({ disabled }) => disabled !== true)
    .map(({ key, value }) => [key ?? '', fill(String(value))] as const);
  return {
    method: method.toUpperCase(),
    target: fill(withPathValues(raw, path)),
    headers: [
      ...headers,
      ...authorizationOf(given?.type ?? '', variablesOf(fields.safeParse(given?.['apikey']).data ?? []).get('key')),
    ],
    body: bodyOf(body ?? undefined, fill),
    isTemplate: true,
  };
}

type Body = Exclude<z.infer<typeof request>, string>['body'];

function bodyOf(body: Body, fill: (text: string) => string): ObservedRequest['body'] {
  switch (body?.mode) {
    case undefined:
      return undefined;
    case 'raw':
      return fill(body?.raw ?? '') || undefined;
    case 'urlencoded':
      return (body?.urlencoded ?? [])
        .filter(({ disabled }) => disabled !== true)
        .map(({ key, value }) => `${encoded(key ?? '')}=${encoded(fill(String(value)))}`)
        .join('&');
    case 'graphql': {
      const { query = '', variables } = body?.graphql ?? {};
      const text = typeof variables === 'string' && variables.trim() !== '' ? fill(variables) : '{}';
      return fill(`{"query":${JSON.stringify(query)},"variables":${text}}`);
    }
    default:
      return BINARY;
  }
}
