import { ConfigError } from '../core/errors.ts';
import type { Generator, Load, LoadCommand, Target } from '../core/load.ts';
import { ghzReader } from './ghz-records.ts';
import { limitSeconds, SCHEDULE_SLACK_MS } from './timing.ts';

/** ghz (https://github.com/bojand/ghz): drives gRPC. */
export const ghz: Generator = { name: 'ghz', drives: 'grpc', command, reader: ghzReader };

/** More connections are dialled only when they are first used, and spoil the first second (docs/measurement.md). */
const MOST_CONNECTIONS = 16;

/**
 * A duration rather than a count of requests (`-n`): under a rate that the service cannot take, a count would go on
 * for as long as it takes, where vegeta stops at the end of its duration; and ghz writes nothing when it is ended.
 * `--duration-stop wait` sends nothing new when the time is up and waits for the answers under way; the default
 * would close their connections and record them as failed. The templates are off because they cost three times as
 * much CPU time as the call itself; the list in `-d` is still taken in turn.
 */
function command(load: Load, label: string): LoadCommand {
  const { proto, address, requests } = load.target;
  if (proto === undefined) {
    throw new ConfigError('ghz cannot call a service without its contract', {
      next: 'Name the .proto file in the service.yml of the service (grpc.proto).',
    });
  }
  const folder = `${label}-proto`;
  const output = `${label}.json`;
  return {
    tool: 'ghz',
    arguments: [
      ...['--cpus', '1', '--insecure', '--import-paths', folder, '--proto', proto.file, '--call', oneCall(load.target)],
      ...['-d', JSON.stringify(requests.map(({ body }) => body ?? {}))],
      ...['--disable-template-functions', '--disable-template-data'],
      ...paceArguments(load),
      ...['--concurrency', String(load.workers)],
      ...['--connections', String(Math.min(MOST_CONNECTIONS, load.workers))],
      ...['--timeout', `${load.timeoutSeconds}s`, '-O', 'json', '-o', output, address],
    ],
    inputs: Object.fromEntries(Object.entries(proto.texts).map(([path, text]) => [`${folder}/${path}`, text])),
    output,
    limitSeconds: limitSeconds(load),
  };
}

function paceArguments(load: Load): string[] {
  return load.kind === 'open'
    ? ['--rps', String(load.ratePerSecond), ...durationArguments(load.seconds * 1000 + SCHEDULE_SLACK_MS)]
    : durationArguments(load.seconds * 1000);
}

function durationArguments(milliseconds: number): string[] {
  return ['--duration', `${Math.round(milliseconds)}ms`, '--duration-stop', 'wait'];
}

function oneCall({ requests }: Target): string {
  const calls = new Set(requests.map(({ call }) => call));
  const [call] = calls;
  if (call === undefined || calls.size > 1) {
    throw new ConfigError(`ghz calls one method at a time, and the operation has ${calls.size}`, {
      next: 'Bind the operation to one gRPC method.',
    });
  }
  return call;
}
