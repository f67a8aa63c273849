import { connect } from 'node:net';
import { messageOf } from '../foundation/errors.ts';

/** An engine's proxy takes every connection, and drops it at once where nothing listens behind it. */
const HOLD_MS = 100;
const LIMIT_MS = 2000;

/** Why a port of 127.0.0.1 takes no connection that stays open; undefined where it does. */
export function portRefusal(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const end = (refusal: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(refusal);
    };
    let timer = setTimeout(() => end('it takes no connection'), LIMIT_MS);
    socket.once('connect', () => {
      clearTimeout(timer);
      timer = setTimeout(() => end(undefined), HOLD_MS);
    });
    // Whoever greets first, as a mail server does, is there.
    socket.once('data', () => end(undefined));
    socket.once('end', () => end('it drops every connection'));
    socket.once('error', (error) => end(messageOf(error)));
  });
}

/** Why a port of 127.0.0.1 does not answer a GET with success over HTTP; undefined where it does. */
export async function pathRefusal(port: number, path: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    // A connection kept open would still be there when the measurement starts.
    const headers = { connection: 'close' };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', headers, signal });
    await answer.body?.cancel();
    return answer.ok ? undefined : `it answered ${answer.status}`;
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown.cause : undefined;
    return messageOf(cause ?? thrown) || 'no answer';
  }
}
