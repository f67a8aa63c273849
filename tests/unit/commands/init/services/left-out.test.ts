import { describe, expect, test } from 'vitest';
import { withInstalled } from '../../../../../src/commands/init/services/needs.ts';
import { MAX_MIGRATIONS } from '../../../../../src/host/files/scan.ts';
import { proposed, type Texts } from './repositories.ts';

const repository = (compose: string, more: Readonly<Record<string, string>> = {}) =>
  proposed({
    'package.json': JSON.stringify({ scripts: { start: 'node a.js' }, dependencies: { express: '5.0.0' } }),
    Dockerfile: 'FROM node\nEXPOSE 3000\n',
    'docker-compose.yml': compose,
    ...more,
  });

const web = (environment: string) =>
  `services:\n  web:\n    build: .\n    depends_on: [db]\n    environment: ${environment}\n`;

describe('a database of a compose file', () => {
  test.each([
    ['postgres:18-alpine', '/var/lib/postgresql'],
    ['postgres', '/var/lib/postgresql'],
    ['postgres:latest', '/var/lib/postgresql'],
    ['postgres:17.2', '/var/lib/postgresql/data'],
    ['pgvector/pgvector:pg16', '/var/lib/postgresql/data'],
    ['postgis/postgis:18-3.6', '/var/lib/postgresql'],
    ['registry.test:5000/postgres:16', '/var/lib/postgresql/data'],
    ['registry.test:5000/postgres', '/var/lib/postgresql'],
  ])('%s has its data in %s', (image, folder) => {
    const { proposals } = repository(`${web('{}')}  db: { image: "${image}" }\n`);

    expect(proposals[0]?.needs[0]?.tmpfs).toEqual(['/var/run/postgresql', folder]);
  });

  test.each([
    ['{ POSTGRES_USER: a }', { POSTGRES_USER: 'a', POSTGRES_HOST_AUTH_METHOD: 'trust' }],
    ['{ POSTGRES_PASSWORD: b }', { POSTGRES_PASSWORD: 'b' }],
    ['{ POSTGRES_PASSWORD_FILE: /run/secrets/p }', { POSTGRES_PASSWORD: 'example' }],
    // Of another service, as where all have the same env_file.
    ['{ MYSQL_ROOT_PASSWORD: c }', { MYSQL_ROOT_PASSWORD: 'c', POSTGRES_HOST_AUTH_METHOD: 'trust' }],
  ])('starts with %s', (environment, expected) => {
    const { proposals } = repository(`${web('{}')}  db: { image: "postgres:17", environment: ${environment} }\n`);

    expect(proposals[0]?.needs[0]?.environment).toEqual(expected);
  });

  test('is needed where only the environment names it', () => {
    const caches = '  db: { image: "postgres:17" }\n  cache: { image: "redis:7" }\n  other: { image: "redis:7" }\n';
    const { proposals, service } = repository(`${web('{ CACHE: "redis://cache:6379" }')}${caches}`);

    expect(proposals[0]?.needs.map(({ name }) => name)).toEqual(['db', 'cache']);
    expect(service?.environment).toEqual({ CACHE: 'redis://${needs.cache.host}:${needs.cache.port}' });
  });

  test('is for an image without an entrypoint, which one of the compose file starts', () => {
    const started = 'services:\n  web: { build: ., entrypoint: "shop web", command: ["-v"] }\n';
    const [alone, within] = [repository(started), repository(started, { Dockerfile: 'FROM a\nENTRYPOINT ["b"]\n' })];

    expect(alone.service?.command).toEqual(['shop', 'web', '-v']);
    expect(within.service?.command).toEqual(['-v']);
    expect(within.proposals[0]?.leftOut.map(({ name }) => name)).toContain('entrypoint of web');
  });

  const WHOLE = `${web('{}')}    env_file: [.env.web, { path: ./more.env }]
    volumes: [".:/app", "./conf/web.toml:/etc/web.toml:ro"]
  db:
    image: mysql:9
    command: mysqld --max-connections=300 --sql-mode="A B"
    secrets: [db-password, other]
    environment: { MYSQL_ROOT_PASSWORD_FILE: /run/secrets/db-password, MYSQL_PASSWORD_FILE: /run/secrets/other }
    volumes: ["./db/init.sql:/docker-entrypoint-initdb.d/init.sql", "data:/var/lib/mysql", "./gone:/x"]
secrets: { db-password: { file: db/password.txt }, other: { external: true } }
`;
  const MORE = { 'db/init.sql': '', 'db/password.txt': '', 'conf/web.toml': '' };

  test('has the files, the secrets and the command of the compose file', () => {
    const { service } = repository(WHOLE, MORE);

    expect(service?.files).toEqual({ '/etc/web.toml': 'conf/web.toml' });
    expect(service?.needs?.[0]).toMatchObject({
      command: ['mysqld', '--max-connections=300', '--sql-mode=A B'],
      files: {
        '/docker-entrypoint-initdb.d/init.sql': 'db/init.sql',
        '/run/secrets/db-password': 'db/password.txt',
      },
      environment: { MYSQL_ROOT_PASSWORD_FILE: '/run/secrets/db-password', MYSQL_PASSWORD: 'example' },
      ready: {
        check: { kind: 'command', command: ['sh', '-c', 'mysqladmin ping --silent --host="$HOST" --port="$PORT"'] },
      },
    });
  });

  test.each([
    ['.env.web', 'NAME=shop # what\nEMPTY=\n', '.env.web', {}],
    ['.env.web-sample', 'NAME="shop"\nSECRET=<your secret>\n', '.env.web-sample', { SECRET: 'example' }],
  ])('has the values of the file for its environment, or of the example for it: %s', (path, text, from, madeUp) => {
    const { service, proposals } = repository(`${web('{ A: "1" }')}    env_file: .env.web\n`, { [path]: text });

    expect(service?.environment).toEqual({ A: '1', NAME: 'shop', ...madeUp });
    expect(proposals[0]).toMatchObject({ settingsFrom: [from], madeUp: Object.keys(madeUp), leftOut: [] });
  });

  test('can write where a volume keeps its data; another one is named', () => {
    const { service, proposals } = repository(
      `${web('{}')}    volumes: ["a:/app/data", "b:/srv/x", "/app/node_modules"]\n  db: { image: redis, volumes: ["c:/data"] }\n`,
    );

    expect(service?.tmpfs).toEqual(['/app/data']);
    expect(proposals[0]?.leftOut).toEqual([
      { name: 'volume b of web', why: 'if the service writes to /srv/x, add it to `tmpfs`' },
    ]);
  });

  test('has its data in no folder that the repository lacks', () => {
    const { proposals } = repository(`${web('{}')}  db: { image: mysql, volumes: ["./.data/db:/var/lib/mysql"] }\n`);

    expect(proposals[0].leftOut).toEqual([]);
  });

  test('can write where Docker mounts a folder that the repository does not have', () => {
    const { service, proposals } = repository(
      `${web('{}')}    volumes: ["./docker_data:/app/x", "./gone.toml:/app/y"]\n`,
    );

    expect(service?.tmpfs).toEqual(['/app/x']);
    expect(proposals[0]?.leftOut).toEqual([
      { name: 'volume ./gone.toml of web', why: 'the repository does not have it' },
    ]);
  });

  test('gets its port by the variable that an example has for it', () => {
    const { service } = proposed({
      'Cargo.toml': '[package]\nname = "shop"\n[dependencies]\naxum = "0.8"\n',
      'src/main.rs': 'fn main() { let c: Config = envy::from_env(); }\n',
      '.env.example': 'SERVER_PORT=8080\n',
    });

    expect(service?.process?.command).toEqual(['sh', '-c', 'SERVER_PORT="$PORT" exec target/release/shop']);
  });

  test('is reached by what an example says of this machine', () => {
    const { service } = proposed({
      'package.json': '{ "scripts": { "start": "node a.js" }, "dependencies": { "express": "5.0.0" } }',
      '.env.example':
        'DB_HOST=localhost\nDB_PORT=5432\nURL=postgres://a:b@localhost:5432/localhost\nOTHER=http://localhost:9000\nAPI_HOST=localhost\n',
      'docker-compose.yml': 'services:\n  db: { image: "postgres:17" }\n',
    });

    expect(service?.environment).toEqual({
      DB_HOST: '${needs.db.host}',
      DB_PORT: '${needs.db.port}',
      URL: 'postgres://a:b@${needs.db.host}:${needs.db.port}/localhost',
      OTHER: 'http://localhost:9000',
      API_HOST: 'localhost',
    });
  });

  test('is taken from the file for developers if there is no usual one', () => {
    const files = {
      'package.json': JSON.stringify({ scripts: { start: 'node a.js' }, dependencies: { express: '5.0.0' } }),
      'docker-compose.dev.yml': 'services: { db: { image: "postgres:17" } }',
      'docker-compose.test.yml': 'services: { other: { image: "postgres:17" } }',
    };

    expect(proposed(files).service?.needs?.map(({ name }) => name)).toEqual(['db']);
  });

  test('is reached by its port where an address has none', () => {
    const addresses =
      '{ DB: "postgres://a:b@db/shop", CACHE: "redis://cache", NODE: db, DB_NAME: db, WEB: "http://web/db" }';
    const { service } = repository(`${web(addresses)}  db: { image: "postgres:17" }\n  cache: { image: "redis:7" }\n`);

    expect(service?.environment).toEqual({
      DB: 'postgres://a:b@${needs.db.host}:${needs.db.port}/shop',
      CACHE: 'redis://${needs.cache.host}:${needs.cache.port}',
      NODE: '${needs.db.host}',
      DB_NAME: 'db',
      WEB: 'http://web/db',
    });
  });

  test('is reached by a host of this machine next to a port that leads there', () => {
    const { service } = repository(`${web('{ DB_HOST: localhost, DB_PORT: "5432" }')}  db: { image: "postgres:17" }\n`);

    expect(service?.environment).toEqual({ DB_HOST: '${needs.db.host}', DB_PORT: '${needs.db.port}' });
  });

  test('is started and filled as a plain process, too', () => {
    const volumes = '[./schema.sql:/docker-entrypoint-initdb.d/1.sql, ./seeds:/docker-entrypoint-initdb.d]';
    const { service, text } = repository(`${web('{}')}  db: { image: "postgres:17", volumes: ${volumes} }\n`, {
      'schema.sql': '',
      'seeds/items.sql': '',
    });
    const script = service?.needs?.[0]?.process?.command.at(-1);

    expect(script).toContain('for file in "$root"/schema.sql "$root"/seeds/*.sql; do');
    expect(text).toContain('            - |-\n              set -e\n');
  });

  test('is filled by the migrations of a folder, unless a program runs them itself', () => {
    const texts = { 'db/10_c.up.sql': '', 'db/2_b d.up.sql': '', 'db/1_a.up.sql': '', 'db/1_a.down.sql': '' };
    const filled = (more: Texts, command = '') =>
      repository(`${web('{}')}${command}  db: { image: "postgres:17" }\n`, {
        ...texts,
        ...more,
      });
    const needed = (more: Texts, command?: string) => filled(more, command).service?.needs?.[0];

    expect(Object.entries(needed({ Makefile: 'go get github.com/golang-migrate/migrate/v4' })?.files ?? {})).toEqual([
      ['/docker-entrypoint-initdb.d/0001_1_a.up.sql', 'db/1_a.up.sql'],
      ['/docker-entrypoint-initdb.d/0002_2_b d.up.sql', 'db/2_b d.up.sql'],
      ['/docker-entrypoint-initdb.d/0003_10_c.up.sql', 'db/10_c.up.sql'],
    ]);
    expect(needed({})?.process?.command.at(-1)).toContain(
      `"$root"/db/1_a.up.sql "$root"/'db/2_b d.up.sql' "$root"/db/10_c.up.sql; do`,
    );
    expect(filled({}).proposals[0].leftOut).toContainEqual({
      name: 'later migrations of db',
      why: '`files` has the current ones: add each new one',
    });
    expect(needed({ 'main.go': 'import "github.com/golang-migrate/migrate/v4"' })?.files ?? {}).toEqual({});
    expect(needed({ 'start.sh': 'migrate -path db -database "$DB" up\nexec ./shop' })?.files ?? {}).toEqual({});
    expect(needed({ Dockerfile: 'FROM go\nCMD migrate -path db up && ./shop' })?.files ?? {}).toEqual({});
    const byCommand = needed({}, '    command: sh -c "migrate -path db up && ./shop"\n');
    expect(byCommand?.files ?? {}).toEqual({});
    expect(byCommand?.process?.command.at(-1)).toContain('"$root"/db/1_a.up.sql');
    expect(needed({ 'main.go': 'import "github.com/uptrace/bun/migrate"' })?.files ?? {}).toEqual({});
    expect(needed({ 'main.rs': 'use sqlx::migrate::Migrator;' })?.files ?? {}).toEqual({});
    expect(needed({ 'other/3_c.up.sql': '' })?.files ?? {}).toEqual({});
    const many = Object.fromEntries(Array.from({ length: MAX_MIGRATIONS }, (_, at) => [`db/${at}.up.sql`, '']));
    expect(needed(many)?.files ?? {}).toEqual({});
  });

  test('is filled by the migrations of Diesel, unless its program runs them', () => {
    const filled = (source: string) =>
      repository(`${web('{}')}  db: { image: "postgres:17" }\n`, {
        'migrations/2021-10-24_items/up.sql': '',
        'migrations/2021-10-21_users/up.sql': '',
        'src/main.rs': source,
      }).service?.needs?.[0]?.files;

    expect(filled('')).toEqual({
      '/docker-entrypoint-initdb.d/0001_up.sql': 'migrations/2021-10-21_users/up.sql',
      '/docker-entrypoint-initdb.d/0002_up.sql': 'migrations/2021-10-24_items/up.sql',
    });
    for (const source of [
      'const ALL: EmbeddedMigrations = embed_migrations!();',
      'connection.run_pending_migrations(found)?;',
      'let found = FileBasedMigrations::find_migrations_directory()?;',
    ]) {
      expect(filled(source) ?? {}).toEqual({});
    }
  });

  test('lets root of a plain MariaDB in with its password, which none of the addresses of the server has', () => {
    const { service } = repository(`${web('{}')}  db: { image: "mariadb:11" }\n`);

    expect(service?.needs?.[0]?.process?.command.at(-1)).toMatch(
      /DROP USER IF EXISTS '\$own'@'127\.0\.0\.1'; CREATE USER/,
    );
  });

  test('is named with all that is not carried over', () => {
    expect(repository(WHOLE, MORE).proposals[0]?.leftOut).toEqual([
      { name: 'volume . of web', why: 'the image has the sources' },
      {
        name: 'env_file .env.web of web',
        why: 'it is not in git: add the variables that the service needs to `environment`',
      },
      {
        name: 'env_file ./more.env of web',
        why: 'it is not in git: add the variables that the service needs to `environment`',
      },
      { name: 'volume ./gone of db', why: 'the repository does not have it' },
      { name: 'secret other of db', why: 'the repository does not have its file' },
    ]);
  });

  test('is that of the file and of what overrides it; other compose files are named', () => {
    const { service, proposals } = repository(`${web('{ A: "1", B: "1" }')}  db: { image: "postgres:17" }\n`, {
      'docker-compose.override.yml':
        'services:\n  web: { ports: ["80:9000"], environment: ["B=2"] }\n  db: { environment: { POSTGRES_PASSWORD: b } }\n',
      'docker-compose.prod.yml': 'services: {}\n',
    });

    expect(service).toMatchObject({ port: 9000, environment: { A: '1', B: '2' } });
    expect(service?.needs?.[0]?.environment).toEqual({ POSTGRES_PASSWORD: 'b' });
    expect(proposals[0]?.leftOut).toEqual([
      { name: 'docker-compose.prod.yml', why: 'init reads only one compose file and its overrides' },
    ]);
  });

  test.each([
    ['valkey/valkey:8', 6379],
    ['docker.io/bitnami/redis', 6379],
    ['mariadb:10-focal', 3306],
    ['redislabs/redismod', 6379],
    ['confluentinc/cp-kafka:7.6.0', 9092],
    ['docker.redpanda.com/redpandadata/redpanda:v24', 9092],
    ['mcr.microsoft.com/mssql/server:2022-latest', 1433],
    ['docker.elastic.co/elasticsearch/elasticsearch:8.15.0', 9200],
    ['opensearchproject/opensearch:2', 9200],
    ['minio/minio', 9000],
    ['localstack/localstack', 4566],
  ])('with the image %s is known', (image, port) => {
    expect(repository(`${web('{}')}  db: { image: "${image}" }\n`).service?.needs?.[0]).toMatchObject({
      port,
      image: { reference: image },
    });
  });

  test('for searching has the settings of the compose file, whose names have dots, and no password', () => {
    const needed = (image: string, environment: string) => {
      const { proposals, service } = repository(
        `${web('{}')}  db: { image: "${image}", environment: ${environment} }\n`,
      );
      expect(proposals[0].leftOut).toEqual([]);
      return service?.needs?.[0];
    };
    const single = { 'discovery.type': 'single-node' };

    expect(needed('elasticsearch:8.15.0', '["cluster.name=shop", "xpack.security.enabled=true"]')).toMatchObject({
      environment: { ...single, 'cluster.name': 'shop', 'xpack.security.enabled': 'true' },
      ready: { check: { kind: 'path' } },
    });
    expect(needed('elasticsearch:8.15.0', '{ ELASTIC_PASSWORD: a }')).toMatchObject({
      environment: { ELASTIC_PASSWORD: 'a' },
      ready: { check: { kind: 'usual' } },
    });
    expect(needed('opensearchproject/opensearch:2', '{}')?.environment).toEqual({
      ...single,
      DISABLE_SECURITY_PLUGIN: 'true',
      DISABLE_INSTALL_DEMO_CONFIG: 'true',
    });
  });

  test('has a plain process only where one of its programs is installed', () => {
    const { proposals } = repository(`${web('{ A: more, B: cache, C: docs }')}  db: { image: "mysql:8" }
  more: { image: "postgres:17" }
  cache: { image: "valkey/valkey:8" }
  docs: { image: "mongo:7" }
`);
    const plain = (...installed: readonly string[]) =>
      withInstalled(proposals[0], (program) => installed.includes(program)).needs.flatMap(({ name, process }) =>
        process === undefined ? [] : [name],
      );

    expect(plain('mysqld', 'postgres', 'valkey-server')).toEqual(['db', 'more', 'cache']);
    expect(plain('mariadbd', 'redis-server')).toEqual(['db']);
    expect(plain('valkey-server')).toEqual(['cache']);
    expect(withInstalled(proposals[0], () => true)).toBe(proposals[0]);
  });

  test('is reached by each of its names', () => {
    const { service } = repository(
      `${web('{ A: "my_db:5432", B: kv, C: "nats://queue:4222" }')}  db: { image: "postgres:17", container_name: my_db }
  cache: { image: "redis:7", hostname: kv }
  mq: { image: "nats:2", networks: { inner: { aliases: [queue] } } }
`,
    );

    expect(service?.environment).toEqual({
      A: '${needs.db.host}:${needs.db.port}',
      B: '${needs.cache.host}',
      C: 'nats://${needs.mq.host}:${needs.mq.port}',
    });
  });

  test('has its configurations, its folders in memory and names of .NET', () => {
    const { service, proposals } = repository(
      `${web('{ "Shop:Key": a, "A-B": c }')}    configs: [app, { source: app, target: /etc/b.yml }, gone]
    tmpfs: ["/run/cache:size=1m"]
  db: { image: "redis:7" }
configs: { app: { file: app.yml }, gone: { content: x } }
`,
      { 'app.yml': '' },
    );

    expect(service).toMatchObject({
      files: { '/app': 'app.yml', '/etc/b.yml': 'app.yml' },
      tmpfs: ['/run/cache'],
      environment: { Shop__Key: 'a' },
    });
    expect(proposals[0].leftOut).toEqual([
      { name: 'config gone of web', why: 'the repository does not have its file' },
      { name: 'variable A-B of web', why: 'a configuration cannot have its name or its value' },
    ]);
  });

  test.each(['acme/queue', 'bitnami/kafka:3.7'])('of the unknown image %s is named, too', (image) => {
    const { proposals } = repository(`${web('{ KAFKA_URL: "kafka://db:9092" }')}  db: { image: "${image}" }\n`);

    expect(proposals[0]?.needs).toEqual([]);
    expect(proposals[0]?.leftOut).toEqual([{ name: 'db', why: `init does not know what its image ${image} needs` }]);
  });

  test('is reached by its host alone, even if others have the same name', () => {
    const { service } = repository(
      `${web('{ URL: "postgres://db:db@db:5432/db", LIST: "a:1,db:5432", PLAIN: db, GO: "root:x@tcp(db:5432)/db", DSN: "host=db port=5432 dbname=db", NET: "Server=db;Database=db" }')}  db: { image: "postgres:17" }\n`,
    );

    expect(service?.environment).toEqual({
      URL: 'postgres://db:db@${needs.db.host}:${needs.db.port}/db',
      LIST: 'a:1,${needs.db.host}:${needs.db.port}',
      PLAIN: '${needs.db.host}',
      GO: 'root:x@tcp(${needs.db.host}:${needs.db.port})/db',
      DSN: 'host=${needs.db.host} port=${needs.db.port} dbname=db',
      NET: 'Server=${needs.db.host};Database=db',
    });
  });
});

