import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import type { Connection, Tls } from '../../model/service.ts';

export interface Exchange extends Connection {
  readonly address: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Readable;
  close(): void;
}

/** Sends a request over a new HTTP/1.1 connection; resolves when the headers of the response arrive. */
export function sendHttp1(exchange: Exchange, signal: AbortSignal): Promise<RawAnswer> {
  const { address, tls, method, path, headers, body } = exchange;
  const { host, port } = hostAndPort(address);
  // A connection that is kept alive would still be open when the measurement starts.
  const own = { host, port, method, path: sentPath(path), headers: { ...headers, Connection: 'close' }, signal };
  return new Promise((resolve, reject) => {
    const options = { ...own, agent: false } as const;
    const sent = tls === undefined ? httpRequest(options) : httpsRequest({ ...options, ...tlsOptions(tls) });
    sent.on('error', reject);
    sent.on('response', (answer) => resolve(rawOf(answer)));
    sent.end(body);
  });
}

function rawOf(answer: IncomingMessage): RawAnswer {
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  return { status: answer.statusCode ?? 0, headers, body: answer, close: () => void answer.destroy() };
}

export function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}

/** Host header of a request: the name in the service's certificate, if that is not its address. */
export function hostHeader(address: string, tls: Tls | undefined): string {
  return tls?.serverName === undefined ? address : `${tls.serverName}${address.slice(address.lastIndexOf(':'))}`;
}

/** Path in the form that the load tool sends: non-ASCII characters are escaped and the fragment is removed. */
export function sentPath(path: string): string {
  return path.replace(/#.*$/, '').replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

export function tlsOptions({ ca, insecure, serverName, certificate, key }: Tls): ConnectionOptions {
  return {
    rejectUnauthorized: !insecure,
    ...(ca !== undefined && { ca }),
    ...(serverName !== undefined && { servername: serverName }),
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key }),
  };
}

/** Sends a request over a new HTTP/2 connection, with or without TLS; resolves when the headers of the response arrive. */
export function sendHttp2(exchange: Exchange, signal: AbortSignal): Promise<RawAnswer> {
  const { address, tls, method, path, headers, body } = exchange;
  const { Host: authority = address, ...others } = headers;
  return new Promise((resolve, reject) => {
    const session = connect(`${tls === undefined ? 'http' : 'https'}://${address}`, tls && tlsOptions(tls));
    const close = (): void => session.destroy();
    const fail = (thrown: unknown): void => {
      close();
      reject(thrown);
    };
    session.on('error', fail);
    // Otherwise opening a stream could wait for the connection forever.
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
    const lowerCase = Object.fromEntries(Object.entries(others).map(([name, value]) => [name.toLowerCase(), value]));
    const pseudo = { ':method': method, ':path': sentPath(path), ':authority': authority };
    const stream = session.request({ ...pseudo, ...lowerCase }, { endStream: body === undefined });
    stream.on('error', fail);
    // There is no error if the other side closes the connection, as the port of a container does before its program listens.
    // The error is that of HTTP/1.1.
    stream.on('close', () => fail(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })));
    stream.on('response', (head) => {
      const { ':status': status, 'content-type': type, 'content-encoding': encoding, location } = head;
      const found = { 'content-type': type, 'content-encoding': encoding, location };
      resolve({ status: Number(status), headers: found, body: stream, close });
    });
    if (body !== undefined) {
      stream.end(body);
    }
  });
}
