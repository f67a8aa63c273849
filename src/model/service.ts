import { filledEnvironment, type Lookup, type Lookups } from '../foundation/placeholders.ts';
import type { ProfilePage } from './run/functions.ts';
import type { PlantRecord } from './run/plant.ts';
import type { MetricsPage } from './sample/own-figures.ts';

/** Protocols of services, with their names in reports; each has a folder below `src/protocols`. */
export const PROTOCOL_TITLES = {
  rest: 'REST',
  grpc: 'gRPC',
  graphql: 'GraphQL',
  websocket: 'WebSocket',
} as const;

export type ProtocolName = keyof typeof PROTOCOL_TITLES;

export const PROTOCOL_NAMES = Object.keys(PROTOCOL_TITLES) as readonly ProtocolName[];

export type Transport = 'http' | 'grpc' | 'websocket';

export type RuntimeName = 'docker' | 'process';

/** Runtimes of a measurement. */
export const RUNTIMES = ['docker', 'process', 'both', 'kubernetes'] as const;

/** Program started for a measurement: a service, one of its members, or a need. */
export interface Program {
  readonly name: string;
  readonly image: ImageSource | { readonly reference: string } | undefined;
  readonly process: ProcessSource | undefined;
  /** Port that it listens on inside its container; 0 without one, since a plain process gets a free port. */
  readonly port: number;
  /** Additional ports that it listens on inside its container, by name; a plain process gets free ones. */
  readonly ports?: Readonly<Record<string, number>> | undefined;
  /** Settings, passed as environment variables and recorded in the run; `${needs.<name>.host}` and the like are filled in. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits?: ProgramLimits | undefined;
  /** Arguments for its image, instead of the image's own. */
  readonly command?: readonly string[] | undefined;
  /** User in its container; undefined: the image's own user. */
  readonly user?: string | undefined;
  /** Files and folders of the repository, by their read-only paths in the container. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** Writable folders of the container, in addition to `/tmp`: in memory, empty at the start. */
  readonly tmpfs?: readonly string[] | undefined;
  /** Its pod template in a cluster. */
  readonly manifests?: Manifests | undefined;
  /** Its own metrics, which are read over HTTP at its port; services and members only. */
  readonly metrics?: MetricsPage | undefined;
  /** Only while versions are compared, for services and members: a JVM compiles its program with the C1 compiler only, which takes seconds, not minutes. */
  readonly compiler?: 'C1' | undefined;
}

