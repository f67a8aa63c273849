/** How HTTP is spoken with a REST service: "2" is agreed on over TLS, "h2c" is HTTP/2 without TLS. */
export type HttpVersion = '1.1' | '2' | 'h2c';

/** How a service is spoken to, beside its address. Where a service or a target says nothing: HTTP/1.1 without TLS. */
export interface Connection {
  /** Of REST services only: gRPC is always HTTP/2. */
  readonly http: HttpVersion;
  /** Undefined where nothing is encrypted. */
  readonly tls: Tls | undefined;
}

/**
 * Who is trusted, and who the client says it is. Texts are PEM; in a manifest's Connection they may be `${env.NAME}` instead, which
 * Secrets resolves to PEM.
 */
export interface Tls {
  /** Certificates of the authorities that are trusted; undefined for those of the machine. */
  readonly ca: string | undefined;
  /** Whether any certificate will do. */
  readonly insecure: boolean;
  /** The name in the service's certificate; undefined where that is the address. */
  readonly serverName: string | undefined;
  /** The client's own certificate, with `key`, where the service asks for one (mTLS). */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}
