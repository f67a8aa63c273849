/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** JSON text in one form only: object keys sorted, no white space; equal data gives equal text. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value)
        .sort(byKey)
        .map(([key, inner]) => [key, sorted(inner)]),
    );
  }
  return value;
}

function byKey([left]: readonly [string, Json], [right]: readonly [string, Json]): number {
  return left < right ? -1 : 1;
}
