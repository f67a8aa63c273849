import { describe, expect, it } from 'vitest';
import { hasOwnDatabase } from '../../../../../src/commands/init/read/own-settings.ts';
import { proposed, type Texts } from '../services/repositories.ts';

const PACKAGE = JSON.stringify({ scripts: { start: 'node a.js' }, dependencies: { express: '5.0.0' } });

describe('example values for the environment', () => {
  it('are used as defaults, and say where they come from', () => {
    const example = `# copy it to .env
SECRET = "not # so secret"
export LEVEL=info   # or debug
EMPTY=
URL=http://\${HOST}/
PORT=3000
NODE_ENV=development
not a line
`;
    const { service, text } = proposed({ 'package.json': PACKAGE, '.env.example': example });

    expect(service?.environment).toEqual({ SECRET: 'not # so secret', LEVEL: 'info' });
    expect(text).toContain('# From .env.example.\n');
    expect(proposed({ 'package.json': PACKAGE, '.env.example': example, '.env': '' }).service?.environment).toEqual({});
  });

  it.each(['.env.sample', '.env-template', 'env.dist', '.example-env', 'sample.env'])('are in %s', (name) => {
    expect(proposed({ 'package.json': PACKAGE, [name]: 'A=b' }).service?.environment).toEqual({ A: 'b' });
  });

  it('are taken next to a compose file that gives none, by a program that reads its file itself', () => {
    const { service } = proposed({
      'go.mod': 'module shop\n',
      'main.go': 'package main\n\nfunc main() { godotenv.Load(".env") }\n',
      Dockerfile: 'FROM x',
      '.env.sample': 'DB_HOST=db\nLEVEL=info\n',
      'compose.yml':
        'services: { api: { build: ., depends_on: [db], environment: { LEVEL: debug } }, db: { image: "postgres:17" } }',
    });

    expect(service?.environment).toEqual({ DB_HOST: '${needs.db.host}', LEVEL: 'debug' });
  });

  it('name a need by the beginning of a variable without a port', () => {
    const { service } = proposed({
      'package.json': PACKAGE,
      '.env.example': 'REDIS_HOST=localhost\nMAIL_HOST=localhost\n',
      'compose.yml': 'services: { redis: { image: "redis:8" } }',
    });

    expect(service?.environment).toEqual({ REDIS_HOST: '${needs.redis.host}', MAIL_HOST: 'localhost' });
  });

  it('have something to sign with where it is empty', () => {
    const { service, text } = proposed({ 'package.json': PACKAGE, '.env.example': 'JWT_SECRET=\nDB_PASSWORD=\n' });

    expect(service?.environment).toEqual({ JWT_SECRET: 'example' });
    expect(text).toContain('Placeholder values for variables that come from elsewhere: JWT_SECRET');
  });

  it('give way to a compose file, and to none in another folder', () => {
    const compose = 'services: { api: { build: ., environment: { A: c } } }';
    const texts = { 'package.json': PACKAGE, Dockerfile: 'FROM x', '.env.example': 'A=b\nD=e' };

    expect(proposed({ ...texts, 'compose.yml': compose }).service?.environment).toEqual({ A: 'c' });
    expect(proposed({ 'package.json': PACKAGE, 'web/.env.example': 'A=b' }).service?.environment).toEqual({});
  });
});

const POM = (more: string): string =>
  `<project><parent><groupId>org.springframework.boot</groupId></parent><artifactId>stock</artifactId>${more}</project>`;

const H2 = (scope: string): string =>
  `<dependencies><dependency><groupId>com.h2database</groupId><artifactId>h2</artifactId><scope>${scope}</scope></dependency></dependencies>`;

const COMPOSE = `services:
  postgres: { image: "postgres:17" }
  redis: { image: "redis:8", profiles: [cache] }
`;

describe('databases of a compose file that does not name the program', () => {
  it.each<[string, Texts, readonly string[]]>([
    ['are needed', { 'pom.xml': POM('') }, ['postgres']],
    ['are for other occasions beside one in the program', { 'pom.xml': POM(H2('runtime')) }, []],
    ['are needed if that is for tests', { 'pom.xml': POM(H2('test')) }, ['postgres']],
    [
      'are needed if the settings name one',
      {
        'pom.xml': POM(H2('runtime')),
        'src/main/resources/application.properties': 'spring.datasource.url=jdbc:postgresql://x/y',
      },
      ['postgres'],
    ],
    [
      'are for other occasions beside a file',
      { 'requirements.txt': 'django', 'manage.py': 'import django', 'a/settings.py': "'default': 'sqlite:///db'" },
      [],
    ],
  ])('%s', (_, texts, needs) => {
    expect(proposed({ 'compose.yml': COMPOSE, ...texts }).service?.needs?.map(({ name }) => name) ?? []).toEqual(needs);
  });

  it('are known with Gradle, too', () => {
    const gradle = (line: string) => hasOwnDatabase({ folder: '', files: [{ path: 'build.gradle', text: line }] });

    expect(gradle("runtimeOnly 'com.h2database:h2'")).toBe(true);
    expect(gradle("testRuntimeOnly 'com.h2database:h2'")).toBe(false);
    expect(gradle("runtimeOnly 'org.postgresql:postgresql'")).toBe(false);
  });
});
