import * as z from 'zod';
import { ConfigError } from '../foundation/errors.ts';
import { placeholdersIn } from '../foundation/placeholders.ts';
import type { SecretUse } from '../secrets/secrets.ts';
import type { SourceText } from './yaml/frame.ts';
import { type Path, parsePlaced } from './yaml/yaml.ts';

/** Keys that may contain secrets: they are sent or passed to a service, and never shown. */
const MAY_HOLD = ['headers', 'metadata', 'environment', 'body', 'message', 'messages', 'arguments', 'tls'];

/** Every `${env.NAME}` in a YAML text. Throws ConfigError if one is malformed or in a value that is shown. */
export function secretUsesIn(source: SourceText): readonly SecretUse[] {
  const { content, placeOf } = parsePlaced(source, z.unknown());
  return textsIn(content, [])
    .filter(({ text }) => text.includes('${env.'))
    .flatMap(({ text, path }) => usesIn(text, path, placeOf(path)));
}

function usesIn(text: string, path: Path, place: string): readonly SecretUse[] {
  const found = placeholdersIn(text).filter(({ family }) => family === 'env');
  const misfit = found.find(({ name }) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (misfit !== undefined) {
    throw new ConfigError(`${place}: ${misfit.text} is not a valid environment variable`, {
      code: 'WG-109',
      next: 'Write ${env.NAME}, where NAME has only letters, digits and underscores.',
    });
  }
  const [first] = found;
  const [top, service] = path;
  // Names of services and operations may equal those of keys.
  const keys = top === 'services' || top === 'operations' ? path.slice(2) : path;
  if (first !== undefined && !keys.some((step) => MAY_HOLD.includes(String(step)))) {
    throw new ConfigError(`${place}: ${first.text} is not allowed here: this value is shown in logs and reports`, {
      code: 'WG-110',
      next: `It is allowed in ${MAY_HOLD.join(', ')}.`,
    });
  }
  return found.map(({ name }) => ({
    variable: name,
    place,
    isPem: keys[0] === 'tls',
    ...(top === 'services' && { service: String(service) }),
  }));
}

function textsIn(value: unknown, path: Path): readonly { readonly text: string; readonly path: Path }[] {
  if (typeof value === 'string') {
    return [{ text: value, path }];
  }
  if (value === null || typeof value !== 'object') {
    return [];
  }
  if (path.at(-2) === 'operations' && 'weight' in value && value.weight === 0) {
    // It is not sent.
    return [];
  }
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, inner]) => textsIn(inner, [...path, key]));
}
