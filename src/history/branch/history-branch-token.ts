import type { Setting } from './history-branch-settings.ts';

/** A header that a token makes, and what of it must not be shown. */
export interface TokenHeader {
  readonly setting: Setting;
  readonly secrets: readonly string[];
}

const PLAIN_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1']);

/**
 * The header that takes GITHUB_TOKEN to an address of GITHUB_SERVER_URL; undefined without a token, for any other server, without
 * encryption (but on this machine), and where the address has a user of its own.
 */
export function tokenHeader(address: string, environment: NodeJS.ProcessEnv): TokenHeader | undefined {
  const token = environment['GITHUB_TOKEN'] ?? '';
  const server = environment['GITHUB_SERVER_URL'] || 'https://github.com';
  if (token === '' || !URL.canParse(address) || !URL.canParse(server)) {
    return undefined;
  }
  const { protocol, hostname, origin, username } = new URL(address);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && PLAIN_HOSTS.has(hostname));
  if (!isSafe || username !== '' || origin !== new URL(server).origin) {
    return undefined;
  }
  const basic = Buffer.from(`x-access-token:${token}`, 'utf8').toString('base64');
  return { setting: [`http.${origin}/.extraheader`, `AUTHORIZATION: basic ${basic}`], secrets: [token, basic] };
}
