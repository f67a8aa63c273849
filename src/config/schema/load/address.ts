import * as z from 'zod';
import type { ProfilePage } from '../../../model/run/functions.ts';

const PARTS = /^(\[[0-9a-f:]+\]|[^\s:/@[\]]+):(\d{1,5})$/i;

/** Strict, because an invalid address such as 127.0.0.999 would be resolved as a host name. */
const LOOPBACK = /^127(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;

const OF_THIS_MACHINE = 'must be an address of this machine (localhost, 127.x.x.x or [::1])';

/** `host:port` of a service that already runs. */
export const address = z
  .string()
  .refine(hasPort, 'must be a host and a port, like 127.0.0.1:8080')
  .refine(isOfThisMachine, `${OF_THIS_MACHINE}: Wiregauge sends load only to this machine, never over a network`)
  .describe('`host:port` of a service that already runs on this machine.');

/** Port of an address; 0 if it has none. */
export function portOf(value: string): number {
  return Number(PARTS.exec(value)?.[2] ?? 0);
}

function hasPort(value: string): boolean {
  return portOf(value) >= 1 && portOf(value) <= 65_535;
}

function isOfThisMachine(value: string): boolean {
  const host = PARTS.exec(value)?.[1]?.toLowerCase() ?? '';
  return host === 'localhost' || host === '[::1]' || LOOPBACK.test(host);
}

/** The query is reserved for `?seconds=`. */
const PAGE_PATH = /^\/[^\s?#]{0,199}$/;

/** Page with a profile, on the port of the service or another one. */
export const profilePage = z
  .string()
  .refine((value) => {
    const { path, address: own } = pageOf(value);
    return PAGE_PATH.test(path) && (own === undefined || hasPort(own));
  }, 'must be a path, like /debug/pprof/profile, or a host, a port and a path, like 127.0.0.1:6060/debug/pprof/profile')
  .refine((value) => {
    const { address: own } = pageOf(value);
    return own === undefined || isOfThisMachine(own);
  }, `${OF_THIS_MACHINE}: Wiregauge sends requests only to this machine, never over a network`)
  .transform(pageOf)
  .describe(
    'For a Go program: the page with its CPU profile, as a path on its port, or `host:port/path` on this machine.',
  );

function pageOf(value: string): ProfilePage {
  const slash = value.indexOf('/');
  return slash <= 0
    ? { path: value, address: undefined }
    : { path: value.slice(slash), address: value.slice(0, slash) };
}
