import { checkServerIdentity } from 'node:tls';
import {
  type ChannelCredentials,
  Client,
  type ClientOptions,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { ConfigError, MeasurementError, messageOf } from '../../foundation/errors.ts';
import type { Reply, TargetRequest } from '../../model/load.ts';
import type { Tls } from '../../model/service.ts';
import { BODY_LIMIT_BYTES, type Call, type Running } from '../call.ts';
import { hostAndPort } from '../http/send.ts';
import { TLS_FAILURES } from '../tls.ts';

/** Opens a connection to a service, which the caller closes; its PEM texts are resolved. Throws ConfigError if they are not PEM. */
export function openChannel({ service, address }: Running): Client {
  const tls = service.connection?.tls;
  try {
    return new Client(address, credentialsOf(tls, address), optionsOf(tls));
  } catch (cause) {
    throw new ConfigError(`${service.name}: its \`tls\` cannot be used: ${messageOf(cause)}`, {
      code: 'WG-105',
      cause,
      next: 'Use PEM files for certificates and keys, and the key that belongs to the certificate.',
    });
  }
}

function credentialsOf(tls: Tls | undefined, address: string): ChannelCredentials {
  if (tls === undefined) {
    return credentials.createInsecure();
  }
  const bytes = (text: string | undefined): Buffer | null => (text === undefined ? null : Buffer.from(text));
  return credentials.createSsl(bytes(tls.ca), bytes(tls.key), bytes(tls.certificate), {
    rejectUnauthorized: !tls.insecure,
    checkServerIdentity: (_name, certificate) =>
      tls.insecure ? undefined : checkServerIdentity(tls.serverName ?? hostAndPort(address).host, certificate),
  });
}

/** Node.js warns if the server name is an IP address. */
const NO_NAME = 'localhost';

/** One more than the usual limit of services, so that the error message shows whose limit was exceeded. */
export const MAX_RECEIVED_BYTES = BODY_LIMIT_BYTES + 1;

function optionsOf(tls: Tls | undefined): ClientOptions {
  const name = tls?.serverName;
  return {
    // Otherwise calls to this machine would go through a configured proxy.
    'grpc.enable_http_proxy': 0,
    'grpc.max_receive_message_length': MAX_RECEIVED_BYTES,
    // Otherwise the channel of an earlier start, with its reconnect delay, would be reused.
    'grpc.use_local_subchannel_pool': 1,
    ...(tls !== undefined && { 'grpc.ssl_target_name_override': name ?? NO_NAME }),
    ...(name !== undefined && { 'grpc.default_authority': name }),
  };
}

export function metadataOf(values: TargetRequest['metadata']): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(values ?? {})) {
    metadata.set(name, name.endsWith('-bin') ? Buffer.from(value, 'base64') : value);
  }
  return metadata;
}

/** Reply of a call that did not end with OK. Throws MeasurementError if there was no response, with advice for known errors. */
export function failedReply(thrown: unknown, { request, address }: Pick<Call, 'request' | 'address'>): Reply {
  if (!isServiceError(thrown)) {
    throw thrown;
  }
  const { code, message, details } = thrown;
  if (code === status.UNAVAILABLE || code === status.DEADLINE_EXCEEDED) {
    throw new MeasurementError(`${request.call} at ${address}: ${message}`, {
      code: 'WG-308',
      cause: thrown,
      next: TLS_FAILURES.find(({ pattern }) => pattern.test(message))?.next,
    });
  }
  return { status: status[code] ?? String(code), body: undefined, detail: details };
}

export function isServiceError(thrown: unknown): thrown is ServiceError {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'number';
}
