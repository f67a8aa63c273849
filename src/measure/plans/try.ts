import type { GraphQLSchema } from 'graphql';
import type protobuf from 'protobufjs';
import { messageOf } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import { firstDifference, withoutPaths } from '../../foundation/json-path.ts';
import { portsOf } from '../../host/machine/ports.ts';
import type { TargetRequest } from '../../model/load.ts';
import type { Service } from '../../model/service.ts';
import type { Operation } from '../../model/suite/suite.ts';
import { introspectedSchema } from '../../protocols/graphql/examine.ts';
import { methodsOf } from '../../protocols/grpc/methods.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';
import type { RunningService } from '../../runtime/port.ts';
import { ignoredPath } from '../trial/answers.ts';
import type { BuildBench } from '../trial/bench.ts';
import { endOf, evidenceOf, type StartedEnd } from '../trial/early-exit.ts';
import { PreparationError, Preparing } from '../trial/preparing.ts';
import { otherPorts, patienceWith } from '../trial/ready.ts';
import { speaksHttp2, speaksTls } from './spoken.ts';

export interface TriedOperation {
  readonly operation: string;
  readonly call: string;
  readonly status: string | undefined;
  /** Reason that a measurement would refuse the response, untrusted text; undefined if it would not. */
  readonly refusal: string | undefined;
  /** Indexes of the arguments that were refused, if others were not. */
  readonly lost?: readonly number[] | undefined;
  readonly redirect?: string | undefined;
  /** Difference of its responses between two starts: the paths that differ; `all` if only the status can be compared. Undefined if equal. */
  readonly varies?: readonly string[] | 'all' | undefined;
  readonly isEmpty?: boolean | undefined;
  /** Plain values of the first item, if its response is a list or has one. */
  readonly item?: Readonly<Record<string, Json>> | undefined;
}

export interface TriedService {
  readonly operations: readonly TriedOperation[];
  /** Reason that it never responded, untrusted text; undefined if it did. */
  readonly failure: string | undefined;
  /** For an unresponsive container: the port that it listens on or printed, instead of the tried one. */
  readonly printedPort: number | undefined;
  /** For an unresponsive plain process: the port that it listens on instead of the given one. */
  readonly ownPort?: number | undefined;
  /** True if another server of the service listens on the port in `PORT`. */
  readonly usesPort?: boolean | undefined;
  readonly startUpSeconds?: number | undefined;
  /** Path with a response, if no operation of a REST service has one. */
  readonly path: string | undefined;
  readonly schema?: GraphQLSchema | undefined;
  readonly methods?: readonly protobuf.Method[] | undefined;
  /** Protocol that an unresponsive service uses instead of the configured one: HTTP/2 without TLS, as gRPC does, or TLS. */
  readonly speaks?: keyof typeof SPOKEN | undefined;
}

type TryBench = Pick<BuildBench, 'client' | 'clock' | 'signal' | 'runtime'>;

/** Time for which a service may still refuse requests after its first response. */
const SETTLE_SECONDS = 3;

/** Time for the second start, in which every operation was answered before. */
const SETTLE_AGAIN_SECONDS = 20;

const PAUSE_MS = 250;

const MAX_ARGUMENTS = 50;

/** Starts a service twice and sends each operation with its arguments. Refusals and differing responses are results. */
export async function tryService(
  bench: TryBench,
  service: Service,
  operations: readonly Operation[],
): Promise<TriedService> {
  const first = await triedOnce(
    { ...bench, settleSeconds: SETTLE_SECONDS, mostArguments: MAX_ARGUMENTS, repeats: 0 },
    service,
    operations,
  );
  const answering = operations.filter(({ name }) => first.answers.has(name));
  if (first.tried.failure !== undefined || answering.length === 0) {
    return first.tried;
  }
  const second = await triedOnce(
    { ...bench, settleSeconds: SETTLE_AGAIN_SECONDS, mostArguments: 1, repeats: REPEATS },
    service,
    answering,
  );
  // Data that a request of `prepare` created may still exist.
  if (service.prepare !== undefined && second.answers.size === 0) {
    return second.tried;
  }
  return {
    ...first.tried,
    operations: first.tried.operations.map((one) => {
      const left = first.answers.get(one.operation);
      // A response may itself be a list.
      const others = [second.answers, ...second.repeated].flatMap((answers) => {
        const answer = answers.get(one.operation);
        return answer === undefined ? [] : [answer];
      });
      const varies = left === undefined ? undefined : variesAmong(left, others);
      return { ...one, ...(varies !== undefined && { varies }) };
    }),
  };
}

const REPEATS = 5;

/** Places to ignore; a response that varies in more is not compared at all. */
const MAX_PLACES = 10;