/** Service under test, as its manifest describes it: `service.yml`, or an entry of `services` in `wiregauge.yml`. */
export interface Service extends Program {
  readonly title: string;
  readonly protocol: ProtocolName;
  /** Place of the service, in a run with services in containers and as plain processes; undefined: that of the run. */
  readonly runtime?: RuntimeName | undefined;
  readonly variant?: (Variant & { readonly of: string }) | undefined;
  /** `host:port` on this machine of a service that already runs: it is neither built nor started, nor stopped. */
  readonly address?: string | undefined;
  /** For gRPC: the contract, or that the service has reflection. For REST: the contract with the messages of responses. */
  readonly proto: Contract | undefined;
  /** Only for gRPC: metadata of every call. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Check that shows that it has started, if that is not its first response to the suite's first operation. */
  readonly ready?: Readiness | undefined;
  readonly needs?: readonly Need[] | undefined;
  /** Only for a service with several programs: name of the program that gets the load, which this image, command and settings describe. */
  readonly entry?: string | undefined;
  /** Members that the entry depends on; it is started after all members anyway. */
  readonly dependsOn?: readonly string[] | undefined;
  /** Only for a service with several programs: the others in start order, all before the entry. */
  readonly members?: readonly Member[] | undefined;
  /** `each`: one core per member. A number: cores of the service. Undefined: one, which members share. */
  readonly cores?: 'each' | number | undefined;
  /** `off`: no profile; a page: its own profiler; undefined: chosen by its programs. */
  readonly profiler?: 'off' | ProfilePage | undefined;
  /** Only for a calibration: the planted cost. */
  readonly plant?: PlantRecord | undefined;
  /** Requests that are sent in this order after each start, before all others. */
  readonly prepare?: readonly Preparation[] | undefined;
  /** Undefined for HTTP/1.1, or gRPC, without TLS. */
  readonly connection?: Connection | undefined;
  /** Headers of every HTTP request, and of a WebSocket handshake, with names in the case of Content-Type; values may contain `${env.NAME}`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Request whose response has values that later requests carry, such as the token of a login. */
export interface Preparation {
  /** For messages: "wiregauge.yml:5:9: services.api.prepare[0]". */
  readonly place: string;
  readonly binding: unknown;
  /** JSON paths of values in the response, by the names in `${prepare.NAME}`. */
  readonly capture: Readonly<Record<string, string>>;
}

export interface Need extends Program {
  readonly ready: Readiness & { readonly timeoutSeconds: number };
  readonly needs: readonly string[];
  /** `slot`: restarted with each start of the service; `run`: kept over the whole run. */
  readonly fresh: 'slot' | 'run';
}

/** Program of a service with several, measured like the entry: its `needs` are the members that must be ready before it. */
export type Member = Need;

/** Kubernetes manifests: a file, or a folder with files, a kustomization or a Helm chart. */
export interface Manifests {
  readonly path: string;
  /** Files with the values of a chart. */
  readonly values: readonly string[];
  /** Name of the container whose image is replaced, optionally preceded by its Deployment: `shop/app`; undefined: found by its image. */
  readonly container: string | undefined;
}

/** Limits of a program: CPUs of its core, and memory. */
export interface ProgramLimits {
  readonly cpus?: number | undefined;
  readonly memoryMiB?: number | undefined;
}

export interface Readiness {
  readonly check: ReadyCheck;
  /** Time limit; undefined: for as long as it makes progress, up to 180 s. */
  readonly timeoutSeconds?: number | undefined;
}

/** Check that must succeed. `usual`: the suite's first operation for a service, a connection for a need. */
export type ReadyCheck =
  | { readonly kind: 'usual' }
  /** A GET over HTTP. */
  | { readonly kind: 'path'; readonly path: string }
  /** A gRPC method with an empty message. */
  | { readonly kind: 'call'; readonly call: string }
  /** Command inside the container, or in the environment of the plain process. */
  | { readonly kind: 'command'; readonly command: readonly string[] };

export interface ImageSource {
  readonly context: string;
  readonly dockerfile: string;
  readonly target: string | undefined;
  readonly args?: Readonly<Record<string, string>>;
}

/** Build and start of the service in the repository's root; `HOST` and `PORT` are in its environment. */
export interface ProcessSource {
  readonly build: readonly (readonly string[])[];
  readonly command: readonly string[];
  /** Port that it always listens on; undefined: the free one in `PORT`. */
  readonly port?: number | undefined;
}

export interface NeedPlace {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly ports?: Readonly<Record<string, number>> | undefined;
  /** Family of its placeholders: `${members.api.port}`; undefined: `${needs.api.port}`. */
  readonly family?: 'members';
  /** Its own host, if `host` is that of a relay. */
  readonly direct?: string;
}

/** Environment of a program with the addresses of its needs and members, `DB_HOST` and `DB_PORT`; its own variables take precedence. */
export function programEnvironment(
  { environment }: Pick<Program, 'environment'>,
  places: readonly NeedPlace[],
  lookups: Lookups = {},
): Readonly<Record<string, string>> {
  const families = Map.groupBy(places, ({ family = 'needs' }) => family);
  const members = families.get('members');
  const own = { needs: lookupIn(families.get('needs') ?? []), ...(members && { members: lookupIn(members) }) };
  return { ...placeVariables(places), ...filledEnvironment(environment, { ...lookups, ...own }) };
}

function placeVariables(places: readonly NeedPlace[]): Record<string, string> {
  return Object.fromEntries(
    places.flatMap(({ name, host, port, ports }) => {
      const prefix = name.toUpperCase().replaceAll('-', '_');
      return [
        [`${prefix}_HOST`, host],
        ...Object.entries(portVariables({ port, ports })).map(([variable, value]) => [`${prefix}_${variable}`, value]),
      ];
    }),
  );
}

/**
 * Variables with the ports of a program: `PORT`, and `PORT_GRPC` for an additional port `grpc`. A program with a fixed port may set `PORT` itself,
 * for another of its servers.
 */
export function portVariables(
  { port, ports = {} }: Pick<Program, 'port' | 'ports'>,
  { PORT: own = String(port) }: Readonly<Record<string, string | undefined>> = {},
): Readonly<Record<string, string>> {
  const further = Object.entries(ports).map(([name, value]) => [`PORT_${name.toUpperCase()}`, String(value)]);
  return { PORT: own, ...Object.fromEntries(further) };
}

function lookupIn(places: readonly NeedPlace[]): Lookup {
  const values = new Map(
    places.flatMap(({ name, host, port, ports = {} }) => [
      [`${name}.host`, host],
      [`${name}.port`, String(port)],
      ...Object.entries(ports).map(([further, value]) => [`${name}.ports.${further}`, String(value)] as const),
    ]),
  );
  return (name) => values.get(name);
}

/** Source of a gRPC contract: `.proto` files, compiled descriptors, or the service itself. */
export type Contract = ProtoSource | DescriptorSet | { readonly reflection: true };

/** Place of the contract: `file` is relative to `root`, `root` to the repository's root. */
export interface ProtoSource {
  /** For messages; with several folders, all of them. */
  readonly root: string;
  readonly file: string;
  /** Text of every `.proto` file below the root, by its path relative to the root. */
  readonly texts: Readonly<Record<string, string>>;
}

/** A google.protobuf.FileDescriptorSet with every file that its files import. */
export interface DescriptorSet {
  /** In base64. */
  readonly descriptorSet: string;
  /** For messages: the path of its file, or that it is from reflection. */
  readonly origin: string;
}

export type HttpVersion = '1.1' | '2' | 'h2c';

/** Connection to a service, in addition to its address. The default of a service or a target: HTTP/1.1 without TLS. */
export interface Connection {
  /** For REST services only: gRPC is always HTTP/2. */
  readonly http: HttpVersion;
  /** Undefined without encryption. */
  readonly tls: Tls | undefined;
  /** Maximum number of connections of the load tool; undefined: the default of the protocol. */
  readonly connections?: number | undefined;
  /** `false`: each request has its own connection; undefined: connections are kept. HTTP/1.1 only. */
  readonly keepAlive?: false | undefined;
}

/** Trusted and own certificates, as PEM texts, or `${env.NAME}` in a manifest. */
export interface Tls {
  /** Certificates of trusted authorities; undefined for those of the machine. */
  readonly ca: string | undefined;
  /** True to accept any certificate. */
  readonly insecure: boolean;
  /** Name in the service's certificate; undefined if it is the address. */
  readonly serverName: string | undefined;
  /** The client's own certificate, with `key`, for a service that requires one (mTLS). */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

/** Place of services, and the programs started for them: the duration of a measurement besides its load depends on it. */
export interface Place {
  readonly runtime: (typeof RUNTIMES)[number];
  readonly services: ReadonlyMap<string, Pick<Service, 'address' | 'needs' | 'members' | 'runtime'>>;
}

/** Number of programs started for each measurement of a service: itself, its other members, and its needs. */
export function programsFor({ services }: Place, service: string): number {
  const { address, needs = [], members = [] } = services.get(service) ?? {};
  return address === undefined ? 1 + members.length + needs.filter(({ fresh }) => fresh === 'slot').length : 0;
}

export function programsOf(services: readonly Service[]): readonly Program[] {
  return services
    .filter(({ address }) => address === undefined)
    .flatMap((service) => [service, ...(service.members ?? []), ...(service.needs ?? [])]);
}

/** Service with a change to its own program and its members. */
export function withMembers(service: Service, change: <One extends Service | Need>(program: One) => One): Service {
  return { ...change(service), ...(service.members && { members: service.members.map(change) }) };
}

/** The same with its needs. */
export function withPrograms(service: Service, change: <One extends Service | Need>(program: One) => One): Service {
  return { ...withMembers(service, change), ...(service.needs && { needs: service.needs.map(change) }) };
}

/** True if the needs of a service run in containers even when it is a plain process: at least one has no command, and all have images. */
export function needsContainers({ address, needs = [] }: Pick<Service, 'address' | 'needs'>): boolean {
  const lacksCommand = needs.some(({ process }) => process === undefined);
  return address === undefined && lacksCommand && needs.every(({ image }) => image !== undefined);
}

/** Needs that run in containers even if the service is a plain process. */
export function containedNeeds(services: readonly Service[]): readonly Need[] {
  return services.filter(needsContainers).flatMap(({ needs = [] }) => needs);
}

/** CPU limit of a service, if other than one whole core. */
export function coreLimitOf({ entry, limits, cores }: Pick<Service, 'entry' | 'limits' | 'cores'>): number | undefined {
  if (typeof cores === 'number') {
    return cores * (limits?.cpus ?? 1);
  }
  return entry === undefined ? limits?.cpus : undefined;
}

export interface Variant {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
}

export function variantName(service: string, variant: string): string {
  return `${service}.${variant}`;
}
