import { z } from 'zod';

const PARTS = /^(\[[0-9a-f:]+\]|[^\s:/@[\]]+):(\d{1,5})$/i;

/** To the letter: what only looks like an address, such as 127.0.0.999, is looked up as a name, and may lead anywhere. */
const LOOPBACK = /^127(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;

/** `host:port` of a service that already runs. */
export const address = z
  .string()
  .refine((value) => portOf(value) >= 1 && portOf(value) <= 65_535, 'must be a host and a port, like 127.0.0.1:8080')
  .refine(
    isOfThisMachine,
    'must be an address of this machine (localhost, 127.x.x.x or [::1]): load is sent to this machine only, and never over a network',
  )
  .describe('`host:port` of a service that already runs on this machine, in the place of how it is started.');

/** The port of an address; 0 where it has none. */
export function portOf(value: string): number {
  return Number(PARTS.exec(value)?.[2] ?? 0);
}

function isOfThisMachine(value: string): boolean {
  const host = PARTS.exec(value)?.[1]?.toLowerCase() ?? '';
  return host === 'localhost' || host === '[::1]' || LOOPBACK.test(host);
}
