import { withOwnNames } from '../../../config/index.ts';
import type { ComposeService } from './compose.ts';
import { hostNameFrom } from './places.ts';
import type { LeftOutService, ProposedMember, ProposedNeed } from './proposal.ts';

/** What an image needs in a container without privileges and with a read-only file system. */
type KnownImage = Pick<ProposedNeed, 'port'> & Partial<Pick<ProposedNeed, 'user' | 'tmpfs' | 'ready'>>;

const USER = '999:999';

const POSTGRES: KnownImage = {
  port: 5432,
  user: USER,
  tmpfs: ['/var/run/postgresql', '/var/lib/postgresql/data'],
  ready: ['pg_isready', '--host', '127.0.0.1'],
};
const MYSQL: KnownImage = { port: 3306, user: USER, tmpfs: ['/var/lib/mysql', '/var/run/mysqld'] };
const REDIS: KnownImage = { port: 6379, user: USER, tmpfs: ['/data'] };

/** Databases, caches and brokers, by the last part of their images' names. */
const KNOWN: ReadonlyMap<string, KnownImage> = new Map([
  ['postgres', POSTGRES],
  ['postgis', POSTGRES],
  ['pgvector', POSTGRES],
  ['timescaledb', POSTGRES],
  ['mysql', MYSQL],
  ['mariadb', MYSQL],
  ['redis', REDIS],
  ['valkey', REDIS],
  ['mongo', { port: 27_017, user: USER, tmpfs: ['/data/db', '/data/configdb'] }],
  ['memcached', { port: 11_211 }],
  ['nats', { port: 4222 }],
  ['rabbitmq', { port: 5672, user: USER, tmpfs: ['/var/lib/rabbitmq', '/var/log/rabbitmq'] }],
]);

/** What a service needs, and its environment with what leads there. */
export interface Needed {
  /** Programs of the compose file that it may need and init does not know, and keys that are not carried over. */
  readonly leftOut: readonly LeftOutService[];
  readonly needs: readonly ProposedNeed[];
  /** Other programs that the compose file builds for it. */
  readonly members: readonly ProposedMember[];
  readonly environment: Readonly<Record<string, string>>;
  readonly madeUp: readonly string[];
}

/** The port that a service of a compose file listens on. */
type PortOf = (service: ComposeService) => number;

/**
 * The databases, caches and brokers of a compose file that a service depends on, and the services of the same repository: members of one
 * system with it. If it is not in that file, or depends on nothing, all databases, caches and brokers that are started without a profile, and no member.
 */
export function neededBy(service: ComposeService | undefined, all: readonly ComposeService[], portOf: PortOf): Needed {
  const asked = reachedFrom(service, all);
  const others = all.filter(
    (other) => other !== service && (asked.size === 0 ? !other.isOptional : asked.has(other.name)),
  );
  const found = others.flatMap((source) => needOf(source).map((need) => ({ source, ...need })));
  const unknown = others.filter(
    (one) => one.build === undefined && one.image !== undefined && needOf(one).length === 0,
  );
  const built = others.flatMap((source) => (asked.has(source.name) ? memberOf(source, portOf) : []));
  const named = withOwnNames<Reachable>([
    ...found.map((need) => ({ ...need, family: 'needs' as const })),
    ...built.map((member) => ({ ...member, family: 'members' as const })),
  ]);
  const needs = named.filter((one) => one.family === 'needs');
  const members = named.filter((one) => one.family === 'members');
  return {
    needs: needs.map(withoutSource),
    members: members.map((member) => {
      const before = members.filter((other) => waitsFor(member.source, other.source, all));
      const environment = environmentOf(member.source, [...needs, ...before]);
      return { ...withoutSource(member), environment, dependsOn: before.map(({ name }) => name) };
    }),
    environment: environmentOf(service, named),
    leftOut: [
      ...unknown.map(({ name, image = '' }) => ({ name, why: `init does not know what its image ${image} needs` })),
      ...[service, ...found.map(({ source }) => source)].flatMap((one) => one?.leftOut ?? []),
    ],
    madeUp: [...new Set([service, ...named.map(({ source }) => source)].flatMap((one) => one?.madeUp ?? []))],
  };
}

/** Whether one depends on another that does not depend on it in turn: such a circle could not be started. */
function waitsFor(one: ComposeService, other: ComposeService, all: readonly ComposeService[]): boolean {
  return one.dependsOn.includes(other.name) && !reachedFrom(other, all).has(one.name);
}

function withoutSource<Named extends Reachable>({ source: _, family: __, ...rest }: Named) {
  return rest;
}

