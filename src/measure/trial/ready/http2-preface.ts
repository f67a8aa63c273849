import { connect } from 'node:net';

/** What a client of HTTP/2 sends first: the preface, and settings without any. */
const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

const WAIT_MS = 2000;

/** The kind of a frame with settings, and where it stands in the head of a frame. */
const SETTINGS = 4;
const KIND_AT = 3;

/** Whether the program at `host:port` answers the preface of HTTP/2 without TLS with its settings. */
export async function speaksHttp2(address: string): Promise<boolean> {
  const at = address.lastIndexOf(':');
  return await new Promise((resolve) => {
    const socket = connect({ host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) });
    const end = (found: boolean): void => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(WAIT_MS, () => end(false));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
    socket.once('connect', () => socket.write(PREFACE));
    socket.once('data', (bytes) => end(bytes[KIND_AT] === SETTINGS));
  });
}
