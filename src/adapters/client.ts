import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { credentials, type Client as GrpcClient, loadPackageDefinition, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { Client } from '../app/ports.ts';
import { ConfigError, MeasurementError, messageOf } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { TargetRequest } from '../core/load.ts';
import type { Reply } from '../core/protocol.ts';
import type { ProtocolName, Service } from '../core/service.ts';

interface Call {
  readonly contractOf: (service: Service) => Contract;
  readonly service: Service;
  readonly address: string;
  readonly request: TargetRequest;
}

const LIMIT_MS = 2000;
const BODY_LIMIT_BYTES = 4 * 2 ** 20;

const CALLS: Readonly<Record<ProtocolName, (call: Call) => Promise<Reply>>> = { rest: callRest, grpc: callGrpc };

/**
 * Asks services over their protocol, each time over a new connection; `root` is the folder that paths in manifests start from.
 * An answer of any status is a reply. Rejects with MeasurementError where none came within 2 s, and for gRPC also with the status
 * UNAVAILABLE or DEADLINE_EXCEEDED, which the client makes itself when there was no answer.
 */
export function protocolClient(root: string): Client {
  const contracts = new Map<Service, Contract>();
  const contractOf = (service: Service): Contract => {
    const contract = contracts.get(service) ?? readContract(root, service);
    contracts.set(service, contract);
    return contract;
  };
  return {
    call: async (service, address, request) => await CALLS[service.protocol]({ contractOf, service, address, request }),
  };
}

async function callRest({ address, request }: Call): Promise<Reply> {
  const [method = 'GET', path = '/'] = request.call.split(' ');
  const url = `http://${address}${path}`;
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      // A connection kept open would still be there when the measurement starts.
      headers: { connection: 'close', ...(request.body !== undefined && { 'content-type': 'application/json' }) },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    return { status: String(response.status), body: parseJson(await limitedText(response)) };
  } catch (thrown) {
    throw new MeasurementError(`${method} ${url}: ${causeOf(thrown)}`, { cause: thrown });
  }
}

async function limitedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > BODY_LIMIT_BYTES) {
      throw new Error(`the answer is longer than ${BODY_LIMIT_BYTES} bytes`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

// A body that is not JSON is none: whoever needs one says so.
function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// fetch says "fetch failed" and hides the reason one level below.
function causeOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? `${String(cause.code)} ` : '';
  return cause === undefined ? messageOf(thrown) : `${code}${messageOf(cause)}`.trim();
}

function callGrpc({ contractOf, service, address, request }: Call): Promise<Reply> {
  const { client, method } = openGrpc({ contractOf, service, address, request });
  const deadline = Date.now() + LIMIT_MS;
  return new Promise<Reply>((resolve, reject) => {
    client.makeUnaryRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      request.body ?? {},
      { deadline },
      (error, answer) => {
        if (error === null) {
          resolve({ status: 'OK', body: toJson(answer) });
        } else if (error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED) {
          reject(new MeasurementError(`${request.call} at ${address}: ${error.message}`, { cause: error }));
        } else {
          resolve({ status: status[error.code] ?? String(error.code), body: undefined });
        }
      },
    );
  }).finally(() => client.close());
}

function openGrpc({ contractOf, service, address, request }: Call) {
  const [serviceName = '', methodName = ''] = request.call.split('/');
  const ClientOfService = lookUp(contractOf(service), serviceName);
  const method = ClientOfService?.service[methodName];
  if (ClientOfService === undefined || method === undefined) {
    throw new ConfigError(`${request.call} is not in the contract of ${service.name} (${service.proto?.file})`, {
      next: 'Name the call as `package.Service/Method` in the suite.',
    });
  }
  // Without the option it would go to this machine's own services through a proxy, where one is set.
  const options = { 'grpc.enable_http_proxy': 0, 'grpc.max_receive_message_length': BODY_LIMIT_BYTES };
  const client: GrpcClient = new ClientOfService(address, credentials.createInsecure(), options);
  return { client, method };
}

type Contract = ReturnType<typeof loadPackageDefinition>;

function readContract(root: string, { name, proto }: Service): Contract {
  if (proto === undefined) {
    throw new ConfigError(`${name} speaks gRPC and has no contract`, { next: 'Add `proto` to its service.yml.' });
  }
  const includeDirs = [join(root, proto.root)];
  if (!existsSync(join(root, proto.root, proto.file))) {
    throw new ConfigError(`${name}: the contract ${proto.file} is not in ${proto.root}`, {
      next: 'Mend `proto` in service.yml.',
    });
  }
  const options = { includeDirs, keepCase: true, longs: Number, enums: String, bytes: String, defaults: true };
  try {
    return loadPackageDefinition(loadSync(proto.file, options));
  } catch (cause) {
    throw new ConfigError(`${name}: ${proto.file} cannot be read: ${messageOf(cause)}`, {
      cause,
      next: 'Mend the contract.',
    });
  }
}

function lookUp(contract: Contract, name: string) {
  let found: Contract[string] | undefined = contract;
  for (const part of name.split('.')) {
    found = typeof found === 'object' && !('format' in found) ? found[part] : undefined;
  }
  return typeof found === 'function' ? found : undefined;
}

// Message objects have classes of their own; what counts is what they say.
function toJson(answer: unknown): Json {
  return JSON.parse(JSON.stringify(answer ?? {}));
}
