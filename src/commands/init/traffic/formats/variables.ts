import { isSecretName } from '../secrets.ts';

/** Variables of a collection and its environments. */
export type Variables = Map<string, string>;

const MOST_ROUNDS = 5;

/** Longer texts and values remain as they are. */
const LONGEST = { text: 100_000, value: 1000 };

/** Text in which the values of variables replace `{{name}}`. Those of secrets and those without a value remain. */
export function withValues(text: string, variables: Variables): string {
  let filled = text;
  for (let round = 0; round < MOST_ROUNDS && filled.includes('{{') && filled.length <= LONGEST.text; round += 1) {
    filled = filled.replace(/\{\{\s{0,9}([\w.-]{1,60})\s{0,9}\}\}/g, (found, name: string) => {
      const value = isSecretName(name) ? undefined : variables.get(name);
      return value === undefined || value.length > LONGEST.value ? found : value;
    });
  }
  return filled;
}

/** Target in which `:id` is the value of a parameter of the path, else a variable. */
export function withPathValues(target: string, values: ReadonlyMap<string, string>): string {
  const [path = '', query] = target.split(/\?(.*)/s);
  const filled = path.replace(
    /\/:([A-Za-z_]\w{0,60})(?=\/|$)/g,
    (_, name: string) => `/${values.get(name) || `{{${name}}}`}`,
  );
  return query === undefined ? filled : `${filled}?${query}`;
}

/** Headers of a kind of authorization; its value is a secret that nobody needs. */
export function authorizationOf(kind: string, key = 'X-Api-Key'): readonly (readonly [string, string])[] {
  const values: Readonly<Record<string, readonly [string, string]>> = {
    bearer: ['Authorization', 'Bearer secret'],
    oauth2: ['Authorization', 'Bearer secret'],
    basic: ['Authorization', 'Basic secret'],
    apikey: [key, 'secret'],
  };
  const found = values[kind];
  return found === undefined ? [] : [found];
}
