import { isHealthPath } from '../routes/source-operations.ts';

/** Request in a traffic file. All of it is untrusted. */
export interface ObservedRequest {
  readonly method: string;
  /** Path with query, or a URL, as sent. */
  readonly target: string;
  readonly host?: string | undefined;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Undefined without one; `binary` if it is not text. */
  readonly body?: string | typeof BINARY | undefined;
  readonly status?: number | undefined;
  /** Minute of its arrival, in any notation that is equal for all requests of that minute. */
  readonly minute?: string | undefined;
  /** True if `{{name}}` is a variable without a value. */
  readonly isTemplate?: boolean;
}

export const BINARY = Symbol('binary');

/** Longer bodies are left out. */
const MAX_BODY = 65_536;

const MAX_SEGMENTS = 30;

/** Error in a traffic file, printed after its path. */
export class FormatError extends Error {}

export interface Place {
  /** Empty if unknown. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

/** Place of a request; undefined if its target has no path. */
export function placeOf({ target, host = '' }: ObservedRequest): Place | undefined {
  const [, authority = host, rest = target] =
    /^(?:[a-z]{2,5}:\/\/([^/?#]{0,300})|\{\{[^{}/]{1,100}\}\})(.*)$/is.exec(target) ?? [];
  const whole = rest.startsWith('/') ? rest : `/${rest}`;
  if (rest === target && !rest.startsWith('/')) {
    return undefined;
  }
  const [sent = ''] = whole.split('#', 1);
  const at = sent.indexOf('?');
  const own = authority.includes('{{') ? '' : authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  return { host: own, path: at === -1 ? sent : sent.slice(0, at), query: at === -1 ? '' : sent.slice(at + 1) };
}

const STATIC = new Set(
  'avif css eot gif gz ico jpeg jpg js map mjs mp3 mp4 otf pdf png svg ttf txt wasm webm webmanifest webp woff woff2 zip'.split(
    ' ',
  ),
);

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Reason for leaving out requests that are not HTTP. */
export const NOT_HTTP = 'not HTTP requests, or too long';

/** Conditions for leaving out a request, by reason, in words that follow a count. */
const OBSTACLES: Readonly<Record<string, (request: ObservedRequest, place: Place) => boolean>> = {
  OPTIONS: ({ method }) => method === 'OPTIONS',
  [NOT_HTTP]: ({ method }, { path, query }) => !METHODS.has(method) || path.length + query.length > 4000,
  'static files': (_, { path }) =>
    STATIC.has(path.slice(path.lastIndexOf('.') + 1).toLowerCase()) || path.startsWith('/_next/'),
  'health checks': (_, { path }) => isHealthPath(path),
  'unknown paths (404)': ({ status }) => status === 404 || status === 405,
  WebSockets: ({ status }) => status === 101,
  'failed (4xx, 5xx)': ({ status = 200 }) => status >= 400 || status < 200,
  'gRPC calls': ({ headers }) => /^application\/grpc/i.test(headerOf(headers, 'content-type') ?? ''),
  'bodies that are binary, in other files, above 64 KiB, or multipart without a text': ({ body, headers }) =>
    body === BINARY ||
    (body?.length ?? 0) > MAX_BODY ||
    // Without the text of the body, only its fields are known.
    (/^multipart\//i.test(headerOf(headers, 'content-type') ?? '') && body?.startsWith('--') !== true),
  'paths of more than 30 segments': (_, { path }) => path.split('/', MAX_SEGMENTS + 2).length > MAX_SEGMENTS + 1,
};

const REASONS = Object.entries(OBSTACLES);

export function obstacleOf(request: ObservedRequest, place: Place): string | undefined {
  return REASONS.find(([, is]) => is(request, place))?.[0];
}

/** Request whose multipart body has a plain boundary: a random one looks like a secret. */
export function withPlainBoundary(request: ObservedRequest): ObservedRequest {
  const { headers = [], body } = request;
  const [, boundary] =
    /^multipart\/.{0,200}boundary="?([\w'()+,./:=?-]{1,70})/i.exec(headerOf(headers, 'content-type') ?? '') ?? [];
  const plain = (text: string): string => text.replaceAll(boundary ?? '', 'boundary');
  return boundary === undefined || typeof body !== 'string'
    ? request
    : { ...request, headers: headers.map(([name, value]) => [name, plain(value)]), body: plain(body) };
}

function headerOf(headers: ObservedRequest['headers'], name: string): string | undefined {
  return headers?.find(([own]) => own.toLowerCase() === name)?.[1];
}

/** True if a request may change data: all but those that only read, and queries of GraphQL. */
export function mayWrite(method: string, body: string | undefined): boolean {
  return method !== 'GET' && method !== 'HEAD' && !/^\s*(?:\{|query\b)/.test(graphqlOf(body)?.query ?? '');
}

/** Query of a GraphQL request, and the name of its operation. */
export function graphqlOf(body = ''): { readonly query: string; readonly name: string } | undefined {
  const [, query] = /"query"\s{0,9}:\s{0,9}"((?:[^"\\]|\\.){0,2000})/.exec(body.slice(0, MAX_BODY)) ?? [];
  const plain = query?.replace(/\\[nrt]/g, ' ') ?? '';
  const isQuery = /^\s*(?:\{|(?:query|mutation|subscription)\b)/.test(plain);
  return isQuery ? { query: plain, name: /^\s*\w+\s{1,9}(\w{1,60})/.exec(plain)?.[1] ?? '' } : undefined;
}
