import { ConfigError } from '../../foundation/index.ts';
import type {
  Connection,
  Content,
  LoadCommand,
  Target,
  TargetRequest,
  ToolGenerator,
  ToolLoad,
} from '../../model/index.ts';
import { loadLimitSeconds, SCHEDULE_SLACK_MS } from '../tool-output.ts';
import { vegetaReader } from './records.ts';

/** vegeta (https://github.com/tsenart/vegeta): drives HTTP. */
export const vegeta: ToolGenerator = { name: 'vegeta', drives: 'http', command, reader: vegetaReader };

/**
 * Left at their defaults after reading vegeta 12.13: keep-alive (on, unless a service says otherwise), HTTP/2 (only over TLS, where it is asked for). Not given:
 * `-name`, since it would add a header to every request. `-max-body 0` reads answers to the end but keeps them out of the records.
 * Redirects are not followed: one would be two requests recorded as one; the reader knows which statuses are failures.
 */
function command(load: ToolLoad, label: string): LoadCommand {
  const targets = `${label}-targets.jsonl`;
  const output = `${label}.gob`;
  const workers = String(load.workers);
  const connection = connectionArguments(load.target, label);
  return {
    tool: 'vegeta',
    arguments: [
      ...['-cpus', '1', 'attack', '-format', 'json', '-targets', targets, '-output', output],
      ...paceArguments(load),
      ...['-workers', workers, '-max-workers', workers, '-connections', workers],
      ...['-timeout', `${load.timeoutSeconds}s`, '-max-body', '0', '-redirects', '-1'],
      ...connection.arguments,
    ],
    inputs: { [targets]: targetsText(load.target), ...connection.inputs },
    output,
    limitSeconds: loadLimitSeconds(load),
  };
}

function paceArguments(load: ToolLoad): string[] {
  return load.kind === 'open'
    ? ['-rate', `${load.ratePerSecond}/1s`, '-duration', `${Math.round(load.seconds * 1000) + SCHEDULE_SLACK_MS}ms`]
    : ['-rate', '0', '-duration', `${Math.round(load.seconds * 1000)}ms`];
}

type ConnectionPart = Pick<LoadCommand, 'arguments' | 'inputs'>;

/** The same as dialHTTP in tools/load makes of it. */
function connectionArguments({ address, connection }: Target, label: string): ConnectionPart {
  if (connection === undefined) {
    return { arguments: [], inputs: {} };
  }
  const { http, tls, keepAlive = true } = connection;
  const kept = keepAlive ? [] : ['-keepalive=false'];
  if (tls === undefined) {
    return { arguments: http === 'h2c' ? ['-h2c'] : kept, inputs: {} };
  }
  const files = (
    [
      ['-root-certs', tls.ca],
      ['-cert', tls.certificate],
      ['-key', tls.key],
    ] as const
  ).flatMap(([flag, text]) => (text === undefined ? [] : [{ flag, name: `${label}${flag}.pem`, text }]));
  return {
    arguments: [
      ...kept,
      ...(http === '2' ? [] : ['-http2=false']),
      ...(tls.insecure ? ['-insecure'] : []),
      ...(tls.serverName === undefined
        ? []
        : ['-connect-to', `${hostOf(address, connection)}:${plainAddress(address)}`]),
      ...files.flatMap(({ flag, name }) => [flag, name]),
    ],
    inputs: Object.fromEntries(files.map(({ name, text }) => [name, text])),
  };
}

/** vegeta takes two hosts and two ports with colons between them. */
function plainAddress(address: string): string {
  if (address.startsWith('[')) {
    throw new ConfigError(`vegeta cannot connect to ${address} under another host name`, {
      code: 'WG-105',
      next: 'Use an IPv4 address for the service, like 127.0.0.1:8080, or a certificate for this address.',
    });
  }
  return address;
}

/** The host of requests: vegeta compares the certificate with it. */
function hostOf(address: string, connection: Connection | undefined): string {
  const name = connection?.tls?.serverName;
  return name === undefined ? address : `${name}${address.slice(address.lastIndexOf(':'))}`;
}

/** One target a line in vegeta's JSON format; it takes them in turn. */
function targetsText(target: Target): string {
  return target.requests.map((request) => `${JSON.stringify(targetOf(target, request))}\n`).join('');
}

function targetOf({ address, connection }: Target, { call, headers, content }: TargetRequest) {
  const [, method, path] = /^([A-Z]+) (\/\S*)$/.exec(call) ?? [];
  if (method === undefined || path === undefined) {
    throw new ConfigError(`vegeta cannot send ${JSON.stringify(call)}: it is not an HTTP method and path`, {
      code: 'WG-105',
      next: 'Write the binding of the operation as "GET /path".',
    });
  }
  const scheme = connection?.tls === undefined ? 'http' : 'https';
  const header = Object.entries(headers ?? {}).map(([name, value]) => [name, [value]] as const);
  return {
    method,
    url: `${scheme}://${hostOf(address, connection)}${path}`,
    ...(content !== undefined && { body: base64(content) }),
    ...(header.length > 0 && { header: Object.fromEntries(header) }),
  };
}

function base64(content: Content): string {
  if ('base64' in content) {
    return content.base64;
  }
  const bytes = new TextEncoder().encode(content.text);
  // As arguments of one call, the bytes of a long text would be too many.
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
