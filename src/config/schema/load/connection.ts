import * as z from 'zod';
import { ConfigError } from '../../../foundation/errors.ts';
import { path } from '../../../foundation/names.ts';
import type { Connection, HttpVersion, ProtocolName, Tls } from '../../../model/service.ts';
import { MAX_IN_FLIGHT } from '../../../model/suite/suite.ts';
import { OVER_HTTP, PROTOCOLS, WITH_HEADERS } from '../../../protocols/protocols.ts';
import { firstMisfit, type Misfit, refusing } from '../../mistakes.ts';
import { type ReadFile, type ServicePlace, textAt } from '../../reader.ts';

const VARIABLE = /^\$\{env\.[A-Za-z_][A-Za-z0-9_]*\}$/;

const pem = z.union([z.string().regex(VARIABLE), path], {
  error: 'must be a file inside the repository, or ${env.NAME} that contains PEM or the path of a PEM file',
});

/** Trusted authorities and client certificate. */
export const tls = z
  .strictObject({
    ca: pem.optional().describe('Certificate authorities to trust (PEM); default: those of the machine.'),
    insecure: z.boolean().default(false).describe('Trusts any certificate.'),
    serverName: z
      .string()
      .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/, 'must be the name of a host')
      .optional()
      .describe('The name in the certificate, also sent as the host of requests; default: 127.0.0.1.'),
    certificate: pem.optional().describe('The client certificate (PEM), for mTLS.'),
    key: pem.optional().describe('Its key (PEM).'),
  })
  .superRefine(
    refusing(({ ca, insecure, certificate, key }) => {
      const isHalf = (certificate === undefined) !== (key === undefined);
      const missing = key === undefined ? 'key' : 'certificate';
      const trusts = 'trusts any certificate, so it cannot be combined with ca';
      return [
        ...firstMisfit([[isHalf, missing, 'is missing: certificate and key go together']]),
        ...firstMisfit([[insecure && ca !== undefined, 'insecure', trusts]]),
      ];
    }),
  );

export const http = z.enum(['1.1', '2', 'h2c'], {
  error: 'must be "1.1", "2" (over TLS) or h2c (HTTP/2 without TLS); quote the numbers',
});

export const connections = z.int().min(1).max(MAX_IN_FLIGHT);

export const keepAlive = z.boolean().transform((isKept) => (isKept ? undefined : isKept));

interface ConnectionInput {
  readonly protocol: ProtocolName;
  readonly http?: HttpVersion | undefined;
  readonly tls?: z.output<typeof tls> | undefined;
  readonly connections?: number | undefined;
  readonly keepAlive?: false | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** First key of a connection that does not fit the others. */
export function connectionMisfit(said: ConnectionInput): readonly Misfit[] {
  const { http: version, tls: security, connections: most, keepAlive: isKept, headers } = said;
  const { transport } = PROTOCOLS[said.protocol];
  const [isGrpc, isSocket] = [transport === 'grpc', transport === 'websocket'];
  const isPlainHttp = transport === 'http' && (version ?? '1.1') === '1.1';
  const [isSecond, isClear] = [transport === 'http' && version === '2', transport === 'http' && version === 'h2c'];
  return firstMisfit([
    [isKept === false && !isPlainHttp, 'keepAlive', 'is only for HTTP/1.1; other protocols always reuse connections'],
    [isGrpc && version !== undefined, 'http', `is only for ${OVER_HTTP}; gRPC always uses HTTP/2`],
    [isGrpc && headers !== undefined, 'headers', `is only for ${WITH_HEADERS}; for gRPC, use metadata`],
    [isSocket && most !== undefined, 'connections', 'is only for HTTP and gRPC; each user has one WebSocket'],
    [isSocket && version !== undefined, 'http', `is only for ${OVER_HTTP}; a WebSocket handshake is always HTTP/1.1`],
    [isSecond && most !== undefined, 'connections', 'is only for HTTP/1.1, h2c and gRPC; HTTP/2 over TLS has only one'],
    [isSecond && security === undefined, 'http', 'needs tls; use h2c for HTTP/2 without TLS'],
    [isClear && security !== undefined, 'http', 'is HTTP/2 without TLS; with tls, use "2"'],
  ]);
}

/**
 * Connection of a service, with the PEM texts of its files; undefined if it sets no key. Throws ConfigError, with
 * file and line, if a file cannot be read or is not PEM.
 */
export function connectionOf(
  said: Omit<ConnectionInput, 'protocol' | 'headers'>,
  place: ServicePlace,
): Connection | undefined {
  const { http, tls: security, connections: most, keepAlive: isKept } = said;
  if ([http, security, most, isKept].every((key) => key === undefined)) {
    return undefined;
  }
  const tls = security && tlsOf(security, place);
  return {
    http: http ?? '1.1',
    tls,
    ...(most !== undefined && { connections: most }),
    ...(isKept !== undefined && { keepAlive: isKept }),
  };
}

function tlsOf({ insecure, serverName, ...files }: z.output<typeof tls>, { at, reading }: ServicePlace): Tls {
  const pem = (key: keyof typeof files): string | undefined => {
    const source = files[key];
    return source === undefined || source.startsWith('${') ? source : pemIn(source, at('tls', key), reading.readFile);
  };
  return { ca: pem('ca'), insecure, serverName, certificate: pem('certificate'), key: pem('key') };
}

function pemIn(path: string, place: string, readFile: ReadFile): string {
  const text = textAt(path, place, readFile);
  if (!text.includes('-----BEGIN ')) {
    throw new ConfigError(`${place}: ${path} is not PEM`, {
      code: 'WG-105',
      next: 'Convert it: openssl x509 -in <file> -inform der -out <file>.pem; for a key, use openssl pkey.',
    });
  }
  return text;
}