function variesAmong(first: Json, others: readonly Json[]): TriedOperation['varies'] {
  const found = new Set<string>();
  for (const other of others) {
    // Long texts and bytes are compared by length and digest: either may be equal by chance.
    const isWhole = isDigest(first) || isDigest(other);
    const places = isWhole && firstDifference(first, other) !== undefined ? 'all' : placesOf(first, other);
    if (places === 'all') {
      return 'all';
    }
    for (const place of places ?? []) {
      found.add(place);
    }
  }
  return found.size > MAX_PLACES ? 'all' : found.size === 0 ? undefined : [...found];
}

function placesOf(left: Json, right: Json): TriedOperation['varies'] {
  const paths: string[] = [];
  for (;;) {
    const difference = firstDifference(withoutPaths(left, paths), withoutPaths(right, paths));
    if (difference === undefined) {
      return paths.length === 0 ? undefined : paths;
    }
    const path = ignoredPath(difference);
    if (path === undefined || paths.includes(path) || paths.length === MAX_PLACES) {
      return 'all';
    }
    paths.push(path);
  }
}

function isDigest(answer: Json): boolean {
  const keys = typeof answer === 'object' && answer !== null ? Object.keys(answer) : [];
  return keys.length === 2 && keys.includes('bytes') && keys.includes('sha256');
}

interface OneTry extends TryBench {
  readonly settleSeconds: number;
  readonly mostArguments: number;
  readonly repeats: number;
}

/** Result of one start, with the responses by operation, without ignored parts; refused and uncompared ones are left out. */
async function triedOnce(bench: OneTry, unprepared: Service, unfilled: readonly Operation[]) {
  await using running = await bench.runtime.start(unprepared, bench.signal);
  const answers = new Map<string, Json>();
  const preparing = new Preparing(bench.client, unprepared, running.address);
  let [service, operations] = [unprepared, unfilled];
  let refusal: PreparationError | undefined;
  const ask = async (into = answers): Promise<readonly TriedOperation[]> => {
    try {
      if (refusal?.isFinal === true && !STARTING.test(refusal.status ?? '')) {
        throw refusal;
      }
      await preparing.send();
    } catch (thrown) {
      refusal = thrown instanceof PreparationError ? thrown : undefined;
      const refused = { status: refusal?.status, refusal: messageOf(thrown) };
      return operations.map(({ name }) => ({ operation: name, call: name, ...refused }));
    }
    service = preparing.service;
    operations = unfilled.map((operation) => preparing.filled(operation));
    const reported: TriedOperation[] = [];
    for (const operation of operations) {
      reported.push(await answerTo(bench, service, running.address, operation, into));
    }
    return reported;
  };
  const up = await whenUp(bench, service, running, bench.settleSeconds, ask);
  const { tried, ended, startUpSeconds, speaks, grpcPort } = up;
  const failure = ended === undefined ? silence(up, running) : (await evidenceOf(ended)).brief;
  const isElsewhere = failure !== undefined && speaks === undefined;
  const isRefused = tried.every(({ status, refusal }) => refusal !== undefined && !isGuarded(status));
  const [any] = service.protocol === 'graphql' && failure === undefined ? operations : [];
  const result: TriedService = {
    operations: preparing.isDone ? await withOthers(bench, service, running.address, operations, tried) : tried,
    failure,
    printedPort: isElsewhere ? await containerPort(bench, service, running) : undefined,
    path:
      failure === undefined && isRefused && preparing.isDone
        ? await answeringPath(bench, service, running.address, tried)
        : undefined,
    ownPort: isElsewhere ? (grpcPort?.ownPort ?? ownPort(bench, running)) : undefined,
    ...portUse(bench, up, failure),
    schema: any && (await introspectedSchema(bench.client, { service, address: running.address }, any)),
    methods: await methodsOf(bench.client, { service, address: running.address }),
    ...(speaks !== undefined && { speaks }),
    startUpSeconds,
  };
  const repeated = Array.from({ length: failure === undefined ? bench.repeats : 0 }, () => new Map<string, Json>());
  for (const into of repeated) {
    await ask(into);
  }
  return { tried: result, answers, repeated };
}

/** Statuses of routes that a starting service may not have yet. */
const STARTING = /^(?:404|NOT_FOUND|UNIMPLEMENTED)$/;

/** A container has its own network, so the port can only be in use by another server in it. */
function portUse({ runtime }: TryBench, { grpcPort }: { readonly grpcPort: FoundPort | undefined }, failure = '') {
  const isInUse = runtime.name === 'docker' && /address already in use|EADDRINUSE/i.test(failure);
  return isInUse || grpcPort?.usesPort === true ? { usesPort: true } : {};
}

type FoundPort = Pick<TriedService, 'ownPort' | 'usesPort'>;

const SPOKEN = {
  grpc: 'it answers HTTP/2 only, as gRPC does',
  'tls, trusted': 'it answers TLS only',
  'tls, untrusted': 'it answers TLS only',
} as const;

