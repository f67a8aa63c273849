import { ConfigError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { Generator, Load, LoadCommand, Target, TargetRequest } from '../core/load.ts';
import { limitSeconds, SCHEDULE_SLACK_MS } from './timing.ts';
import { vegetaReader } from './vegeta-records.ts';

/** vegeta (https://github.com/tsenart/vegeta): drives HTTP. */
export const vegeta: Generator = { name: 'vegeta', drives: 'rest', command, reader: vegetaReader };

/**
 * Left at their defaults after reading vegeta 12.13: keep-alive (on), HTTP/2 (only over TLS). Not given: `-name`, since
 * it would add a header to every request. `-max-body 0` reads answers to the end but keeps them out of the records.
 * Redirects are not followed: one would be two requests recorded as one; the reader counts it as a failure.
 */
function command(load: Load, label: string): LoadCommand {
  const targets = `${label}-targets.jsonl`;
  const output = `${label}.gob`;
  const workers = String(load.workers);
  return {
    tool: 'vegeta',
    arguments: [
      ...['-cpus', '1', 'attack', '-format', 'json', '-targets', targets, '-output', output],
      ...paceArguments(load),
      ...['-workers', workers, '-max-workers', workers, '-connections', workers],
      ...['-timeout', `${load.timeoutSeconds}s`, '-max-body', '0', '-redirects', '-1'],
    ],
    inputs: { [targets]: targetsText(load.target) },
    output,
    limitSeconds: limitSeconds(load),
  };
}

function paceArguments(load: Load): string[] {
  return load.kind === 'open'
    ? ['-rate', `${load.ratePerSecond}/1s`, '-duration', `${Math.round(load.seconds * 1000) + SCHEDULE_SLACK_MS}ms`]
    : ['-rate', '0', '-duration', `${Math.round(load.seconds * 1000)}ms`];
}

/** One target a line in vegeta's JSON format; it takes them in turn. */
function targetsText({ address, requests }: Target): string {
  return requests.map((request) => `${JSON.stringify(targetOf(address, request))}\n`).join('');
}

function targetOf(address: string, { call, body }: TargetRequest) {
  const [, method, path] = /^([A-Z]+) (\/\S*)$/.exec(call) ?? [];
  if (method === undefined || path === undefined) {
    throw new ConfigError(`vegeta cannot send ${JSON.stringify(call)}: it is no HTTP method and path`, {
      next: 'Write the binding of the operation as "GET /path".',
    });
  }
  const target = { method, url: `http://${address}${path}` };
  return body === undefined
    ? target
    : { ...target, body: base64(body), header: { 'Content-Type': ['application/json'] } };
}

function base64(body: Json): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(body))));
}
