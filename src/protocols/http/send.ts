import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import type { Connection, Tls } from '../../model/service.ts';

/** A request that is about to be sent. */
export interface Exchange extends Connection {
  /** `host:port`. */
  readonly address: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** An answer whose body is still to come. */
export interface RawAnswer {
  readonly status: number;
  /** By names in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Readable;
  /** Ends the connection. */
  close(): void;
}

/** Sends a request over a new connection of HTTP/1.1; resolves when the head of the answer is there. */
export function sendHttp1(exchange: Exchange, signal: AbortSignal): Promise<RawAnswer> {
  const { address, tls, method, path, headers, body } = exchange;
  const { host, port } = placeOf(address);
  // A connection kept open would still be there when the measurement starts.
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

/** Host and port of an address. */
function placeOf(address: string): { readonly host: string; readonly port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}

/** A path as it goes over the wire: letters beyond ASCII escaped, and without a fragment, as the load tool sends it. */
export function sentPath(path: string): string {
  return path.replace(/#.*$/, '').replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

/** What Node wants to know of TLS. */
export function tlsOptions({ ca, insecure, serverName, certificate, key }: Tls): ConnectionOptions {
  return {
    rejectUnauthorized: !insecure,
    ...(ca !== undefined && { ca }),
    ...(serverName !== undefined && { servername: serverName }),
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key }),
  };
}

/** As over HTTP/1.1. */
const closedEarly = (): Error => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

/** Sends a request over a new connection of HTTP/2, with or without TLS; resolves when the head of the answer is there. */
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
    // Opening a stream would wait for the connection without a limit.
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
    const pseudo = { ':method': method, ':path': sentPath(path), ':authority': authority };
    const stream = session.request({ ...pseudo, ...inSmallLetters(others) }, { endStream: body === undefined });
    stream.on('error', fail);
    // If the other side ends the connection, as the port of a container does before its program listens, there is no error.
    stream.on('close', () => fail(closedEarly()));
    stream.on('response', (head) => {
      resolve({ status: Number(head[':status']), headers: textsOf(head), body: stream, close });
    });
    if (body !== undefined) {
      stream.end(body);
    }
  });
}

function inSmallLetters(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function textsOf(head: IncomingHttpHeaders & IncomingHttpStatusHeader): RawAnswer['headers'] {
  const { 'content-type': type, 'content-encoding': encoding, location } = head;
  return { 'content-type': type, 'content-encoding': encoding, location };
}