/** Repeats the requests until all succeed, the service has had time to start, it turns out to use another protocol, or it ends. */
async function whenUp(
  { clock, signal }: TryBench,
  service: Service,
  running: RunningService,
  settleSeconds: number,
  ask: () => Promise<readonly TriedOperation[]>,
) {
  let ended: StartedEnd | undefined;
  void endOf({ service, running }).then((end) => {
    ended = end;
  });
  const startedMs = clock.steadyMs();
  const endAt = patienceWith(running, service.ready, startedMs);
  let startUpSeconds: number | undefined;
  let limitMs: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const tried = await ask();
    if (limitMs === undefined && tried.some(({ status }) => status !== undefined)) {
      startUpSeconds = (clock.steadyMs() - startedMs) / 1000;
      limitMs = clock.steadyMs() + settleSeconds * 1000;
    }
    const isDone = tried.every(({ refusal }) => refusal === undefined);
    const isUp = limitMs !== undefined;
    const over = isUp ? undefined : await endAt(clock.steadyMs());
    const speaks = await spokenBy(service, running.address, tried);
    const isLate = over !== undefined || clock.steadyMs() >= (limitMs ?? Number.POSITIVE_INFINITY);
    const isElsewhere = !isUp || tried.every(({ refusal = '' }) => refusal.includes(BY_HTTP));
    const grpcPort =
      isElsewhere && speaks === undefined && service.protocol === 'grpc'
        ? await otherGrpcPort(running, isLate)
        : undefined;
    if (isDone || speaks !== undefined || grpcPort !== undefined || ended !== undefined || isLate) {
      return { tried, ended, over, startUpSeconds, speaks, grpcPort };
    }
    await clock.sleep(PAUSE_MS, signal);
  }
}

const BY_HTTP = 'Received HTTP status code';

async function spokenBy(
  { protocol, connection }: Service,
  address: string,
  tried: readonly TriedOperation[],
): Promise<TriedService['speaks']> {
  if (protocol === 'rest' && tried.every(({ status }) => status === undefined) && (await speaksHttp2(address))) {
    return 'grpc';
  }
  // Some servers answer a request without TLS with 400.
  const isUnread = tried.every(({ status = '400', refusal }) => refusal !== undefined && status === '400');
  const certificate = isUnread && connection?.tls === undefined ? await speaksTls(address) : undefined;
  return certificate && `tls, ${certificate}`;
}

/** Port of a process that uses HTTP/2 or TLS if the given port does not; before `late` only if the process listens there. */
async function otherGrpcPort(
  { processes = [], address, loadAddress }: RunningService,
  isLate: boolean,
): Promise<FoundPort | undefined> {
  // Ports inside a container's network are not reachable here.
  const ports = loadAddress === address ? processes.flatMap(portsOf) : [];
  const [, host = '', given = ''] = /^(.*):(\d+)$/.exec(address) ?? [];
  const others = ports.filter((port) => port !== Number(given));
  const usesPort = ports.includes(Number(given));
  if (others.length === 0 || !(isLate || usesPort) || (await speaksHttp2(address))) {
    return undefined;
  }
  for (const port of others) {
    const other = `${host}:${port}`;
    if ((await speaksHttp2(other)) || (await speaksTls(other))) {
      return { ownPort: port, usesPort };
    }
  }
  return undefined;
}

async function withOthers(
  bench: OneTry,
  service: Service,
  address: string,
  operations: readonly Operation[],
  tried: readonly TriedOperation[],
): Promise<readonly TriedOperation[]> {
  const all: TriedOperation[] = [];
  for (const [index, operation] of operations.entries()) {
    const results = tried.slice(index, index + 1);
    for (const row of results[0]?.status === undefined ? [] : operation.arguments.slice(1, bench.mostArguments)) {
      bench.signal.throwIfAborted();
      results.push(await answerTo(bench, service, address, { ...operation, arguments: [row] }, new Map()));
    }
    const lost = results.flatMap(({ refusal }, place) => (refusal === undefined ? [] : place));
    const answered = results.filter(({ refusal }) => refusal === undefined);
    const shown = (answered.length > 0 ? answered : results).slice(0, 1);
    all.push(...shown.map((one) => (answered.length > 0 && lost.length > 0 ? { ...one, lost } : one)));
  }
  return all;
}

