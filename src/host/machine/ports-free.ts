import { createServer } from 'node:net';
import { EnvironmentError } from '../../foundation/errors.ts';

// Below the range that Linux takes the ports of outgoing connections from, so that a client's socket never holds a service's port.
const LOWEST = 10_000;
const HIGHEST = 32_767;
const ATTEMPTS = 200;

/** A port of 127.0.0.1 that nobody listens on, from 10,000 to 32,767; throws EnvironmentError where none is found. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
    if (await isFree(port)) {
      return port;
    }
  }
  throw new EnvironmentError(`no free port was found on 127.0.0.1 between ${LOWEST} and ${HIGHEST}`, {
    next: 'Stop what listens there; `ss -tln` lists it.',
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
