import { expect, test } from 'vitest';
import { withInstalled } from '../../../../../src/commands/init/services/needs.ts';
import { proposed, type Texts } from '../services/repositories.ts';

const NODE = {
  'package.json': JSON.stringify({ scripts: { start: 'node a.js' }, dependencies: { express: '5.0.0' } }),
  Dockerfile: 'FROM node\nEXPOSE 3000\n',
};

const web = (entry: string, more = '') => `services:\n  web: { build: ., depends_on: [db], ${entry} }\n${more}`;

test.each(['${DB_CONTAINER}', '${DB_CONTAINER:-}'])('a container name without a value names no need: %s', (name) => {
  const { service } = proposed({
    ...NODE,
    'compose.yaml': web(
      'environment: { JWT_SECRET: "${JWT_SECRET}", URL: "redis://db", EMPTY: "" }',
      `  db: { image: "redis:8", container_name: "${name}" }\n`,
    ),
  });

  expect(service?.environment).toEqual({
    JWT_SECRET: 'example',
    URL: 'redis://${needs.db.host}:${needs.db.port}',
    EMPTY: '',
  });
});

test('folders in memory are written once, without the one that each container has', () => {
  const { service } = proposed({
    ...NODE,
    'compose.yaml': web('tmpfs: [/tmp, /run/a]'),
    'compose.override.yaml': 'services: { web: { tmpfs: [/run/a/, /run/b] } }\n',
  });

  expect(service?.tmpfs).toEqual(['/run/a', '/run/b']);
});

test('the last value of a variable counts', () => {
  const { service, proposals } = proposed({
    ...NODE,
    'compose.yaml': web('environment: ["A=${X:-${Y}}", "B=1", "=x"]'),
    'compose.override.yaml': 'services: { web: { environment: ["A=2", "B=${X:-${Y}}"] } }\n',
  });

  expect(service?.environment).toEqual({ A: '2' });
  expect(proposals[0].leftOut).toEqual([
    { name: 'variable B of web', why: 'a configuration cannot have its name or its value' },
  ]);
});

const BOOT = { 'pom.xml': '<project>org.springframework.boot<artifactId>shop</artifactId></project>' };
const DOTTED = 'environment: { spring.datasource.url: "jdbc:postgresql://db/x" }, env_file: my.env';

test.each<[string, Texts]>([
  ['Maven', BOOT],
  ['Gradle', { 'build.gradle': "plugins { id 'org.springframework.boot' }" }],
])('names with dots have the form that a shell passes to a JVM: %s', (_, build) => {
  const { service, proposals } = proposed({
    ...build,
    Dockerfile: 'FROM x\n',
    'my.env': 'spring.jpa.show-sql=true\nspring.datasource.password=changeme\nlogging.level.root=WARN\n',
    'compose.yaml': web(DOTTED, '  db: { image: "postgres:17" }\n'),
  });

  expect(service?.environment).toEqual({
    SPRING_DATASOURCE_URL: 'jdbc:postgresql://${needs.db.host}:${needs.db.port}/x',
    SPRING_DATASOURCE_PASSWORD: 'changeme',
    LOGGING_LEVEL_ROOT: 'WARN',
  });
  expect(proposals[0].leftOut).toEqual([]);
  expect(proposals[0].madeUp).toEqual(['SPRING_DATASOURCE_PASSWORD']);
});

test('names with dots that a shell does not pass to another program are named', () => {
  const texts = { Dockerfile: 'FROM x\n', 'compose.yaml': web('environment: { app.level: info }') };
  const python = proposed({
    ...texts,
    'requirements.txt': 'flask\n',
    'app.py': 'from flask import Flask\napp = Flask(__name__)\n',
  });

  expect(python.service?.environment).toEqual({ 'app.level': 'info' });
  expect(python.proposals[0].leftOut).toEqual([
    { name: 'variable app.level of the process', why: expect.stringContaining('a shell does not pass') },
  ]);
  expect(proposed(texts).proposals[0]).toMatchObject({ environment: { 'app.level': 'info' }, leftOut: [] });
});

test('an image of Bitnami keeps its plain process, since its container does not start', () => {
  const { proposals } = proposed({
    ...NODE,
    'compose.yaml': web('environment: {}', '  db: { image: "bitnamilegacy/postgresql:17" }\n'),
  });

  expect(proposals[0].needs[0]?.process).toBeDefined();
  expect(withInstalled(proposals[0], () => false)).toBe(proposals[0]);
});
