import { describe, expect, test } from 'vitest';
import { exposedPort } from '../../../../../src/commands/init/proposal/dockerfile.ts';
import { proposed } from './repositories.ts';

describe('the port of a Dockerfile', () => {
  test.each([
    ['FROM a\nEXPOSE 8080\nEXPOSE 8081\n', 8080],
    ['FROM a\nEXPOSE 443\nEXPOSE 80\n', 80],
    ['FROM a\nEXPOSE 443 8080\n', 8080],
    ['FROM a\nEXPOSE 8443\n', 8443],
    ['FROM a AS base\nEXPOSE 3000\nFROM base\nEXPOSE 4000 443\n', 4000],
    ['FROM a AS base\nEXPOSE 3000\nFROM base\n', 3000],
    ['FROM a\nENV PORT=5000\n', 5000],
  ])('is that of HTTP, of the last stage that has one: %j', (text, port) => {
    expect(exposedPort(text)).toBe(port);
  });
});

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
    ['{ POSTGRES_PASSWORD_FILE: /run/secrets/p }', { POSTGRES_HOST_AUTH_METHOD: 'trust' }],
  ])('starts with %s', (environment, expected) => {
    const { proposals } = repository(`${web('{}')}  db: { image: "postgres:17", environment: ${environment} }\n`);

    expect(proposals[0]?.needs[0]?.environment).toEqual(expected);
  });

  test('is named with all that is not carried over', () => {
    const { proposals } = repository(`${web('{}')}    env_file: [.env.web, { path: ./more.env }]
  db:
    image: mysql:9
    command: [mysqld, --max-connections=300]
    secrets: [db-password]
    environment: { MYSQL_ROOT_PASSWORD_FILE: /run/secrets/db-password }
    volumes: ["./db/init.sql:/docker-entrypoint-initdb.d/init.sql", "data:/var/lib/mysql"]
`);

    expect(proposals[0]?.needs[0]?.environment).toEqual({ MYSQL_ROOT_PASSWORD: 'example' });
    expect(proposals[0]?.leftOut).toEqual([
      { name: 'env_file of web', why: 'init does not carry over .env.web ./more.env' },
      { name: 'secrets of db', why: 'init does not carry over db-password' },
      { name: 'volumes of db', why: 'init does not carry over ./db/init.sql:/docker-entrypoint-initdb.d/init.sql' },
      { name: 'command of db', why: 'init does not carry over mysqld --max-connections=300' },
    ]);
  });

  test('that is not known is named, too', () => {
    const { proposals } = repository(
      `${web('{ KAFKA_URL: "kafka://db:9092" }')}  db: { image: redpandadata/redpanda }\n`,
    );

    expect(proposals[0]?.needs).toEqual([]);
    expect(proposals[0]?.leftOut).toEqual([
      { name: 'db', why: 'init does not know what its image redpandadata/redpanda needs' },
    ]);
  });

  test('is reached by its host alone, whatever else is called the same', () => {
    const { service } = repository(
      `${web('{ URL: "postgres://db:db@db:5432/db", LIST: "a:1,db:5432", PLAIN: db }')}  db: { image: "postgres:17" }\n`,
    );

    expect(service?.environment).toEqual({
      URL: 'postgres://db:db@${needs.db.host}:${needs.db.port}/db',
      LIST: 'a:1,${needs.db.host}:${needs.db.port}',
      PLAIN: '${needs.db.host}',
    });
  });
});

test('placeholders of a file of examples are not values', () => {
  const example = [
    'DATABASE_URL=postgres://app:{password}@localhost/shop',
    'HMAC_KEY="{random-string}"',
    'API_KEY=<your key here>',
    'SECRET=changeme',
    'TOKEN=your-token',
    'LEVEL=info',
    'FORMAT={"a":1}',
  ].join('\n');
  const { service } = proposed({
    'package.json': JSON.stringify({ scripts: { start: 'node a.js' }, dependencies: { express: '5.0.0' } }),
    '.env.example': example,
  });

  expect(service?.environment).toEqual({ LEVEL: 'info', FORMAT: '{"a":1}' });
});
