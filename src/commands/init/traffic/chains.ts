import { isJsonMap, type Json } from '../../../foundation/json.ts';
import { freeName, type PreparingRequest, preparingRequest } from './operations.ts';
import { mayWrite, type ObservedRequest, obstacleOf, placeOf } from './request.ts';
import { isValue, segmentsOf } from './routes.ts';

export interface Exchange {
  readonly request: ObservedRequest;
  readonly answer: Json | undefined;
}

/** Limits on what is kept of responses, and on requests that prepare a service. */
const MOST = { values: 50_000, depth: 20, prepare: 10 };

interface Source {
  readonly route: string;
  readonly path: string;
  /** For a request that changes data, such as a login; all others are only named. */
  readonly entry: Entry | undefined;
}

interface Entry extends PreparingRequest {
  readonly capture: Record<string, string>;
}

/**
 * Session in which requests carry values of responses: `{{prepare.NAME}}` is the value from a `prepare` request; `chains` names the others: "GET
 * /items/{id} carries $.items[*].id of GET /items".
 */
export function linkedSession(exchanges: readonly Exchange[]) {
  const links = new Links();
  const requests = exchanges.map((one) => links.add(one));
  const prepare = links.entries.filter(({ capture }) => Object.keys(capture).length > 0);
  return { requests, prepare, chains: [...links.chains] };
}

class Links {
  readonly entries: Entry[] = [];
  readonly chains = new Set<string>();
  readonly #sources = new Map<string, Source>();
  readonly #sent = new Set<string>();
  readonly #names = new Map<string, string>();

  /** Request with placeholders for values of earlier responses. */
  add({ request, answer }: Exchange): ObservedRequest {
    const route = routeOf(request);
    const own = [...tokensOf(request)].reduce((left, token) => this.#carrying(left, token, route), request);
    const rest = this.entries.length < MOST.prepare && isPreparing(request) ? preparingRequest(own) : undefined;
    const entry = rest === undefined ? undefined : { rest, capture: {} };
    this.entries.push(...(entry === undefined ? [] : [entry]));
    for (const [value, path] of valuesIn(answer ?? null, '$', 0)) {
      // Values of earlier requests do not come from a response.
      if (this.#sources.size < MOST.values && !this.#sources.has(value) && !this.#sent.has(value)) {
        this.#sources.set(value, { route, path, entry });
      }
    }
    return own;
  }

  #carrying(request: ObservedRequest, token: string, route: string): ObservedRequest {
    const source = this.#sources.get(token);
    if (source === undefined || source.route === route) {
      this.#sent.add(token);
      return request;
    }
    if (source.entry === undefined) {
      this.chains.add(`${route} carries ${source.path.replace(/\[\d+\]/g, '[*]')} of ${source.route}`);
      return request;
    }
    const name = this.#names.get(token) ?? captureName(source, [...this.#names.values()]);
    this.#names.set(token, name);
    source.entry.capture[name] = source.path;
    return withPlaceholder(request, token, name);
  }
}

function isPreparing(request: ObservedRequest): boolean {
  const place = placeOf(request);
  const { method, body } = request;
  return place !== undefined && obstacleOf(request, place) === undefined && mayWrite(method, String(body ?? ''));
}

/** Key of a value; for an `id` with its subject: `itemId` for POST /items. */
function captureName({ route, path }: Source, taken: readonly string[]): string {
  const key = /\.(\w+)$/.exec(path)?.[1] ?? 'value';
  const noun = /([A-Za-z]\w{0,60}?)s?(?:\/\{id\}){0,9}$/.exec(route)?.[1] ?? 'value';
  return freeName([key === 'id' || !/^[A-Za-z]/.test(key) ? `${noun}Id` : key], taken);
}

function withPlaceholder(request: ObservedRequest, value: string, name: string): ObservedRequest {
  const placeholder = `{{prepare.${name}}}`;
  const word = new RegExp(`(?<![\\w.~-])${value.replaceAll('.', '\\.')}(?![\\w.~-])`, 'g');
  const filled = (text: string): string => text.replace(word, placeholder);
  const { target, headers = [], body } = request;
  // A JSON number becomes a text, which is filled in as a number.
  const quoted =
    typeof body === 'string'
      ? body.replace(/([:[,]\s{0,9})(\d+)(?=\s{0,9}[,}\]])/g, (found, before: string, digits: string) =>
          digits === value ? `${before}"${digits}"` : found,
        )
      : body;
  return {
    ...request,
    target: filled(target),
    headers: headers.map(([header, text]) => [header, filled(text)]),
    body: typeof quoted === 'string' ? filled(quoted) : quoted,
    isTemplate: true,
  };
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

/** True if a value is unlikely to occur elsewhere by chance. */
function isInformative(value: string): boolean {
  return /^\d{4,}$/.test(value) || (value.length >= 8 && /\d/.test(value));
}

/** Values with their paths, except below keys that may be values themselves. */
function valuesIn(value: Json, path: string, depth: number): readonly (readonly [value: string, path: string])[] {
  if (depth > MOST.depth || value === null) {
    return [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((one, place) => valuesIn(one, `${path}[${place}]`, depth + 1));
  }
  if (isJsonMap(value)) {
    const named = Object.entries(value).filter(([key]) => /^[A-Za-z_]\w{0,59}$/.test(key) && !isValue(key));
    return named.flatMap(([key, one]) => valuesIn(one, `${path}.${key}`, depth + 1));
  }
  return isInformative(String(value)) ? [[String(value), path]] : [];
}
