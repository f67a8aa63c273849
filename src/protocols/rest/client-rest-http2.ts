import { connect, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2';
import { type Exchange, type RawAnswer, sentPath, tlsOptions } from './client-rest-http1.ts';

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
