import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gitIn } from '../../integration/git-repository.ts';

/** For readers a version, for the engine a digest. */
const PINNED = /^[a-z0-9./-]+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/;

const FILES = gitIn('.', 'ls-files', '--cached', '--others', '--exclude-standard').split('\n');
const DOCKERFILES = FILES.filter((file) => /(^|\/)Dockerfile$/.test(file) && !file.startsWith('tests/'));
/** Configurations and workflows, those of the examples too. */
const YAML = FILES.filter((file) => /^(\.github|examples|services|suites)\/.*\.ya?ml$/.test(file));

/** The images that the stages of a Dockerfile start from, with the defaults of their arguments; not other stages, nor `scratch`. */
function basesIn(text: string): readonly string[] {
  const defaults = new Map([...text.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]));
  const stages = [...text.matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)];
  const names = new Set(['scratch', ...stages.map(([, , name]) => name)]);
  return stages
    .map(([, from = '']) => from.replace(/\$\{(\w+)\}/, (_, name: string) => defaults.get(name) ?? ''))
    .filter((from) => !names.has(from));
}

/** The images that are started by their names: of a service, of a need, of a job. */
function imagesIn(text: string): readonly string[] {
  const named = text.matchAll(/^\s*(?:- )?(?:image|container): *"?([^\s"{}]+)"?$/gm);
  const actions = text.matchAll(/uses: docker:\/\/(\S+)/g);
  return [...named, ...actions].map(([, image = '']) => image);
}

const NAMED = [
  ...DOCKERFILES.flatMap((file) => basesIn(readFileSync(file, 'utf8')).map((image) => ({ file, image }))),
  ...YAML.flatMap((file) => imagesIn(readFileSync(file, 'utf8')).map((image) => ({ file, image }))),
];

test('every image that is built from or started is named by its version and its digest', () => {
  expect(NAMED.filter(({ image }) => !PINNED.test(image))).toEqual([]);
});

test('all that name images are looked at', () => {
  const files = new Set(NAMED.map(({ file }) => file));

  expect([...files].sort()).toEqual([
    'Dockerfile',
    'demo/base/Dockerfile',
    'demo/head/Dockerfile',
    'examples/go-grpc/Dockerfile',
    'examples/java-spring/Dockerfile',
    'examples/java-wiremock/Dockerfile',
    'examples/nats-monitoring/Dockerfile',
    'examples/nginx-files/Dockerfile',
    'examples/node-postgresql/Dockerfile',
    'examples/node-postgresql/wiregauge.yml',
    'examples/own-service/services/shop/Dockerfile',
    'examples/python-fastapi/Dockerfile',
    'services/layers/rust/Dockerfile',
    'services/users/java-grpc/Dockerfile',
    'services/users/java-spring/Dockerfile',
    'services/users/node-express/Dockerfile',
    'services/users/node-fastify/Dockerfile',
    'services/users/node-grpc/Dockerfile',
    'tools/games-database/Dockerfile',
    'tools/users-store/postgresql/Dockerfile',
    'tools/users-store/redis/Dockerfile',
  ]);
});

test('the same image has the same digest everywhere', () => {
  const names = new Set(NAMED.map(({ image }) => image));

  expect(names.size).toBe(new Set([...names].map((image) => image.split(':')[0])).size);
});

test('the bot that updates digests finds those that are in a wiregauge.yml', () => {
  const { customManagers } = JSON.parse(readFileSync('.github/renovate.json', 'utf8'));
  const [{ managerFilePatterns, matchStrings }] = customManagers;
  const files = new RegExp(managerFilePatterns[0].slice(1, -1));
  const image = new RegExp(matchStrings[0]);
  const inYaml = NAMED.filter(({ file }) => file.endsWith('.yml'));

  for (const { file, image: name } of inYaml) {
    expect(file).toMatch(files);
    const { groups } = image.exec(readFileSync(file, 'utf8')) ?? expect.unreachable(file);
    expect(`${groups?.['depName']}:${groups?.['currentValue']}@${groups?.['currentDigest']}`).toBe(name);
  }
  expect(inYaml.length).toBeGreaterThan(0);
});
