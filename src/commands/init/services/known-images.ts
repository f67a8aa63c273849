import { mysqlScript, postgresScript } from './plain-databases.ts';
import type { Environment, ProposedNeed } from './proposal.ts';

/**
 * Requirements of an image in a container without privileges and with a read-only file system; without `ready`, an accepted connection on its port
 * shows that it is ready.
 */
interface KnownImage extends Pick<ProposedNeed, 'port'>, Partial<Pick<ProposedNeed, 'user' | 'ready' | 'command'>> {
  /** Ends of its path, without registry and tag. */
  readonly names: readonly string[];
  /** User of its Alpine images, which has a different number. */
  readonly alpineUser?: string;
  readonly tmpfs?: readonly string[] | ((image: string) => readonly string[]);
  /** Variables without which it does not start. */
  readonly settings?: Environment;
  /** Variables that replace `settings`: a database needs a password, or permission to run without one. With one, its paths need credentials. */
  readonly password?: RegExp;
  /** Programs, any of which `plain` needs; default: its first word. */
  readonly programs?: readonly string[];
  /** Shell script that starts the same program without a container. */
  readonly plain?: string | ((files: Readonly<Record<string, string>>) => string);
}

const USER = '999:999';

const DATABASE = {
  user: USER,
  tmpfs: ['/var/lib/mysql', '/var/run/mysqld'],
  settings: { MYSQL_ALLOW_EMPTY_PASSWORD: 'yes' },
  password: /^(?:MYSQL|MARIADB)_.*ROOT_PASSWORD/,
  port: 3306,
  programs: ['mariadbd', 'mysqld'],
  plain: mysqlScript,
};

function pinged(program: string): string {
  return `${program} ping --silent --host="$HOST" --port="$PORT"`;
}

const SEARCH = {
  port: 9200,
  user: '1000:1000',
  ready: { path: '/_cluster/health?wait_for_status=yellow' },
  password: /^(?:ELASTIC_PASSWORD|OPENSEARCH_INITIAL_ADMIN_PASSWORD|cluster\.initial_\w+)$/,
};
const SINGLE = { 'discovery.type': 'single-node' };
const KAFKA = { port: 9092, user: '1000:1000' };
const STORE = { port: 6379, user: USER, tmpfs: ['/data'] };

/** Databases, caches and brokers. */
const KNOWN: readonly KnownImage[] = [
  {
    names: ['postgres', 'postgresql', 'postgis', 'pgvector', 'timescaledb'],
    port: 5432,
    user: USER,
    alpineUser: '70:70',
    tmpfs: postgresFolders,
    ready: { command: ['sh', '-c', 'pg_isready --host "$HOST" --port "$PORT"'] },
    settings: { POSTGRES_HOST_AUTH_METHOD: 'trust' },
    password: /^POSTGRES_PASSWORD(?:_FILE)?$/,
    programs: ['postgres'],
    plain: postgresScript,
  },
  // The server that the image starts first, to fill its database, does not accept TCP connections.
  { names: ['mysql'], ...DATABASE, ready: { command: ['sh', '-c', pinged('mysqladmin')] } },
  { names: ['mariadb'], ...DATABASE, ready: { command: ['sh', '-c', pinged('mariadb-admin')] } },
  {
    names: ['redis', 'redis-stack-server', 'redismod'],
    ...STORE,
    plain: 'redis-server --bind "$HOST" --port "$PORT" --dir "$DATA" --save ""',
  },
  { names: ['valkey'], ...STORE, plain: 'valkey-server --bind "$HOST" --port "$PORT" --dir "$DATA" --save ""' },
  { names: ['mongo'], port: 27_017, user: USER, tmpfs: ['/data/db', '/data/configdb'] },
  { names: ['memcached'], port: 11_211, plain: 'memcached -u nobody -l "$HOST" -p "$PORT"' },
  { names: ['nats'], port: 4222, plain: 'nats-server --addr "$HOST" --port "$PORT"' },
  { names: ['rabbitmq'], port: 5672, user: USER, tmpfs: ['/var/lib/rabbitmq', '/var/log/rabbitmq'] },
  {
    names: ['zookeeper', 'cp-zookeeper'],
    port: 2181,
    tmpfs: ['/data', '/datalog', '/logs', '/var/lib/zookeeper', '/etc/kafka'],
  },
  {
    names: ['kafka', 'kafka-native'],
    ...KAFKA,
    tmpfs: ['/var/lib/kafka/data', '/opt/kafka/config', '/opt/kafka/logs'],
  },
  { names: ['cp-kafka'], ...KAFKA, tmpfs: ['/var/lib/kafka/data', '/etc/kafka'] },
  { names: ['redpanda'], port: 9092, user: '101:101', tmpfs: ['/var/lib/redpanda/data', '/etc/redpanda'] },
  { names: ['mssql/server', 'azure-sql-edge'], port: 1433, user: '10001:0', tmpfs: ['/var/opt/mssql', '/.system'] },
  {
    names: ['elasticsearch'],
    ...SEARCH,
    tmpfs: ['/usr/share/elasticsearch/data', '/usr/share/elasticsearch/logs'],
    settings: { ...SINGLE, 'xpack.security.enabled': 'false' },
  },
  {
    names: ['opensearch'],
    ...SEARCH,
    tmpfs: ['/usr/share/opensearch/data', '/usr/share/opensearch/logs'],
    settings: { ...SINGLE, DISABLE_SECURITY_PLUGIN: 'true', DISABLE_INSTALL_DEMO_CONFIG: 'true' },
  },
  {
    names: ['minio'],
    port: 9000,
    user: '1000:1000',
    tmpfs: ['/data'],
    command: ['server', '/data'],
    ready: { path: '/minio/health/ready' },
  },
  {
    names: ['localstack', 'localstack-pro'],
    port: 4566,
    tmpfs: ['/var/lib/localstack'],
    ready: { path: '/_localstack/health' },
  },
];

/** Image path without registry and tag, and its known requirements. */
export function knownImage(image: string) {
  const [, path = ''] =
    /^(?=.{1,300}$)(?:[\w.-]+(?::\d+)?\/)*?([a-z0-9][\w./-]*)(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?$/.exec(image) ?? [];
  return { path, known: KNOWN.find(({ names }) => names.some((name) => `/${path}`.endsWith(`/${name}`))) };
}

/** Since version 18, the image refuses to start if its former data folder is a mount. A tag without a version is the newest. */
function postgresFolders(image: string): readonly string[] {
  // The registry may have a port.
  const [, version] = /:(?:[^:]*pg)?(\d+)/.exec(image.split('/').at(-1) ?? '') ?? [];
  const isFormer = version !== undefined && Number(version) < 18;
  return ['/var/run/postgresql', isFormer ? '/var/lib/postgresql/data' : '/var/lib/postgresql'];
}
