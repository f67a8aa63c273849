import { encoded } from '../../../../foundation/text.ts';
import type { ObservedRequest } from '../request.ts';
import { isSecretName } from '../secrets.ts';

export type Variables = Map<string, string>;

const MAX_ROUNDS = 5;

/** Longer texts and values stay unchanged. */
const LONGEST = { text: 100_000, value: 1000 };

/** Text with `{{name}}` replaced by the values of variables, except secrets and variables without a value. */
export function withValues(text: string, variables: Variables): string {
  let filled = text;
  for (let round = 0; round < MAX_ROUNDS && filled.includes('{{') && filled.length <= LONGEST.text; round += 1) {
    filled = filled.replace(/\{\{\s{0,9}([\w.-]{1,60})\s{0,9}\}\}/g, (found, name: string) => {
      const value = isSecretName(name) ? undefined : variables.get(name);
      return value === undefined || value.length > LONGEST.value ? found : value;
    });
  }
  return filled;
}

export type Pairs = readonly (readonly [name: string, value: string])[];

export interface Template extends Pick<ObservedRequest, 'method' | 'target' | 'headers'> {
  /** Pairs are the fields of a form. */
  readonly body: ObservedRequest['body'] | Pairs;
}

export function filledRequest({ method, target, headers = [], body }: Template, variables: Variables): ObservedRequest {
  const filled = (text: string): string => withValues(text, variables);
  const pairs = (all: Pairs): Pairs => all.map(([name, value]) => [name, filled(value)]);
  return {
    method: method.toUpperCase(),
    target: filled(target),
    headers: pairs(headers),
    body:
      typeof body === 'string' ? filled(body) || undefined : typeof body === 'object' ? formBody(pairs(body)) : body,
    isTemplate: true,
  };
}

export function formBody(fields: Pairs): string {
  return fields.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
}

/** Body of a request of GraphQL, whose variables are JSON. */
export function graphqlBody(query = '', variables = ''): string {
  return `{"query":${JSON.stringify(query)},"variables":${variables.trim() || '{}'}}`;
}

/** Target in which `:id` is replaced by a path parameter, else by a variable. */
export function withPathValues(target: string, values: ReadonlyMap<string, string>): string {
  const [path = '', query] = target.split(/\?(.*)/s);
  const filled = path.replace(
    /\/:([A-Za-z_]\w{0,60})(?=\/|$)/g,
    (_, name: string) => `/${values.get(name) || `{{${name}}}`}`,
  );
  return query === undefined ? filled : `${filled}?${query}`;
}

const SCHEMES = new Map([
  ['bearer', 'Bearer '],
  ['oauth2', 'Bearer '],
  ['basic', 'Basic '],
  ['apikey', ''],
]);

/** Headers of a kind of authorization, whose secret value is dropped. */
export function authorizationOf(kind: string, key = 'X-Api-Key'): Pairs {
  const scheme = SCHEMES.get(kind);
  return scheme === undefined ? [] : [[kind === 'apikey' ? key : 'Authorization', `${scheme}secret`]];
}
