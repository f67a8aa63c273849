import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { freePort } from '../../src/host/machine/ports.ts';

/** A server that speaks git over HTTP for the repositories below a folder. */
export interface GitHttp extends AsyncDisposable {
  readonly url: string;
  /** What requests had as Authorization, in order; several of one request have commas between them. */
  readonly authorizations: readonly (string | undefined)[];
}

/** Says how a request is answered; undefined for git's own answer. */
export type Refuse = (request: IncomingMessage) => { readonly status: number; readonly text: string } | undefined;

/** Starts one on a free port of 127.0.0.1, with git's own http-backend behind it. */
export async function startGitHttp(folder: string, refuse: Refuse = () => undefined): Promise<GitHttp> {
  const port = await freePort();
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    const refusal = refuse(request);
    if (refusal === undefined) {
      answer(folder, request, response);
    } else {
      request.resume();
      const requests = refusal.status === 401 ? { 'www-authenticate': 'Basic realm="git"' } : {};
      response.writeHead(refusal.status, { 'content-type': 'text/plain', ...requests }).end(refusal.text);
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}`,
    authorizations,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** As a web server runs a CGI program. */
function answer(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '', 'http://localhost');
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'somebody',
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(backend.stdin);
  const parts: Buffer[] = [];
  backend.stdout.on('data', (part: Buffer) => parts.push(part));
  backend.on('close', () => {
    const all = Buffer.concat(parts);
    const end = all.indexOf('\r\n\r\n');
    const lines = all
      .toString('latin1', 0, Math.max(end, 0))
      .split('\r\n')
      .map((line) => line.split(': '));
    const headers = new Map(lines.map(([name = '', value = '']) => [name.toLowerCase(), value]));
    response.writeHead(Number(headers.get('status')?.slice(0, 3) ?? 200), {
      'content-type': headers.get('content-type') ?? '',
    });
    response.end(all.subarray(end + 4));
  });
}
