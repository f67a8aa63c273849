import { withOwnNames } from '../../../config/index.ts';
import type { ComposeService } from './compose.ts';
import { hostNameFrom } from './places.ts';
import type { ProposedNeed } from './proposal.ts';

/** What an image wants of a container that has no rights and a read-only file system. */
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
  readonly needs: readonly ProposedNeed[];
  readonly environment: Readonly<Record<string, string>>;
  readonly madeUp: readonly string[];
}

/**
 * The databases, caches and brokers of a compose file that a service depends on; all of them where it is not in that file, or depends on
 * nothing.
 */
export function neededBy(service: ComposeService | undefined, all: readonly ComposeService[]): Needed {
  const asked = reachedFrom(service, all);
  const others = all.filter((other) => other !== service && (asked.size === 0 || asked.has(other.name)));
  const found = others.flatMap((source) => needOf(source).map((need) => ({ source, ...need })));
  const named = withOwnNames(found);
  const environment = Object.entries(service?.environment ?? {}).filter(([key]) => key !== 'PORT' && key !== 'HOST');
  return {
    needs: named.map(({ source: _, ...need }) => need),
    environment: Object.fromEntries(environment.map(([key, value]) => [key, leadingTo(named, key, value)])),
    madeUp: [...new Set([service, ...named.map(({ source }) => source)].flatMap((one) => one?.madeUp ?? []))],
  };
}

/** Names of what a service depends on, itself or by way of others. */
function reachedFrom(service: ComposeService | undefined, all: readonly ComposeService[]): ReadonlySet<string> {
  const reached = new Set(service?.dependsOn);
  // Grows while it is walked.
  for (const name of reached) {
    for (const next of all.find((one) => one.name === name)?.dependsOn ?? []) {
      reached.add(next);
    }
  }
  return reached;
}

function needOf({ name, image = '', environment }: ComposeService): readonly ProposedNeed[] {
  const known = KNOWN.get(/([\w.-]+?)(?:[:@].*)?$/.exec(image)?.[1] ?? '');
  const host = hostNameFrom(name);
  if (known === undefined || host === undefined || !/^[a-z0-9][\w.:/-]{0,254}(@sha256:[0-9a-f]{64})?$/.test(image)) {
    return [];
  }
  const { port, user, tmpfs = [], ready } = known;
  // The user postgres has another number there.
  const own = known === POSTGRES && image.includes('alpine') ? '70:70' : user;
  return [{ name: host, image, port, user: own, tmpfs, ready, environment }];
}

interface Reachable extends ProposedNeed {
  readonly source: ComposeService;
}

/** A value of the service's environment, with placeholders where it names the host or the port of a need. */
function leadingTo(needs: readonly Reachable[], key: string, value: string): string {
  const ofPort = needs.filter(({ port }) => String(port) === value);
  const [only] = ofPort;
  if (only !== undefined && ofPort.length === 1 && /PORT$/i.test(key)) {
    return `\${needs.${only.name}.port}`;
  }
  return needs.reduce((text, need) => withHost(text, need), value);
}

function withHost(value: string, { name, source }: Reachable): string {
  const host = source.name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`(^|[/@,])${host}(:\\d+)?(?=$|[/?,;])`, 'g');
  return value.replace(
    pattern,
    (_, before: string, port?: string) =>
      `${before}\${needs.${name}.host}${port === undefined ? '' : `:\${needs.${name}.port}`}`,
  );
}
