import { ConfigError } from '../../foundation/index.ts';
import type { Contract, LoadCommand, Target, Tls, ToolGenerator, ToolLoad } from '../../model/index.ts';
import { loadLimitSeconds, SCHEDULE_SLACK_MS } from '../tool-output.ts';
import { ghzReader } from './records.ts';

/** ghz (https://github.com/bojand/ghz): drives gRPC. */
export const ghz: ToolGenerator = { name: 'ghz', drives: 'grpc', command, reader: ghzReader };

/** More connections are dialed only when they are first used, and spoil the first second (docs/measurement.md). */
const MOST_CONNECTIONS = 16;

/** A part of a command: what is said, and the files that it speaks of. */
type Part = Pick<LoadCommand, 'arguments' | 'inputs' | 'binaryInputs'>;

/**
 * A duration rather than a count of requests (`-n`): under a rate that the service cannot take, a count would go on
 * for as long as it takes, where vegeta stops at the end of its duration; and ghz writes nothing when it is ended.
 * `--duration-stop wait` sends nothing new when the time is up and waits for the answers under way; the default
 * would close their connections and record them as failed. The templates are off because they cost three times as
 * much CPU time as the call itself; the list of messages is still taken in turn.
 */
function command(load: ToolLoad, label: string): LoadCommand {
  const { target } = load;
  const transport = transportPart(target.connection?.tls, `${label}-tls`);
  const contract = contractPart(target.proto, `${label}-proto`);
  const messages = messagePart(target, `${label}-messages.json`);
  const metadata = metadataPart(target, `${label}-metadata.json`);
  const output = `${label}.json`;
  return {
    tool: 'ghz',
    arguments: [
      ...['--cpus', '1', ...transport.arguments, ...contract.arguments, '--call', oneCall(target)],
      ...[...messages.arguments, ...metadata.arguments],
      ...['--disable-template-functions', '--disable-template-data'],
      ...paceArguments(load),
      ...['--concurrency', String(load.workers)],
      ...['--connections', String(Math.min(MOST_CONNECTIONS, load.workers))],
      ...['--timeout', `${load.timeoutSeconds}s`, '-O', 'json', '-o', output, target.address],
    ],
    inputs: { ...transport.inputs, ...contract.inputs, ...messages.inputs, ...metadata.inputs },
    ...(contract.binaryInputs !== undefined && { binaryInputs: contract.binaryInputs }),
    output,
    limitSeconds: loadLimitSeconds(load),
  };
}

function transportPart(tls: Tls | undefined, folder: string): Part {
  if (tls === undefined) {
    return { arguments: ['--insecure'], inputs: {} };
  }
  const files = Object.entries({ cacert: tls.ca, cert: tls.certificate, key: tls.key }).flatMap(([flag, text]) =>
    text === undefined ? [] : [{ flag: `--${flag}`, path: `${folder}/${flag}.pem`, text }],
  );
  return {
    arguments: [
      ...files.flatMap(({ flag, path }) => [flag, path]),
      ...(tls.serverName === undefined ? [] : ['--cname', tls.serverName]),
      ...(tls.insecure ? ['--skipTLS'] : []),
    ],
    inputs: Object.fromEntries(files.map(({ path, text }) => [path, text])),
  };
}

/** Never by reflection in the load tool: that would be a call to the service in its measured time. */
function contractPart(proto: Contract | undefined, folder: string): Part {
  if (proto === undefined || 'reflection' in proto) {
    throw new ConfigError('ghz cannot call a service without its contract', {
      code: 'WG-105',
      next: 'Set `proto` of the service to a .proto file, a descriptor set or `reflection`.',
    });
  }
  if ('texts' in proto) {
    const inputs = Object.entries(proto.texts).map(([path, text]) => [`${folder}/${path}`, text]);
    return { arguments: ['--import-paths', folder, '--proto', proto.file], inputs: Object.fromEntries(inputs) };
  }
  const file = `${folder}/contract.binpb`;
  return { arguments: ['--protoset', file], inputs: {}, binaryInputs: { [file]: proto.descriptorSet } };
}

/**
 * In a file, since all users of this machine can see the arguments of processes. A list of messages is taken in turn by the calls,
 * except if the method takes a stream: then each call sends the whole list. What is for a stream so has to be the only request.
 */
function messagePart({ requests }: Target, file: string): Part {
  const [first] = requests;
  if (requests.length > 1 && requests.some(({ body }) => Array.isArray(body))) {
    throw new ConfigError('ghz sends the same stream in every call, but the operation has several', {
      code: 'WG-105',
      next: 'Keep one entry in `arguments`, and put the messages of the stream in `grpc.messages`.',
    });
  }
  const messages = Array.isArray(first?.body) ? first.body : requests.map(({ body }) => body ?? {});
  return { arguments: ['--data-file', file], inputs: { [file]: JSON.stringify(messages) } };
}

/** In a file, as the messages are. */
function metadataPart({ requests }: Target, file: string): Part {
  const metadata = requests[0]?.metadata;
  return metadata === undefined
    ? { arguments: [], inputs: {} }
    : { arguments: ['--metadata-file', file], inputs: { [file]: JSON.stringify(metadata) } };
}

function paceArguments(load: ToolLoad): string[] {
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
    throw new ConfigError(`ghz calls one method, but the operation has ${calls.size}`, {
      code: 'WG-105',
      next: 'Bind the operation to one gRPC method.',
    });
  }
  return call;
}