test.each([
  ['FLASK_SERVER_PORT=9091', 9091],
  ['ASPNETCORE_URLS=http://+:8000', 8000],
  ['SERVER_PORT=7000', 7000],
  ['LISTEN_ADDR=0.0.0.0:7001', 7001],
  ['PORT=7002', 7002],
  ['server.port=7003', 7003],
  ['SHOP_LISTEN_ADDR=:7004', 7004],
  ['MYSHOP_PORT=7005', 7005],
  ['DB_PORT=5432', 8080],
  ['SHOP_METRICS_PORT=7006', 8080],
  ['ORDERS_ADDR=orders:7007', 8080],
  ['SHOP_REDIS_PORT=6379', 8080],
])('the port of a service is that which compose gives it: %s', (setting, port) => {
  const { service } = proposed({
    'app/Dockerfile': 'FROM python\n',
    'compose.yaml': `services:\n  web: { build: app, environment: ["${setting}"] }\n`,
  });

  expect(service?.port).toBe(port);
});

test('a service and its database get the same placeholder', () => {
  const { service } = proposed({
    'package.json': '{ "scripts": { "start": "node a.js" }, "dependencies": { "express": "5.0.0" } }',
    Dockerfile: 'FROM node:24',
    '.env.example': 'DB_PASSWORD=change-me\nDSN=host=db password=change-me\n',
    'compose.yml': `services:
  web: { build: ., env_file: .env, depends_on: [db] }
  db: { image: "postgres:17", environment: { POSTGRES_PASSWORD: "\${DB_PASSWORD}" } }
`,
  });

  expect(service?.environment).toMatchObject({ DSN: expect.stringContaining('password=change-me') });
  expect(service?.needs?.[0]?.environment).toMatchObject({ POSTGRES_PASSWORD: 'change-me' });
});

