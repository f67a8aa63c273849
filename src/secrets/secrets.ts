import { ConfigError } from '../foundation/errors.ts';
import type { Json } from '../foundation/json.ts';
import { filled, type Lookups } from '../foundation/placeholders.ts';
import type { Target, TargetRequest } from '../model/load.ts';
import type { Connection, Service, Tls } from '../model/service.ts';
import { maskOf } from './mask.ts';

/** A `${env.NAME}` in a configuration file. */
export interface SecretUse {
  readonly variable: string;
  /** For messages: "wiregauge.yml:12:5: services.api.headers.authorization". */
  readonly place: string;
  /** Whether PEM is wanted: the value is that, or the path of a file that holds it. */
  readonly isPem: boolean;
  /** Whose it is, in a file with several services. */
  readonly service?: string | undefined;
}

/** Values that the configuration names and does not hold. */
export interface Secrets {
  /** The text with every `${env.NAME}` replaced by its value. */
  resolve(text: string): string;
  /** The values of `${env.NAME}`, for the environment of what is started. */
  readonly lookups: Lookups;
  /** The PEM text that a `${env.NAME}` of `tls` stands for; any other text as it is. */
  resolvePem(text: string): string;
  /** The text with `***` in the place of every value. In a JSON document neither keys nor numbers are touched. */
  mask(text: string): string;
}

/** For configurations that name none. */
export const NO_SECRETS: Secrets = {
  resolve: (text) => text,
  lookups: {},
  resolvePem: (text) => text,
  mask: (text) => text,
};

/**
 * The secrets of a configuration, out of an environment; `readFile` gives the text of a file outside of the repository. Throws
 * ConfigError, naming the place, if a variable is not set or empty.
 */
export function secretsFrom(
  uses: readonly SecretUse[],
  environment: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): Secrets {
  const plain = new Map<string, string>();
  const pem = new Map<string, string>();
  for (const { variable, place, isPem } of uses) {
    const value = environment[variable] || undefined;
    if (value === undefined) {
      throw new ConfigError(`${place}: the environment variable ${variable} is not set, or empty`, {
        code: 'WG-109',
        next: `Set it before you start Wiregauge; in a workflow: \`env: { ${variable}: "\${{ secrets.${variable} }}", WIREGAUGE_SECRETS: ${variable} }\`.`,
      });
    }
    if (isPem) {
      pem.set(variable, pemOf({ variable, place, value }, readFile));
    } else {
      plain.set(variable, value);
    }
  }
  const mask = maskOf([...plain.values(), ...pem.values()]);
  const lookups: Lookups = { env: (name) => plain.get(name) };
  return {
    resolve: (text) => filled(text, lookups),
    lookups,
    resolvePem: (text) => filled(text, { env: (name) => pem.get(name) }),
    mask,
  };
}

interface PemUse {
  readonly variable: string;
  readonly place: string;
  readonly value: string;
}

const PEM = '-----BEGIN ';

function pemOf({ variable, place, value }: PemUse, readFile: (path: string) => string): string {
  const text = value.includes(PEM) ? value : textOf(value, readFile);
  if (text?.includes(PEM) !== true) {
    throw new ConfigError(`${place}: the environment variable ${variable} does not contain or name a PEM file`, {
      code: 'WG-105',
      next: 'Set it to PEM text ("-----BEGIN …"), or to the path of a PEM file.',
    });
  }
  return text;
}

/** The reason is not told: it would name the path, and that may be a key in another format than PEM. */
function textOf(path: string, readFile: (path: string) => string): string | undefined {
  try {
    return readFile(path);
  } catch {
    return undefined;
  }
}

/** A target as it is sent: nothing of it may be shown or stored. */
export function resolvedTarget(target: Target, secrets: Secrets): Target {
  return {
    ...target,
    requests: target.requests.map((request) => resolvedRequest(request, secrets)),
    ...(target.connection !== undefined && { connection: resolvedConnection(target.connection, secrets) }),
  };
}

/** A request as it is sent: nothing of it may be shown or stored. */
export function resolvedRequest(request: TargetRequest, secrets: Secrets): TargetRequest {
  const { resolve } = secrets;
  const { call, body, headers, content, metadata, introduction } = request;
  return {
    ...request,
    call: resolvedCall(call, resolve),
    body: body === undefined ? undefined : resolvedJson(body, resolve),
    ...(headers !== undefined && { headers: resolvedTexts(headers, resolve) }),
    ...(metadata !== undefined && { metadata: resolvedTexts(metadata, resolve) }),
    ...(content !== undefined && {
      content: 'text' in content ? { text: resolvedBody(content.text, resolve) } : content,
    }),
    ...(introduction !== undefined && { introduction: resolvedRequest(introduction, secrets) }),
  };
}

/** `${env.NAME}` that an argument brought into a path, which escapes it. */
const IN_PATH = /%24%7Benv\.\w+%7D/g;

function resolvedCall(call: string, resolve: Secrets['resolve']): string {
  return call.replace(IN_PATH, (found) => encodeURIComponent(resolve(decodeURIComponent(found))));
}

/** In JSON a secret becomes a part of a text there, whatever is in it. */
function resolvedBody(text: string, resolve: Secrets['resolve']): string {
  return isJson(text)
    ? text.replace(/\$\{env\.\w+\}/g, (found) => JSON.stringify(resolve(found)).slice(1, -1))
    : resolve(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Texts by their names, resolved: headers, metadata. */
function resolvedTexts(
  texts: Readonly<Record<string, string>>,
  resolve: Secrets['resolve'],
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, resolve(text)]));
}

/** A service as it is asked: nothing of it may be shown or stored. */
export function resolvedService(service: Service, secrets: Secrets): Service {
  const { connection, headers, metadata } = service;
  return {
    ...service,
    ...(connection !== undefined && { connection: resolvedConnection(connection, secrets) }),
    ...(headers !== undefined && { headers: resolvedTexts(headers, secrets.resolve) }),
    ...(metadata !== undefined && { metadata: resolvedTexts(metadata, secrets.resolve) }),
  };
}

/** A connection with PEM texts in it. */
function resolvedConnection(connection: Connection, { resolvePem }: Secrets): Connection {
  const { tls } = connection;
  const pem = (text: string | undefined): string | undefined => (text === undefined ? undefined : resolvePem(text));
  const resolved = (found: Tls): Tls => ({
    ...found,
    ca: pem(found.ca),
    certificate: pem(found.certificate),
    key: pem(found.key),
  });
  return tls === undefined ? connection : { ...connection, tls: resolved(tls) };
}

function resolvedJson(value: Json, resolve: Secrets['resolve']): Json {
  if (typeof value === 'string') {
    return resolve(value);
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  return Array.isArray(value)
    ? value.map((one) => resolvedJson(one, resolve))
    : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolvedJson(one, resolve)]));
}
