import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A static host on this machine, which gzips as real ones do. */
export interface SiteServer extends AsyncDisposable {
  readonly url: string;
  /** Bytes sent so far, bodies only. */
  bytes(): number;
}

export interface SiteFiles {
  /** With the page. */
  readonly folder: string;
  /** By their path below the page. */
  readonly files: ReadonlyMap<string, string>;
  /** A script that is served as chart.js. */
  readonly chart?: string | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};

export async function serveSite({ folder, files, chart }: SiteFiles): Promise<SiteServer> {
  const packed = new Map<string, Buffer>();
  let sent = 0;
  const answer = async (path: string, response: ServerResponse) => {
    const body =
      packed.get(path) ??
      gzipSync(files.get(path) ?? (await readFile(path === 'chart.js' && chart ? chart : join(folder, path))));
    packed.set(path, body);
    sent += body.length;
    response
      .writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'text/plain', 'content-encoding': 'gzip' })
      .end(body);
  };
  const server = createServer(({ url = '/' }, response) => {
    const path = new URL(url, 'http://localhost').pathname.slice(1) || 'index.html';
    answer(path, response).catch(() => response.writeHead(404).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bytes: () => sent,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
