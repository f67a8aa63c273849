import * as z from 'zod';
import { isDistinct, name, title } from '../../foundation/names.ts';
import { PROTOCOL_NAMES, PROTOCOL_TITLES } from '../../model/service.ts';
import { metadata } from '../../protocols/grpc/binding.ts';
import { headers } from '../../protocols/http/headers.ts';
import { OVER_HTTP, PROTOCOLS, WITH_HEADERS } from '../../protocols/protocols.ts';
import { firstMisfit, type Misfit, refusing } from '../mistakes.ts';
import { operation } from '../operations/draft.ts';
import { preparations } from '../operations/preparation.ts';
import { wasNamed } from './former-names.ts';
import { address, portOf } from './load/address.ts';
import { connectionMisfit, connections, http, keepAlive, tls } from './load/connection.ts';
import { members, misfitsWithMembers, OF_A_PROGRAM } from './members.ts';
import { needPlaceholders, needs } from './needs.ts';
import { argv, fixedPort, metrics, port, profiler, programKeys, serviceReady, startMisfits } from './program.ts';
import { proto } from './proto.ts';

const process = z.strictObject({
  build: z.array(argv).default([]).describe('Commands that prepare it.'),
  command: argv.describe('The command that starts it; it must listen on `$HOST` and `$PORT`.'),
  port: fixedPort,
});

const keys = {
  title: title
    .optional()
    .describe('Its name in reports: at most 40 letters, digits, spaces, `.`, `-`, `_`; default: its key.'),
  protocol: z.enum(PROTOCOL_NAMES).describe('Its protocol.'),
  port: port.optional(),
  ...programKeys,
  process: process.optional().describe('How to start it without a container.'),
  address: address.optional(),
  proto: proto.optional(),
  metadata: metadata.optional().describe('For gRPC: metadata sent with every call.'),
  ready: serviceReady.optional(),
  prepare: preparations.optional(),
  needs: needs.default([]),
  members: members.optional(),
  cores: z
    .union([z.enum(['shared', 'each']), z.int().min(1).max(64)], {
      error: 'must be shared, each, or a whole number of cores from 1 to 64',
    })
    .transform((value) => (value === 'shared' || value === 1 ? undefined : value))
    .optional()
    .describe('The number of its cores, or `each`: one for every member; default: `shared`, one core.'),
  metrics,
  profiler,
  http: http
    .optional()
    .describe(
      `For ${OVER_HTTP}: \`"1.1"\`, \`"2"\` (HTTP/2 over TLS) or \`h2c\` (HTTP/2 without TLS); default: \`"1.1"\`.`,
    ),
  connections: connections
    .optional()
    .describe(
      'The most connections of the load; default: over HTTP/1.1 one for each request in flight, over HTTP/2 one, over gRPC up to 16.',
    ),
  keepAlive: keepAlive
    .optional()
    .describe('For HTTP/1.1: `false` opens a connection for each request; default: `true`.'),
  tls: tls.optional().describe('Encrypts the connection; `{}`: trusts the certificate authorities of the machine.'),
  headers: headers.optional().describe(`For ${WITH_HEADERS}: headers sent with every request, or with the handshake.`),
};

type Found = z.output<z.ZodObject<typeof keys>>;

const MAX_OPERATIONS = 1000;

export const operationList = z
  .array(operation)
  .min(1)
  .max(MAX_OPERATIONS, `must be at most ${MAX_OPERATIONS}: each is verified at every start of a service`)
  .refine((operations) => isDistinct(operations.flatMap((one) => one.name ?? [])), 'must not contain duplicate names');

/** Entry of `services` in `wiregauge.yml`; its key is its name. */
export const serviceEntry = z
  .strictObject({
    ...keys,
    operations: operationList.optional().describe('Operations of this service only, instead of those of the file.'),
    wasNamed: wasNamed.describe('Former names, like `[api]`: its history continues theirs.'),
  })
  .superRefine(refusing(misfitsOf))
  .transform(resolvedService);

/** Service under test in a `service.yml`. */
export const serviceSchema = z
  .strictObject({ name, ...keys })
  .superRefine(refusing(misfitsOf))
  .transform(resolvedService);

