interface KnownFailure {
  /** Matches the code or the message of the error. */
  readonly pattern: RegExp;
  readonly says: string;
  readonly next: string;
}

const TRUST = 'Set the certificate to trust, `tls: { ca: <file> }`, or trust any: `tls: { insecure: true }`.';

/** Failures of TLS by the messages of OpenSSL: grpc-js passes on no codes, and those of Node.js depend on the version of OpenSSL. */
export const TLS_FAILURES: readonly KnownFailure[] = [
  { pattern: /self[- ]signed certificate/i, says: 'its certificate is self-signed and not trusted', next: TRUST },
  {
    pattern: /unable to (?:verify the first|get (?:local )?issuer) certificate/i,
    says: 'its certificate was issued by an authority that is not trusted',
    next: TRUST,
  },
  {
    pattern: /certificate has expired/i,
    says: 'its certificate has expired',
    next: 'Create a new certificate for the service.',
  },
  {
    pattern: /does not match certificate's altnames/i,
    says: 'its certificate is for another host name',
    next: 'Use a name that is in the certificate: `tls: { serverName: <name> }`.',
  },
  {
    pattern: /alert (?:certificate required|unknown ca|bad certificate|handshake failure)/i,
    says: 'it requires a client certificate that it trusts',
    next: 'Set a client certificate that the service trusts: `tls: { certificate: <file>, key: <file> }`.',
  },
  {
    pattern: /\bEPROTO\b|wrong version number|packet length too long/i,
    says: 'it does not speak TLS',
    next: 'Remove `tls`, or enable TLS in the service.',
  },
];
