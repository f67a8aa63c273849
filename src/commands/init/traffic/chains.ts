import { isJsonMap, type Json } from '../../../foundation/json.ts';
import { type ObservedRequest, placeOf } from './request.ts';
import { isValue, segmentsOf } from './routes.ts';

/** Request with the JSON that it was answered with. */
export interface Exchange {
  readonly request: ObservedRequest;
  readonly answer: Json | undefined;
}

/** Limits on what is kept of responses. */
const MOST = { values: 50_000, depth: 20 };

/** Requests that carry a value of an earlier response: "GET /items carries $.token of POST /login". */
export function chainsIn(exchanges: readonly Exchange[]): readonly string[] {
  const sources = new Map<string, string>();
  const chains = new Set<string>();
  for (const { request, answer } of exchanges) {
    const route = routeOf(request);
    for (const token of tokensOf(request)) {
      const source = sources.get(token);
      if (source !== undefined && !source.endsWith(` of ${route}`)) {
        chains.add(`${route} carries ${source}`);
      }
    }
    for (const [value, path] of valuesIn(answer ?? null, '$', 0)) {
      if (sources.size < MOST.values && !sources.has(value)) {
        sources.set(value, `${path} of ${route}`);
      }
    }
  }
  return [...chains];
}

function routeOf(request: ObservedRequest): string {
  const segments = segmentsOf(placeOf(request)?.path ?? '/').map((one) => (isValue(one) ? '{id}' : one));
  return `${request.method} /${segments.join('/')}`;
}

/** Words of a request that may be identifiers or tokens. */
function tokensOf({ target, headers = [], body }: ObservedRequest): ReadonlySet<string> {
  const texts = [target, ...headers.map(([, value]) => value), typeof body === 'string' ? body : ''];
  return new Set(texts.flatMap((text) => text.split(/[^\w.~-]+/)).filter(isInformative));
}

/** True if a value is not found elsewhere by chance. */
function isInformative(value: string): boolean {
  return /^\d{4,}$/.test(value) || (value.length >= 8 && /\d/.test(value));
}

function valuesIn(value: Json, path: string, depth: number): readonly (readonly [value: string, path: string])[] {
  if (depth > MOST.depth || value === null) {
    return [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((one) => valuesIn(one, `${path}[*]`, depth + 1));
  }
  if (isJsonMap(value)) {
    return Object.entries(value).flatMap(([key, one]) =>
      valuesIn(one, `${path}.${/^\w{1,60}$/.test(key) && !isValue(key) ? key : '*'}`, depth + 1),
    );
  }
  return isInformative(String(value)) ? [[String(value), path]] : [];
}