function misfitsOf(found: Found): readonly Misfit[] {
  const { members: parts } = found;
  const started = found.address === undefined ? issueOfStarted : issueOfRunning;
  return [
    ...(parts === undefined ? [] : misfitsWithMembers(found, parts)),
    ...metricsMisfit(found),
    ...profilerMisfit(found),
    ...coresMisfit(found),
    ...[...(parts === undefined ? started(found) : []), ...otherProtocol(found), ...connectionMisfit(found)].slice(
      0,
      1,
    ),
  ];
}

function issueOfStarted(found: Found): readonly Misfit[] {
  const all = found.needs.map((need) => need.name);
  return [
    ...startMisfits(found, 'needs one of image, process, address or members'),
    ...needPlaceholders(found.environment, { family: 'needs', all, listed: all }),
  ];
}

const ALREADY_RUNS = 'cannot be combined with address, because the service already runs';

function issueOfRunning(found: Found): readonly Misfit[] {
  const key = OF_A_PROGRAM.find((one) => found[one] !== undefined);
  return firstMisfit([
    [key !== undefined, key ?? [], ALREADY_RUNS],
    [found.needs.length > 0, 'needs', ALREADY_RUNS],
    [Object.keys(found.environment).length > 0, 'environment', ALREADY_RUNS],
    [found.ready?.check.kind === 'command', ['ready', 'command'], ALREADY_RUNS],
  ]);
}

function otherProtocol({ ready, protocol, proto: contract }: Found): readonly Misfit[] {
  const isGrpc = PROTOCOLS[protocol].transport === 'grpc';
  const isReflection = contract !== undefined && 'reflection' in contract;
  const kind = ready?.check.kind;
  const call = `is only for gRPC; for ${PROTOCOL_TITLES[protocol]}, use path`;
  return firstMisfit([
    [!isGrpc && isReflection, 'proto', 'must be files: reflection is only for gRPC'],
    [!isGrpc && kind === 'call', ['ready', 'call'], call],
    [isGrpc && kind === 'path', ['ready', 'path'], `is only for ${WITH_HEADERS}; for gRPC, use call`],
  ]);
}

function coresMisfit({ cores, members: parts, address: own }: Found): readonly Misfit[] {
  const [ofEach, ofMany] = [cores === 'each', typeof cores === 'number'];
  const each = 'must be a number of cores: `each` is only for a service with `members`';
  return firstMisfit([
    [ofEach && parts === undefined, 'cores', each],
    [ofMany && parts !== undefined, 'cores', 'must be shared or each for a service with `members`'],
    [cores !== undefined && own !== undefined, 'cores', ALREADY_RUNS],
  ]);
}

function metricsMisfit(found: Found): readonly Misfit[] {
  const { metrics: own, members: parts } = found;
  const path = parts === undefined ? ['metrics'] : ['members', parts.entry, 'metrics'];
  return (own ?? parts?.program.metrics) === undefined ? [] : pageMisfit(found, path);
}

function profilerMisfit(found: Found): readonly Misfit[] {
  const { profiler: own = 'off' } = found;
  return own === 'off' || own.address !== undefined ? [] : pageMisfit(found, ['profiler', 'pprof']);
}

function pageMisfit({ protocol, tls: encrypted }: Found, path: string[]): readonly Misfit[] {
  return firstMisfit([
    [PROTOCOLS[protocol].transport === 'grpc', path, 'is read over HTTP, but its port speaks gRPC'],
    [encrypted !== undefined, path, 'is read without TLS, but its port uses TLS'],
  ]);
}

/** Refuses two services with one address, since their measurements would be mixed. */
export const refuseSharedAddress = refusing(
  (services: Readonly<Record<string, { readonly address?: string | undefined }>>): readonly Misfit[] => {
    const seen = new Map<number, string>();
    return Object.entries(services).flatMap(([service, { address: own }]) => {
      const other = own === undefined ? undefined : seen.get(portOf(own));
      if (own !== undefined) {
        seen.set(portOf(own), service);
      }
      const message = `has the same port as ${other}: two services cannot share a port`;
      return other === undefined ? [] : [{ path: [service, 'address'], message }];
    });
  },
);

/** Service with its port, and with the keys of its entry. */
function resolvedService<Keys extends Found>({ members: parts, ...found }: Keys) {
  const { entry, program, others } = parts ?? { entry: undefined, program: undefined, others: undefined };
  const port = program?.port ?? found.port ?? portOf(found.address ?? '');
  return { ...found, ...program, port, entry, members: others };
}
