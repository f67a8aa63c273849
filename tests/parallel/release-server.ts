import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of files on this machine that stands in for the one that releases come from. */
export interface ReleaseServer extends AsyncDisposable {
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly requested: readonly string[];
}

/** Answers with the file of a path; 404 for any other; never where the file is "hang". */
export async function releaseServer(files: Readonly<Record<string, Buffer | 'hang'>>): Promise<ReleaseServer> {
  const requested: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requested.push(url);
    const file = files[url];
    if (file !== 'hang') {
      response.writeHead(file === undefined ? 404 : 200).end(file);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requested,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