test('placeholders of a file of examples are not values, and secrets get one that is named', () => {
  const example = [
    'DATABASE_URL=postgres://app:{password}@localhost/shop',
    'HMAC_KEY="{random-string}"',
    'API_KEY=<your key here>',
    'SECRET=changeme',
    'TOKEN=your-token',
    'LEVEL=info',
    'FORMAT={"a":1}',
  ].join('\n');
  const { service, proposals, text } = proposed({
    'package.json': JSON.stringify({ scripts: { start: 'node a.js' }, dependencies: { express: '5.0.0' } }),
    '.env.example': example,
  });

  const secrets = { HMAC_KEY: 'example', API_KEY: 'example', SECRET: 'changeme', TOKEN: 'your-token' };
  expect(service?.environment).toEqual({ LEVEL: 'info', FORMAT: '{"a":1}', ...secrets });
  expect(text).toContain('Placeholder values for variables that come from elsewhere: HMAC_KEY, API_KEY, SECRET, TOKEN');
  expect(proposals[0].leftOut).toEqual([
    { name: 'DATABASE_URL of .env.example', why: expect.stringContaining('placeholders') },
  ]);
});

test('what leads to databases of this machine is named, unless it is a need', () => {
  const { proposals } = proposed({
    'package.json': JSON.stringify({ scripts: { start: 'node a.js' }, dependencies: { express: '5.0.0' } }),
    '.env.example':
      'DATABASE_URL=postgresql+asyncpg://a:b@localhost/shop\nREDIS_HOST=127.0.0.1\nSITE=http://localhost:5173\nDB_HOST=localhost\nDB_PORT=3306\n',
    'compose.yaml': 'services: { db: { image: "mysql:8" } }\n',
  });

  expect(proposals[0].leftOut).toEqual([
    { name: 'DATABASE_URL, REDIS_HOST', why: 'leads to this machine: start what listens there, or add it to `needs`' },
  ]);
});