function environmentOf(
  service: ComposeService | undefined,
  named: readonly Reachable[],
): Readonly<Record<string, string>> {
  const own = Object.entries(service?.environment ?? {}).filter(([key]) => key !== 'PORT' && key !== 'HOST');
  return Object.fromEntries(own.map(([key, value]) => [key, leadingTo(named, key, value)]));
}

/** Names of what a service depends on, itself or by way of others. */
function reachedFrom(service: ComposeService | undefined, all: readonly ComposeService[]): ReadonlySet<string> {
  const reached = new Set(service?.dependsOn);
  // The set grows during the iteration.
  for (const name of reached) {
    for (const next of all.find((one) => one.name === name)?.dependsOn ?? []) {
      reached.add(next);
    }
  }
  return reached;
}

function needOf({ name, image = '', environment }: ComposeService): readonly ProposedNeed[] {
  const known = KNOWN.get(/^[\w.-]+/.exec(lastPart(image))?.[0] ?? '');
  const host = hostNameFrom(name);
  if (known === undefined || host === undefined || !/^[a-z0-9][\w.:/-]{0,254}(@sha256:[0-9a-f]{64})?$/.test(image)) {
    return [];
  }
  const { port, user, tmpfs = [], ready } = known === POSTGRES ? { ...known, tmpfs: postgresFolders(image) } : known;
  // The user postgres has another number there.
  const own = known === POSTGRES && image.includes('alpine') ? '70:70' : user;
  return [
    {
      name: host,
      image,
      port,
      user: own,
      tmpfs,
      ready,
      environment: known === POSTGRES ? postgresSettings(environment) : withoutSecretFiles(environment),
    },
  ];
}

/** An image without its registry, which may have a port, and its folders. */
function lastPart(image: string): string {
  return image.split('/').at(-1) ?? '';
}

/** From 18 on, the image refuses to start if the former folder of its data is a mount. A tag without a version is the newest. */
function postgresFolders(image: string): readonly string[] {
  const [, version] = /:(?:.*pg)?(\d+)/.exec(lastPart(image)) ?? [];
  const isFormer = version !== undefined && Number(version) < 18;
  return ['/var/run/postgresql', isFormer ? '/var/lib/postgresql/data' : '/var/lib/postgresql'];
}

/** Without a password, which may be in a file that is not carried over, the image starts only if it is told to trust everyone. */
function postgresSettings(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { POSTGRES_PASSWORD_FILE: _file, ...own } = environment;
  const isSet = own['POSTGRES_PASSWORD'] !== undefined || own['POSTGRES_HOST_AUTH_METHOD'] !== undefined;
  return isSet ? own : { ...own, POSTGRES_HOST_AUTH_METHOD: 'trust' };
}

/** Secrets in files are not carried over, so that what they are for gets an example value. */
function withoutSecretFiles(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) =>
      name.endsWith('_FILE') && value.startsWith('/run/secrets/') ? [name.slice(0, -5), 'example'] : [name, value],
    ),
  );
}

function memberOf(source: ComposeService, portOf: PortOf): readonly Omit<ReachableMember, 'family'>[] {
  const name = hostNameFrom(source.name);
  const { build } = source;
  return name === undefined || build === undefined ? [] : [{ source, name, image: build, port: portOf(source) }];
}

type Reachable = ReachableNeed | ReachableMember;

interface ReachableNeed extends ProposedNeed {
  readonly source: ComposeService;
  readonly family: 'needs';
}

interface ReachableMember extends Pick<ProposedMember, 'name' | 'image' | 'port'> {
  readonly source: ComposeService;
  readonly family: 'members';
}

/** A value of an environment, with placeholders if it names the host or the port of another program. */
function leadingTo(named: readonly Reachable[], key: string, value: string): string {
  const ofPort = named.filter(({ port }) => String(port) === value);
  const [only] = ofPort;
  if (only !== undefined && ofPort.length === 1 && /PORT$/i.test(key)) {
    return `\${${only.family}.${only.name}.port}`;
  }
  return named.reduce((text, one) => withHost(text, one), value);
}

function withHost(value: string, { name, family, source }: Reachable): string {
  const host = source.name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // Only the host of an address: a path, such as the name of a database, may be called the same.
  const pattern = new RegExp(`(^|//|@|,)${host}(:\\d+)?(?=$|[/?,;])`, 'g');
  return value.replace(
    pattern,
    (_, before: string, port?: string) =>
      `${before}\${${family}.${name}.host}${port === undefined ? '' : `:\${${family}.${name}.port}`}`,
  );
}
