import { KnownError, MeasurementError, messageOf } from '../../foundation/errors.ts';
import type { Exchange } from './client-rest-http1.ts';

interface Failure {
  readonly thrown: unknown;
  /** The limit, where the time was up. */
  readonly lateMs: number | undefined;
  /** Whether the head of the answer was there. */
  readonly hasBegun: boolean;
}

interface Words {
  readonly codes: RegExp;
  readonly says: string;
  readonly next: string;
}

const TRUST = 'Name the certificate to trust, `tls: { ca: <file> }`, or trust any: `tls: { insecure: true }`.';

/** Errors by their codes, those of TLS with what to do about them. */
const KNOWN: readonly Words[] = [
  {
    codes: /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/,
    says: 'its certificate is signed by itself, and not among the trusted ones',
    next: TRUST,
  },
  {
    codes: /^UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)/,
    says: 'its certificate is of an authority that is not trusted',
    next: TRUST,
  },
  { codes: /^CERT_HAS_EXPIRED$/, says: 'its certificate has expired', next: 'Make a new one.' },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    says: 'its certificate is for another name',
    next: 'Give a name that is in the certificate: `tls: { serverName: <name> }`.',
  },
  {
    codes:
      /^ERR_SSL_(TLSV1\w*_ALERT_(CERTIFICATE_REQUIRED|UNKNOWN_CA)|SSLV3_ALERT_(BAD_CERTIFICATE|HANDSHAKE_FAILURE))$/,
    says: 'it wants a certificate of the client that it trusts',
    next: 'Give one with its key: `tls: { certificate: <file>, key: <file> }`.',
  },
  {
    codes: /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/,
    says: 'it does not speak TLS',
    next: 'Remove `tls`, or turn TLS on in the service.',
  },
  {
    codes: /^ERR_(OSSL|SSL)_.*(PEM|KEY|ASN1|UNSUPPORTED)/,
    says: 'the certificate or the key of its `tls` cannot be used',
    next: 'Check that both are PEM, without a passphrase, and belong together.',
  },
  {
    codes: /^HPE_/,
    says: 'what it answers is no HTTP/1.1',
    next: 'Does it speak TLS or HTTP/2? Then say so: `tls: {}`, or `http: h2c`.',
  },
  {
    codes: /^(ERR_HTTP2_|ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL)/,
    says: 'it does not speak HTTP/2 there',
    next: 'Say `http: "1.1"`, or turn HTTP/2 on in the service.',
  },
  {
    codes: /^ECONNRESET$/,
    says: 'it closed the connection before the answer was complete',
    next: 'Look at what it printed; does it speak TLS or another version of HTTP there?',
  },
];

/** The error of a request that got no answer. */
export function restFailure(exchange: Exchange, { thrown, lateMs, hasBegun }: Failure): MeasurementError {
  const { method, path, address, tls } = exchange;
  const name = `${method} ${tls === undefined ? 'http' : 'https'}://${address}${path}`;
  if (lateMs !== undefined) {
    const what = hasBegun ? 'the answer did not end' : 'no answer';
    return new MeasurementError(`${name}: timeout: ${what} within ${lateMs / 1000} s`, { cause: thrown });
  }
  const first = firstCause(thrown);
  const code = codeOf(first);
  const known = KNOWN.find(({ codes }) => codes.test(code));
  const told = `${code} ${messageOf(first)}`.replace(/\s+/g, ' ').trim();
  const hint = known?.next ?? (thrown instanceof KnownError ? thrown.next : undefined);
  const next = hint === undefined ? {} : { next: hint };
  return new MeasurementError(`${name}: ${known === undefined ? told : `${known.says} (${told})`}`, {
    cause: thrown,
    ...next,
  });
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}

/** A stream of HTTP/2 fails because its connection did. */
function firstCause(thrown: unknown): unknown {
  const isStream = codeOf(thrown) === 'ERR_HTTP2_STREAM_CANCEL';
  return isStream && thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
}