test('a runtime with mounted sources replaces the image of their Dockerfile, with its environment', () => {
  const { service, proposals } = proposed({
    'compose.yaml':
      'services:\n  app:\n    image: node:22-alpine\n    command: sh -c "yarn install && yarn run dev"\n    ports: ["127.0.0.1:3000:3000"]\n    volumes: ["./:/app"]\n    environment: { MYSQL_HOST: mysql }\n  mysql:\n    image: mysql:8.0\n    environment: { MYSQL_ROOT_PASSWORD: secret }\n',
    Dockerfile: 'FROM node\nCOPY . .\nCMD ["node", "src/index.js"]\n',
    'package.json': '{"dependencies":{"express":"5"}}',
    'src/index.js': 'app.get("/items", list)',
  });

  expect([service?.name, service?.port, service?.environment, proposals[0].command]).toEqual([
    'app',
    3000,
    { MYSQL_HOST: '${needs.mysql.host}' },
    undefined,
  ]);
});

test('a store that is built from a known image is needed as that image, with the files that are copied into it', () => {
  const { service } = proposed({
    'compose.yaml':
      'services:\n  web: { build: ., ports: ["80:80"], depends_on: [db] }\n  db: { build: ./db, environment: { POSTGRES_USER: shop } }\n',
    Dockerfile: 'FROM node\n',
    'db/Dockerfile': 'FROM postgres:16\nADD create.sql /docker-entrypoint-initdb.d\n',
  });

  expect(service?.needs?.map(({ name, image, files }) => [name, image, files])).toEqual([
    ['db', { reference: 'postgres:16' }, { '/docker-entrypoint-initdb.d/create.sql': 'db/create.sql' }],
  ]);
});

test('a command does not watch the sources', () => {
  const { service } = proposed({
    'compose.yaml': 'services:\n  web: { build: ., command: "uvicorn app:app --reload --port 8000" }\n',
    Dockerfile: 'FROM python\n',
  });

  expect(service?.command).toEqual(['uvicorn', 'app:app', '--port', '8000']);
});
