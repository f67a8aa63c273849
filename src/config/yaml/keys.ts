import { nameHint, nearName } from '../../foundation/names.ts';

/** Words for keys, and for runtimes, in other tools. */
const MEANINGS: Readonly<Record<string, string>> = {
  // Loads
  requestsPerSecond: 'rate rps qps tps throughput arrivalRate targetRate requestRate',
  users: 'vus virtualUsers clients concurrency concurrentUsers connections threads',
  thinkSeconds: 'think thinkTime pause sleep wait delay pacing',
  spawnPerSecond: 'spawn spawnRate hatchRate startRate usersPerSecond',
  rampSeconds: 'ramp rampUp rampTime startTime',
  warmupSeconds: 'warmup warmUp warmupTime warmUpSeconds',
  limitSeconds: 'duration seconds time durationSeconds runTime timeLimit',
  requestsPerUser: 'iterations requests repetitions iterationsPerUser',
  inFlight: 'maxVus maxConcurrency outstanding pending',
  workers: 'users vus concurrency connections threads clients',
  // A suite
  network: 'net netem wan distance link',
  rtt: 'latency delay ping roundTrip roundTripTime',
  bandwidth: 'throughput speed rate bitrate',
  readRate: 'read reading slowReader readBandwidth',
  tiers: 'loads stages scenarios levels phases steps profiles',
  operations: 'endpoints routes requests calls tests targets queries',
  services: 'service apps servers systems',
  policy: 'rules gates judge judgment judgement',
  saturation: 'capacity saturate maximum closedLoop',
  title: 'label description displayName',
  name: 'id key',
  wasNamed: 'aliases alias formerName formerNames formerly renamedFrom previousName oldName was',
  // An operation
  rest: 'http request url endpoint route',
  grpc: 'rpc call',
  graphql: 'query mutation gql',
  arguments: 'args params parameters variables data values inputs examples',
  feed: 'data dataset csv source samples',
  weight: 'share ratio frequency proportion probability percent',
  verify: 'check checks assert validate',
  ignore: 'exclude skip except volatile',
  stream: 'streaming streamed sse ndjson',
  method: 'verb',
  path: 'url uri endpoint route address target',
  headers: 'header httpHeaders',
  metadata: 'headers header',
  body: 'payload data json content form',
  expect: 'assert response check validate answer expected',
  status: 'statusCode code statuses codes',
  contains: 'includes text match body',
  contentType: 'type mediaType mime mimeType',
  deadlineMs: 'timeout timeoutMs deadline timeoutSeconds',
  message: 'request payload data body input',
  messages: 'requests payloads stream inputs',
  last: 'end ending final lastMessage',
  // A service
  environment: 'env envs environmentVariables variables vars settings',
  image: 'container docker build dockerImage',
  process: 'start run local exec native plain plainProcess plainProcesses',
  command: 'cmd args entrypoint run start exec',
  build: 'install compile prepare setup',
  protocol: 'type kind transport scheme',
  proto: 'contract schema protobuf protos descriptor',
  profiler: 'profile profiling pprof flameGraph',
  address: 'url host baseUrl endpoint target uri server',
  port: 'ports listen expose',
  ready: 'health healthcheck readiness readinessProbe healthy',
  timeoutSeconds: 'timeout seconds maxSeconds startPeriod',
  needs: 'dependsOn dependencies requires deps databases database sidecars services',
  dependsOn: 'needs requires dependencies after',
  members: 'programs parts services containers processes',
  limits: 'resources quota',
  cpus: 'cpu cores',
  memoryMiB: 'memory mem ram memoryLimit memoryMb',
  files: 'volumes mounts volume bind',
  user: 'uid runAs',
  manifests: 'kustomize helm chart deployment kubernetes',
  fresh: 'restart reset lifetime scope',
  http: 'httpVersion version',
  keepAlive: 'persistent reuse reuseConnections',
  tls: 'ssl https',
  context: 'path folder directory dir',
  target: 'stage',
  root: 'path folder directory importPath',
  // A policy
  threshold: 'limit max tolerance maximum by percent',
  thresholds: 'limits tolerances',
  budgets: 'slos slo objectives bounds absolute',
  gate: 'fail blocking required failing enforce',
  atMost: 'max maximum limit below under',
  atLeast: 'min minimum above over',
  alpha: 'errorRate falsePositives significance confidence',
  inconclusive: 'onInconclusive unsure undecided',
  metric: 'figure name measure',
  why: 'reason comment because note',
  until: 'expires expiry deadline date',
  upTo: 'threshold limit max percent size',
  // A runtime
  docker: 'container containers image images engine dockerEngine compose',
  auto: 'automatic default any',
  both: 'all each',
};

/** Known key or name that was probably meant: by its name in other tools, else the nearest spelling; undefined without one. */
export function meantKey(written: string, known: readonly string[]): string | undefined {
  const plain = plainKey(written);
  const same = known.find((key) => plainKey(key) === plain);
  const meant = known.find((key) => MEANT.get(key)?.has(plain));
  return same ?? meant ?? nearName(written, known);
}

/** Suggestion for an unknown key. */
export function keyHint(written: string, known: readonly string[]): string {
  const meant = meantKey(written, known);
  return meant === undefined ? nameHint(written, known) : `did you mean ${meant}?`;
}

const MEANT = new Map(
  Object.entries(MEANINGS).map(([key, words]) => [key, new Set(words.split(' ').map(plainKey))] as const),
);

/** Same result for `spawn_rate`, `spawn-rate` and `spawnRate`. */
function plainKey(key: string): string {
  return key.replaceAll(/[_\s-]/g, '').toLowerCase();
}
