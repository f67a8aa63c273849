import { type ServiceError, status } from '@grpc/grpc-js';
import { MeasurementError } from '../../foundation/errors.ts';
import type { Reply } from '../../model/protocol.ts';
import type { Call } from '../client-call.ts';

interface Words {
  readonly message: RegExp;
  readonly next: string;
}

/** What to do about errors of TLS, of which grpc-js tells the words alone. */
const KNOWN: readonly Words[] = [
  {
    message: /self[- ]signed certificate|unable to (verify the first|get (local )?issuer) certificate/i,
    next: 'Name the certificate to trust, `tls: { ca: <file> }`, or trust any: `tls: { insecure: true }`.',
  },
  { message: /certificate has expired/i, next: 'Make a new certificate for the service.' },
  {
    message: /does not match certificate's altnames/i,
    next: 'Give a name that is in the certificate: `tls: { serverName: <name> }`.',
  },
  {
    message: /alert (certificate required|unknown ca|bad certificate|handshake failure)/i,
    next: 'The service wants a certificate that it trusts: `tls: { certificate: <file>, key: <file> }`.',
  },
  { message: /wrong version number|packet length too long/i, next: 'Remove `tls`, or turn TLS on in the service.' },
];

/**
 * The reply of a call that did not end with OK. Throws MeasurementError where no answer came, with what to do where the words of the
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
