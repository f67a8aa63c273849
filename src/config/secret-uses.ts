import * as z from 'zod';
import { ConfigError } from '../foundation/errors.ts';
import { nameAdvice } from '../foundation/names.ts';
import { placeholdersIn } from '../foundation/placeholders.ts';
import type { SecretUse } from '../model/secrets/secrets.ts';
import { PROTOCOL_NAMES, type Service } from '../model/service.ts';
import type { Path, SourceText } from './yaml/frame.ts';
import { parsePlaced } from './yaml/yaml.ts';

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

/** Keys in which values are filled in. */
const FILLED = ['headers', 'metadata', 'arguments', ...PROTOCOL_NAMES];

/** Throws ConfigError with the place of a `${prepare.NAME}` that is not filled in, or that a service does not capture. */
export function refuseUncaptured(source: SourceText, services: readonly Service[]): void {
  const { content, placeOf } = parsePlaced(source, z.unknown());
  for (const { text, path } of textsIn(content, [])) {
    const [top, name] = path;
    const owners = services.filter((one) => top !== 'services' || one.name === name);
    const isFilled = path.slice(top === 'services' ? 2 : 0).some((step) => FILLED.includes(String(step)));
    for (const use of placeholdersIn(text).filter(({ family }) => family === 'prepare')) {
      if (!isFilled) {
        throw new ConfigError(`${placeOf(path)}: ${use.text} is not filled in here`, {
          code: 'WG-105',
          next: `Use it only in ${FILLED.join(', ')}.`,
        });
      }
      refuseUnknown(use.name, owners, placeOf(path));
    }
  }
}

function refuseUnknown(name: string, services: readonly Service[], place: string): void {
  for (const { name: service, prepare = [] } of services) {
    const names = prepare.flatMap(({ capture }) => Object.keys(capture));
    if (!names.includes(name)) {
      throw new ConfigError(`${place}: no request in \`prepare\` of ${service} captures ${name}`, {
        code: 'WG-106',
        next: nameAdvice(name, names, 'Captured values'),
      });
    }
  }
}
