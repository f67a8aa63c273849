import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from '../../src/host/machine/ports.ts';
import { type Answer, refusal } from './answer.ts';
import { type Description, type Operation, openDescription, type Received } from './description.ts';
import { type Fault, faultAnswer } from './faults.ts';
import { type List, OPERATIONS, type Requested } from './operations.ts';
import { emptyState, type GitHubState } from './state.ts';

/** GitHub's REST API on this machine: it validates requests by GitHub's own description, and remembers what it was told. */
export interface GitHubApi extends AsyncDisposable {
  /** For GITHUB_API_URL. */
  readonly url: string;
  readonly state: GitHubState;
  /** Every request that was seen, in order: "issues/create-comment", "graphql", "storage". */
  readonly requested: readonly string[];
  /** Their paths, in the same order. */
  readonly paths: readonly string[];
  /** Makes the next so many requests of a kind ("any" for all kinds) fail; faults of one kind come one after the other. */
  fail(operation: string, fault: Fault, times?: number): void;
}

/** GitHub refuses comments that are longer, in characters. */
const MAX_CHARACTERS = 65_536;

interface Planned {
  readonly operation: string;
  readonly fault: Fault;
  left: number;
}

interface Service {
  readonly url: string;
  readonly state: GitHubState;
  readonly description: Description;
  readonly planned: Planned[];
  readonly requested: string[];
  readonly paths: string[];
}

/** Starts the service on a free port of 127.0.0.1 below 32768, with nothing in it but what is given. */
export async function startGitHubApi(given: Partial<GitHubState> = {}): Promise<GitHubApi> {
  const port = await freePort();
  const service: Service = {
    url: `http://127.0.0.1:${port}`,
    state: { ...emptyState(), ...given },
    description: await openDescription(),
    planned: [],
    requested: [],
    paths: [],
  };
  const server = createServer((request, response) => {
    answer(service, request, response).catch((mistake: unknown) => {
      // Never a test's business: it fails by what it did not expect, with this as the message.
      response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ message: String(mistake) }));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: service.url,
    state: service.state,
    requested: service.requested,
    paths: service.paths,
    fail: (operation, fault, times = 1) => {
      service.planned.push({ operation, fault, left: times });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const received = await receive(service, request);
  const operation = operationOf(service, received);
  service.requested.push(operation.id);
  const fault = nextFault(service, operation.id);
  const planned = fault === undefined ? undefined : faultAnswer(fault);
  const isDone = fault === undefined || fault.kind === 'cut' || ('isDone' in fault && fault.isDone === true);
  const given = planned ?? (isDone ? answerTo(service, received, operation) : { status: 500 });
  switch (fault?.kind) {
    case 'hang':
      return;
    case 'reset':
      request.socket.resetAndDestroy();
      return;
    case 'cut':
      response.writeHead(given.status, { ...given.headers, 'content-length': '100000' });
      response.write(bytesOf(given).subarray(0, 10), () => request.socket.destroy());
      return;
    default:
      response.writeHead(given.status, { 'content-type': 'application/json; charset=utf-8', ...given.headers });
      response.end(bytesOf(given));
  }
}

async function receive({ url, paths }: Service, request: IncomingMessage): Promise<Received> {
  const { pathname, searchParams } = new URL(request.url ?? '/', url);
  const body = await text(request);
  paths.push(pathname);
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: request.method ?? 'GET',
    // As a GitHub Enterprise server has it.
    path: pathname.replace(/^\/api(\/v3)?(?=\/)/, ''),
    query: searchParams,
    headers: Object.fromEntries(headers),
    body: body === '' ? undefined : JSON.parse(body),
  };
}

function operationOf({ description }: Service, received: Received): Operation {
  const [first = ''] = received.path.slice(1).split('/');
  return first === 'graphql' || first === 'storage'
    ? { id: first, parameters: {}, mistakes: [] }
    : (description.operation(received) ?? { id: 'unknown', parameters: {}, mistakes: [] });
}

function nextFault({ planned }: Service, operation: string): Fault | undefined {
  const next = planned.find((one) => one.left > 0 && (one.operation === operation || one.operation === 'any'));
  if (next !== undefined) {
    next.left -= 1;
  }
  return next?.fault;
}

function answerTo(service: Service, received: Received, { id, parameters, mistakes }: Operation): Answer {
  const { authorization = '' } = received.headers;
  if (id === 'storage') {
    return stored(service, received.path, authorization);
  }
  const account = service.state.accounts.get(authorization.replace(/^(token|bearer) /i, ''));
  if (account === undefined) {
    return refusal(401, 'Bad credentials');
  }
  if (id === 'graphql') {
    return { status: 200, body: { data: { viewer: { login: account.login } } } };
  }
  if (account.access === 'read' && received.method !== 'GET') {
    return refusal(403, 'Resource not accessible by integration');
  }
  if (mistakes.length > 0 || isTooLong(received.body)) {
    return refusal(422, 'Validation Failed', mistakes);
  }
  const { state, description, url } = service;
  const requested: Requested = { state, account, url, parameters, query: received.query, body: received.body };
  const given = OPERATIONS[id]?.(requested) ?? refusal(404, 'Not Found');
  const whole = 'all' in given ? page(given, received, url) : given;
  const isDescribed = whole.status < 300 && whole.body !== undefined;
  return isDescribed ? { ...whole, body: description.whole(id, whole.status, whole.body) } : whole;
}

/** As the storage of artifacts does: it takes the signature of the address, and refuses whoever comes with a token as well. */
function stored({ state }: Service, path: string, authorization: string): Answer {
  const found = state.artifacts.find(({ id }) => path === `/storage/${id}`);
  if (authorization !== '') {
    return { status: 400, body: 'InvalidAuthenticationInfo' };
  }
  return found === undefined
    ? { status: 404, body: 'BlobNotFound' }
    : { status: 200, body: found.zip, headers: { 'content-type': 'application/zip' } };
}

function isTooLong(body: unknown): boolean {
  return JSON.stringify(body ?? '').length > MAX_CHARACTERS && longest(body) > MAX_CHARACTERS;
}

function longest(value: unknown): number {
  const inner = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return Math.max(typeof value === 'string' ? value.length : 0, ...inner.map(longest));
}

function page({ all, name }: List, { path, query }: Received, url: string): Answer {
  const size = Math.min(100, Number(query.get('per_page') ?? 30));
  const number = Number(query.get('page') ?? 1);
  const items = all.slice((number - 1) * size, number * size);
  const next = new URLSearchParams([...query].filter(([key]) => key !== 'page').concat([['page', String(number + 1)]]));
  return {
    status: 200,
    body: name === undefined ? items : { total_count: all.length, [name]: items },
    headers: number * size < all.length ? { link: `<${url}${path}?${next}>; rel="next"` } : {},
  };
}

function bytesOf({ body }: Answer): Buffer {
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(body === undefined ? '' : JSON.stringify(body));
}
