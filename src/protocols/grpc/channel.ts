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
import { BODY_LIMIT_BYTES, type Call } from '../call.ts';

/** A new connection to a service, which the caller closes; its PEM texts are resolved. Throws ConfigError if they are no PEM. */
export function openChannel({ service, address }: Pick<Call, 'service' | 'address'>): Client {
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
      tls.insecure ? undefined : checkServerIdentity(tls.serverName ?? hostOf(address), certificate),
  });
}

function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
}

/** Node warns of an address if the name of a service is asked for. */
const NO_NAME = 'localhost';

/** One more than services usually take, so that the words of an error tell whose limit it was. */
export const MOST_RECEIVED_BYTES = BODY_LIMIT_BYTES + 1;

function optionsOf(tls: Tls | undefined): ClientOptions {
  const name = tls?.serverName;
  return {
    // Without it, calls would go to this machine's own services through a proxy, if one is set.
    'grpc.enable_http_proxy': 0,
    'grpc.max_receive_message_length': MOST_RECEIVED_BYTES,
    // Else a channel of an earlier start of the service would be taken over, with its waits before it dials again.
    'grpc.use_local_subchannel_pool': 1,
    ...(tls !== undefined && { 'grpc.ssl_target_name_override': name ?? NO_NAME }),
    ...(name !== undefined && { 'grpc.default_authority': name }),
  };
}

/** Metadata as gRPC takes it; values of names that end in -bin are bytes, in base64. */
export function metadataOf(values: TargetRequest['metadata']): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(values ?? {})) {
    metadata.set(name, name.endsWith('-bin') ? Buffer.from(value, 'base64') : value);
  }
  return metadata;
}

interface Words {
  readonly message: RegExp;
  readonly next: string;
}

/** What to do about errors of TLS, of which grpc-js tells the words alone. */
const KNOWN: readonly Words[] = [
  {
    message: /self[- ]signed certificate|unable to (verify the first|get (local )?issuer) certificate/i,
    next: 'Set the certificate to trust, `tls: { ca: <file> }`, or trust any: `tls: { insecure: true }`.',
  },
  { message: /certificate has expired/i, next: 'Create a new certificate for the service.' },
  {
    message: /does not match certificate's altnames/i,
    next: 'Use a name that is in the certificate: `tls: { serverName: <name> }`.',
  },
  {
    message: /alert (certificate required|unknown ca|bad certificate|handshake failure)/i,
    next: 'Set a client certificate that the service trusts: `tls: { certificate: <file>, key: <file> }`.',
  },
  { message: /wrong version number|packet length too long/i, next: 'Remove `tls`, or enable TLS in the service.' },
];

/**
 * The reply of a call that did not end with OK. Throws MeasurementError if no answer came, with what to do if the words of the
 * error tell.
 */
export function failedReply(thrown: unknown, { request, address }: Pick<Call, 'request' | 'address'>): Reply {
  if (!isServiceError(thrown)) {
    throw thrown;
  }
  const { code, message } = thrown;
  if (code === status.UNAVAILABLE || code === status.DEADLINE_EXCEEDED) {
    const next = KNOWN.find((words) => words.message.test(message))?.next;
    throw new MeasurementError(`${request.call} at ${address}: ${message}`, {
      code: 'WG-308',
      cause: thrown,
      ...(next !== undefined && { next }),
    });
  }
  return { status: status[code] ?? String(code), body: undefined };
}

/** Whether grpc-js threw it: an error with a status. */
export function isServiceError(thrown: unknown): thrown is ServiceError {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'number';
}
