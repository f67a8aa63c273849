import { ConfigError, ifPossible } from '../../foundation/errors.ts';
import { parsedJson, withTexts } from '../../foundation/json.ts';
import { filled, type Lookups } from '../../foundation/placeholders.ts';
import type { Target, TargetRequest } from '../load.ts';
import type { Connection, Service } from '../service.ts';
import { maskOf } from './mask.ts';

export interface SecretUse {
  readonly variable: string;
  /** For messages: "wiregauge.yml:12:5: services.api.headers.authorization". */
  readonly place: string;
  /** True if the value must be PEM text, or the path of a PEM file. */
  readonly isPem: boolean;
  /** Service, in a file with several. */
  readonly service?: string | undefined;
}

export interface Secrets {
  /** Text with every `${env.NAME}` replaced by its value. */
  resolve(text: string): string;
  /** Values of `${env.NAME}` for the environment of started programs. */
  readonly lookups: Lookups;
  /** Text with every `${env.NAME}` of `tls` replaced by its PEM text. */
  resolvePem(text: string): string;
  /** Text with every value replaced by `***`. Keys and numbers of a JSON document are unchanged. */
  mask(text: string): string;
  /** Also masks these values from now on; of many, the latest. */
  learn(values: readonly string[]): void;
}

/** Secrets from an environment. Throws ConfigError with the place if a variable is missing or empty. */
export function secretsFrom(
  uses: readonly SecretUse[],
  environment: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): Secrets {
  const plain = new Map<string, string>();
  const pem = new Map<string, string>();
  for (const use of uses) {
    const { variable, place, isPem } = use;
    const value = environment[variable] || undefined;
    if (value === undefined) {
      const unset = [...new Set(uses.flatMap((one) => (environment[one.variable] ? [] : one.variable)))];
      const env = unset.map((name) => `${name}: "\${{ secrets.${name} }}", `).join('');
      const names = unset.join(', ');
      throw new ConfigError(`${place}: the environment variable ${variable} is not set, or empty`, {
        code: 'WG-109',
        next: `Set ${names} before you start Wiregauge; in a workflow: \`env: { ${env}WIREGAUGE_SECRETS: "${names}" }\`.`,
      });
    }
    if (isPem) {
      pem.set(variable, pemOf(use, value, readFile));
    } else {
      plain.set(variable, value);
    }
  }
  const own = [...plain.values(), ...pem.values()];
  let learned: readonly string[] = [];
  let mask = maskOf(own);
  const lookups: Lookups = { env: (name) => plain.get(name) };
  return {
    resolve: (text) => filled(text, lookups),
    lookups,
    resolvePem: (text) => filled(text, { env: (name) => pem.get(name) }),
    mask: (text) => mask(text),
    learn(values) {
      learned = [...new Set([...learned, ...values])].slice(-MAX_LEARNED);
      mask = maskOf([...own, ...learned]);
    },
  };
}

/** Values of services that ended long ago are in no output. */
const MAX_LEARNED = 50;

const PEM = '-----BEGIN ';

function pemOf({ variable, place }: SecretUse, value: string, readFile: (path: string) => string): string {
  // The reason is not reported: it contains the path, which may be a key in another format than PEM.
  const text = value.includes(PEM) ? value : ifPossible(() => readFile(value));
  if (text?.includes(PEM) !== true) {
    throw new ConfigError(`${place}: the environment variable ${variable} does not contain or name a PEM file`, {
      code: 'WG-105',
      next: 'Set it to PEM text ("-----BEGIN …"), or to the path of a PEM file.',
    });
  }
  return text;
}

export function resolvedTarget(target: Target, secrets: Secrets): Target {
  return {
    ...target,
    requests: target.requests.map((request) => resolvedRequest(request, secrets)),
    ...(target.connection !== undefined && { connection: resolvedConnection(target.connection, secrets) }),
  };
}

export function resolvedRequest(request: TargetRequest, secrets: Secrets): TargetRequest {
  const { resolve } = secrets;
  const { call, body, headers, content, metadata, introduction } = request;
  return {
    ...request,
    call: call.replace(IN_PATH, (found) => encodeURIComponent(resolve(decodeURIComponent(found)))),
    body: body === undefined ? undefined : withTexts(body, resolve),
    ...(headers !== undefined && { headers: resolvedTexts(headers, resolve) }),
    ...(metadata !== undefined && { metadata: resolvedTexts(metadata, resolve) }),
    ...(content !== undefined && {
      content: 'text' in content ? { text: resolvedBody(content.text, resolve) } : content,
    }),
    ...(introduction !== undefined && { introduction: resolvedRequest(introduction, secrets) }),
  };
}

/** Escaped `${env.NAME}` from an argument in a path. */
const IN_PATH = /%24%7Benv\.\w+%7D/g;

/** Text with placeholders resolved; in JSON, values are escaped as parts of a string. */
export function resolvedBody(text: string, resolve: Secrets['resolve']): string {
  return parsedJson(text) !== undefined
    ? text.replace(/\$\{[a-z]+\.\w+\}/g, (found) => JSON.stringify(resolve(found)).slice(1, -1))
    : resolve(text);
}

function resolvedTexts(
  texts: Readonly<Record<string, string>>,
  resolve: Secrets['resolve'],
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, resolve(text)]));
}

export function resolvedService(service: Service, secrets: Secrets): Service {
  const { connection, headers, metadata } = service;
  return {
    ...service,
    ...(connection !== undefined && { connection: resolvedConnection(connection, secrets) }),
    ...(headers !== undefined && { headers: resolvedTexts(headers, secrets.resolve) }),
    ...(metadata !== undefined && { metadata: resolvedTexts(metadata, secrets.resolve) }),
  };
}

function resolvedConnection(connection: Connection, { resolvePem }: Secrets): Connection {
  const { tls } = connection;
  const pem = (text: string | undefined): string | undefined => text && resolvePem(text);
  return tls === undefined
    ? connection
    : { ...connection, tls: { ...tls, ca: pem(tls.ca), certificate: pem(tls.certificate), key: pem(tls.key) } };
}
