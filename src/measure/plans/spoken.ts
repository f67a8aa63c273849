import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

const WAIT_MS = 2000;

const SETTINGS = 4;
const KIND_AT = 3;

/** True if the program at `host:port` answers the HTTP/2 preface without TLS with its settings. */
export async function speaksHttp2(address: string): Promise<boolean> {
  return await answers(connect(placeOf(address)), (socket, end) => {
    socket.once('connect', () => socket.write(PREFACE));
    socket.once('data', (bytes) => end(bytes[KIND_AT] === SETTINGS));
  });
}

/** Kind of certificate that the program at `host:port` uses in a TLS handshake; undefined without TLS. */
export async function speaksTls(address: string): Promise<'trusted' | 'untrusted' | undefined> {
  const socket = connectTls({ ...placeOf(address), rejectUnauthorized: false, ALPNProtocols: ['h2', 'http/1.1'] });
  const speaks = await answers(socket, (_, end) => socket.once('secureConnect', () => end(true)));
  return speaks ? (socket.authorized ? 'trusted' : 'untrusted') : undefined;
}

function placeOf(address: string): { readonly host: string; readonly port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}

async function answers(socket: Socket, ask: (socket: Socket, end: (found: boolean) => void) => void): Promise<boolean> {
  return await new Promise((resolve) => {
    const end = (found: boolean): void => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(WAIT_MS, () => end(false));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
    ask(socket, end);
  });
}
