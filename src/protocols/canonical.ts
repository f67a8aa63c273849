import type { Json } from '../foundation/json.ts';

/**
 * An answer without its envelope: an object with a single field stands for that field's value. A response message
 * that only wraps what was asked for ({"user": {...}}) so equals an answer that does not.
 */
export function withoutEnvelope(body: Json): Json {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    return body;
  }
  const values = Object.values(body);
  return values.length === 1 && values[0] !== undefined ? values[0] : body;
}
