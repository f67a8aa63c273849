import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { freePort } from '../../src/host/machine/ports.ts';

/** The service that keeps artifacts, and the storage behind it, on this machine. */
export interface ArtifactService extends AsyncDisposable {
  /** What a runner sets for actions. */
  readonly environment: Readonly<Record<string, string>>;
  /** The finished artifacts by their names. */
  readonly artifacts: ReadonlyMap<string, { readonly id: number; readonly zip: Uint8Array }>;
  /** Every request in order: "CreateArtifact", "PUT block", "PUT blocklist", "FinalizeArtifact". */
  readonly requested: readonly string[];
  /** Makes the next so many requests of a kind fail with that status. */
  fail(request: string, status: number, times?: number): void;
}

const RUN = 'the-run';
const JOB = 'the-job';

/** As the runner's: who it is for stands in its scope. */
const TOKEN = [{ alg: 'none' }, { scp: `Actions.ReadOnly Actions.Results:${RUN}:${JOB}` }, {}]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.');

const ids = z.object({ workflow_run_backend_id: z.literal(RUN), workflow_job_run_backend_id: z.literal(JOB) });
const creation = ids.extend({
  name: z.string().min(1),
  version: z.literal(7),
  mime_type: z.literal('application/zip'),
});
const end = ids.extend({ name: z.string(), size: z.string(), hash: z.string() });

interface Blob {
  readonly blocks: Map<string, Buffer>;
  whole?: Buffer;
}

interface Service {
  readonly url: string;
  readonly artifacts: Map<string, { readonly id: number; readonly zip: Uint8Array }>;
  /** Created and not yet finished, or finished. */
  readonly blobs: Map<string, Blob>;
  readonly requested: string[];
  readonly faults: { readonly request: string; readonly status: number; left: number }[];
}

interface Answer {
  readonly status: number;
  readonly body?: object;
}

/** Starts the service on a free port of 127.0.0.1 below 32768. */
export async function startArtifactService(): Promise<ArtifactService> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service: Service = { url, artifacts: new Map(), blobs: new Map(), requested: [], faults: [] };
  const server = createServer((request, response) => {
    answer(service, request, response).catch((mistake: unknown) => {
      // What the library sent is not what the service takes: 400 is not tried again.
      response.writeHead(400).end(JSON.stringify({ msg: String(mistake) }));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    environment: {
      ACTIONS_RUNTIME_TOKEN: TOKEN,
      ACTIONS_RESULTS_URL: `${url}/`,
      GITHUB_SERVER_URL: 'https://github.com',
    },
    artifacts: service.artifacts,
    requested: service.requested,
    fail: (request, status, times = 1) => {
      service.faults.push({ request, status, left: times });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', service.url);
  const body = await buffer(request);
  const kind = kindOf(url);
  service.requested.push(kind);
  const fault = service.faults.find((one) => one.left > 0 && one.request === kind);
  if (fault !== undefined) {
    fault.left -= 1;
    response.writeHead(fault.status, { 'content-type': 'application/json' }).end(JSON.stringify({ msg: 'as planned' }));
    return;
  }
  if (kind.startsWith('PUT ')) {
    put(service, url, body);
    response.writeHead(201, { etag: '"1"', 'last-modified': new Date(0).toUTCString(), 'x-ms-request-id': '1' }).end();
    return;
  }
  const { status, body: said = {} } = rpc(service, kind, { request, text: body.toString() });
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
}

function kindOf({ pathname, searchParams }: URL): string {
  const method = /^\/twirp\/github\.actions\.results\.api\.v1\.ArtifactService\/(\w+)$/.exec(pathname)?.[1];
  return method ?? `PUT ${searchParams.get('comp') ?? 'blob'}`;
}

/** As block blobs are stored: parts under names, then the list that puts them in order. */
function put({ blobs }: Service, { pathname, searchParams }: URL, body: Buffer): void {
  const blob = blobs.get(decodeURIComponent(pathname.split('/').at(-1) ?? ''));
  if (blob === undefined || searchParams.get('sig') !== 'a=b+c') {
    throw new Error(`no signed place to store ${pathname}`);
  }
  if (searchParams.get('comp') === 'block') {
    blob.blocks.set(searchParams.get('blockid') ?? '', body);
    return;
  }
  const names = [...body.toString().matchAll(/<Latest>([^<]+)<\/Latest>/g)].map(([, name = '']) => name);
  blob.whole = Buffer.concat(names.map((name) => blob.blocks.get(name) ?? Buffer.from('missing')));
}

interface Call {
  readonly request: IncomingMessage;
  readonly text: string;
}

function rpc(service: Service, method: string, { request, text }: Call): Answer {
  if (request.headers.authorization !== `Bearer ${TOKEN}`) {
    return { status: 401, body: { msg: 'no token' } };
  }
  return method === 'CreateArtifact' ? create(service, text) : finish(service, text);
}

function create({ url, blobs }: Service, text: string): Answer {
  const { name } = creation.parse(JSON.parse(text));
  if (blobs.has(name)) {
    return {
      status: 409,
      body: { code: 'already_exists', msg: 'an artifact with this name already exists on the workflow run' },
    };
  }
  blobs.set(name, { blocks: new Map() });
  const place = `${url}/account/artifacts/${encodeURIComponent(name)}?sig=${encodeURIComponent('a=b+c')}`;
  return { status: 200, body: { ok: true, signed_upload_url: place } };
}

function finish({ artifacts, blobs }: Service, text: string): Answer {
  const { name, size, hash } = end.parse(JSON.parse(text));
  const zip = blobs.get(name)?.whole;
  const digest = createHash('sha256')
    .update(zip ?? '')
    .digest('hex');
  if (zip === undefined || size !== String(zip.length) || hash !== `sha256:${digest}`) {
    throw new Error(`${name} is not what was stored: ${size} bytes, ${hash}`);
  }
  const id = 9001 + artifacts.size;
  artifacts.set(name, { id, zip });
  return { status: 200, body: { ok: true, artifact_id: String(id) } };
}