async function answerTo(
  { client }: TryBench,
  service: Service,
  address: string,
  operation: Operation,
  answers: Map<string, Json>,
): Promise<TriedOperation> {
  const { canonical, target } = PROTOCOLS[service.protocol];
  let reported: TriedOperation = {
    operation: operation.name,
    call: operation.name,
    status: undefined,
    refusal: undefined,
  };
  try {
    const [request] = target(operation, service, address).requests;
    if (request !== undefined) {
      reported = { ...reported, call: request.call };
      const reply = await client.call(service, address, request);
      const redirect = pathIn(reply.answer?.location, address);
      reported = { ...reported, status: reply.status, ...(redirect !== undefined && { redirect }) };
      const answer = canonical(reply, operation);
      if (operation.verify === 'answer') {
        answers.set(operation.name, withoutPaths(answer, operation.ignore ?? []));
      }
      const item = itemOf(answer);
      reported = { ...reported, ...(item !== undefined && { item }), ...(hasNothing(answer) && { isEmpty: true }) };
    }
    return reported;
  } catch (thrown) {
    return { ...reported, refusal: messageOf(thrown) || 'no answer' };
  }
}

/** True for an empty list or map, and for a map with nothing but an empty list. */
function hasNothing(answer: Json): boolean {
  if (typeof answer !== 'object' || answer === null) {
    return false;
  }
  const values = Object.values(answer);
  const [only] = values;
  return values.length === 0 || (values.length === 1 && Array.isArray(only) && only.length === 0);
}

/** First item of a list, or of the only list in an object. */
function itemOf(answer: Json): TriedOperation['item'] {
  const lists = typeof answer === 'object' && answer !== null ? Object.values(answer).filter(Array.isArray) : [];
  const list: unknown = Array.isArray(answer) ? answer : lists.length === 1 ? lists[0] : undefined;
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  if (typeof first !== 'object' || first === null) {
    return undefined;
  }
  return Object.fromEntries(
    Object.entries(first).filter(
      ([, value]) => typeof value === 'number' || (typeof value === 'string' && value !== '' && value.length <= 100),
    ),
  );
}

function pathIn(location: string | undefined, address: string): string | undefined {
  const path = location?.replace(/^https?:/, '').replace(`//${address}/`, '/') ?? '';
  return /^\/(?!\/)[\w./~?=&%-]{0,200}$/.test(path) ? path : undefined;
}

function silence(
  { tried, over = '', speaks, grpcPort }: Awaited<ReturnType<typeof whenUp>>,
  running: RunningService,
): string | undefined {
  if (grpcPort !== undefined) {
    return `it answers gRPC on port ${grpcPort.ownPort}, and not on the value of $PORT`;
  }
  if (speaks !== undefined || tried.some(({ status }) => status !== undefined)) {
    return speaks && SPOKEN[speaks];
  }
  return `no response ${over}: ${otherPorts(running)?.words ?? tried[0]?.refusal ?? 'no answer'}`;
}

const PRINTED_PORT =
  /(?:https?:\/\/[^\s/:[\]]*|\[[\d:a-f]*\]|0\.0\.0\.0|127\.0\.0\.1|localhost|\bon|\bport)[ =]{0,2}:?(\d{2,5})(?!\d|\.\d)/gi;

/** Lowest port that a container listens on, else the last one in its log, other than its own; plain processes get a free one. */
async function containerPort(
  { runtime }: TryBench,
  { port }: Service,
  running: RunningService,
): Promise<number | undefined> {
  const { ports = [] } = (runtime.name === 'docker' ? otherPorts(running) : undefined) ?? {};
  if (ports.length > 0) {
    return Math.min(...ports);
  }
  const log = runtime.name === 'docker' ? await running.logs().catch(() => '') : '';
  const named = [...log.matchAll(PRINTED_PORT)].map(([, digits]) => Number(digits));
  return named.filter((one) => one !== port && one > 0 && one <= 65_535).at(-1);
}

/** Lowest port that a plain process listens on, if it is not the given one. */
function ownPort({ runtime }: TryBench, running: RunningService): number | undefined {
  const { ports = [] } = (runtime.name === 'process' ? otherPorts(running) : undefined) ?? {};
  return ports.length === 0 ? undefined : Math.min(...ports);
}

export function isGuarded(status = ''): boolean {
  return /^(?:401|403|UNAUTHENTICATED|PERMISSION_DENIED)$/.test(status);
}

/** Paths that services usually answer without arguments or credentials. */
const USUAL_PATHS = ['/', '/health', '/healthz', '/api/health', '/status', '/api', '/openapi.json', '/metrics'];

async function answeringPath(
  { client, signal }: TryBench,
  service: Service,
  address: string,
  tried: readonly TriedOperation[],
): Promise<string | undefined> {
  const redirects = tried.flatMap(({ redirect }) => redirect ?? []);
  for (const path of service.protocol === 'rest' ? [...redirects, ...USUAL_PATHS] : []) {
    signal.throwIfAborted();
    const request: TargetRequest = { call: `GET ${path}`, body: undefined };
    const reply = await client.call(service, address, request).catch(() => undefined);
    if (reply !== undefined && /^2\d\d$/.test(reply.status)) {
      return path;
    }
  }
  return undefined;
}
