import type { JsonSchema } from './schema.ts';

/** Places for a nested schema. */
type Inner = JsonSchema | boolean | undefined;

/** Schema of a value, with the definitions that it refers to. Throws Error for a name that the whole schema does not define. */
export function resolved(found: Inner, whole: JsonSchema): JsonSchema {
  const said: JsonSchema = typeof found === 'object' ? found : {};
  const { $ref, ...own } = said;
  if ($ref === undefined) {
    return own;
  }
  const target = whole.$defs?.[$ref.replace('#/$defs/', '')];
  if (target === undefined) {
    throw new Error(`the schema has no ${$ref}`);
  }
  // The description at the reference takes precedence.
  return { ...resolved(target, whole), ...own };
}

/** Map at a path of keys; entries of lists and maps with user-defined names are skipped on the way. Throws Error. */
export function mapAt(whole: JsonSchema, path: readonly string[]): JsonSchema {
  return path.reduce((found, key) => {
    const value = mapIn(found.properties?.[key], whole);
    if (value === undefined) {
      throw new Error(`the schema has no keys at ${path.join('.')}`);
    }
    return value;
  }, whole);
}

/** Map in a value: itself, one of its forms, or its items; undefined if its keys are unknown or it may be anything. */
function mapIn(found: Inner, whole: JsonSchema, passed: readonly string[] = []): JsonSchema | undefined {
  if (typeof found !== 'object') {
    return undefined;
  }
  const name = found.$ref;
  if (name !== undefined && passed.includes(name)) {
    return undefined;
  }
  const one = resolved(found, whole);
  if (one.properties !== undefined) {
    return one;
  }
  const inner: readonly Inner[] = [...(one.anyOf ?? []), ...[one.items].flat(), one.additionalProperties];
  const names = name === undefined ? passed : [...passed, name];
  return inner.map((next) => mapIn(next, whole, names)).find((map) => map !== undefined);
}
