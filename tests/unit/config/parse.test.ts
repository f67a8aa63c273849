import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseService, parseSuite } from '../../../src/config/parse.ts';
import { ConfigError } from '../../../src/core/errors.ts';

const users = readFileSync('suites/users.yml', 'utf8');
const manifest = `name: mine
title: Mine
protocol: rest
port: 5000
image: { context: ., dockerfile: Dockerfile }
process: { command: [python, app.py] }
`;

function complaint(parse: () => unknown): string {
  try {
    parse();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError);
    return (thrown as ConfigError).message;
  }
  throw new Error('nothing was refused');
}

const suite = (text: string) => () => parseSuite({ file: 'suites/mine.yml', text });
const service = (text: string) => () => parseService({ file: 'services/mine/service.yml', text }, () => ({}));

describe('parseSuite', () => {
  test('reads the suite of the study', () => {
    const found = suite(users)();

    expect(found.operations.map(({ name, bindings }) => [name, bindings])).toEqual([
      ['GetUser', { rest: 'GET /user/{id}', grpc: 'user.v1.UserService/GetUser' }],
      ['ListUsers', { rest: 'GET /users', grpc: 'user.v1.UserService/ListUsers' }],
    ]);
    expect(found.tiers.map((tier) => [tier.users, tier.spawnPerSecond])).toEqual([
      [100, 10],
      [500, 50],
      [1000, 100],
    ]);
  });

  test.each([
    [
      'broken YAML',
      users.replace('services: [rest, grpc]', 'services: [rest, grpc'),
      /^suites\/mine\.yml:\d+: is not valid YAML/,
    ],
    [
      'an unknown key',
      `${users}colour: red\n`,
      new RegExp(`:${users.split('\n').length}: colour: is no key here; known are name, title, .*, policy$`),
    ],
    ['the version of a later layout', `version: 2\n${users}`, /mine\.yml:1: version: is no key here; known are name/],
    [
      'a misspelt key, rather than the one that is missing for it',
      users.replace('\ntiers:', '\nteirs:'),
      /mine\.yml:\d+: teirs: is no key here; did you mean tiers\?$/,
    ],
    [
      'a misspelt key of a tier',
      users.replace('users: 500', 'user: 500'),
      /mine\.yml:\d+: tiers\.1\.user: is no key here; did you mean users\?$/,
    ],
    ['a key that is missing', users.replace(/^title:.*\n/m, ''), /mine\.yml:2: title: is missing$/],
    [
      'shares that do not add up',
      users.replace('share: 0.75', 'share: 0.7'),
      /operations: has shares that do not add up to 1/,
    ],
    [
      'a negative think time',
      users.replace('thinkSeconds: 0.3', 'thinkSeconds: -1'),
      /suites\/mine\.yml:\d+: tiers\.0\.thinkSeconds/,
    ],
    ['a tier twice', users.replace('name: medium', 'name: low'), /names a tier twice/],
    ['an operation called all', users.replace('name: ListUsers', 'name: all'), /must not be "all"/],
    ['a binding that is no request', users.replace('GET /users', 'users'), /must be a method and a path/],
    ['nothing at all', '', /the file/],
  ])('refuses %s, with the place', (_what, text, message) => {
    expect(complaint(suite(text))).toMatch(message);
  });

  test('names the line of the value that is wrong', () => {
    const line = users.split('\n').findIndex((one) => one.includes('name: high')) + 1;

    expect(complaint(suite(users.replace('users: 1000', 'users: none')))).toContain(`suites/mine.yml:${line}:`);
  });
});

test('says what to do where a file may be of another version', () => {
  expect(suite(`version: 2\n${users}`)).toThrow(
    expect.objectContaining({ next: expect.stringContaining('`uses: wiregauge/wiregauge@<version>`') }),
  );
});

test('names the line of the key that is misspelt, not that of its map', () => {
  const line = users.split('\n').findIndex((one) => one.startsWith('tiers:')) + 1;

  expect(complaint(suite(users.replace('\ntiers:', '\nteirs:')))).toContain(`suites/mine.yml:${line}: teirs`);
});

describe('parseService', () => {
  test('fills in what a short manifest leaves out', () => {
    const found = service(manifest)();

    expect(found.environment).toEqual({});
    expect(found.process).toEqual({ build: [], command: ['python', 'app.py'] });
  });

  test('makes text of environment values, which YAML may read as numbers or booleans', () => {
    expect(service(`${manifest}environment: { WORKERS: 2, DEBUG: true }\n`)().environment).toEqual({
      WORKERS: '2',
      DEBUG: 'true',
    });
  });

  test.each([
    [
      'a path that leads out of the repository',
      manifest.replace('Dockerfile', '../Dockerfile'),
      /image\.dockerfile: must be a path inside/,
    ],
    ['an unknown protocol', manifest.replace('rest', 'soap'), /service\.yml:3: protocol/],
    ['a port that is none', manifest.replace('5000', '70000'), /service\.yml:4: port/],
    ['a gRPC service without a contract', manifest.replace('rest', 'grpc'), /proto: is missing/],
    [
      'a contract that is not there',
      `${manifest}proto: { root: proto, file: a.proto }\n`,
      /there is no proto\/a\.proto/,
    ],
  ])('refuses %s', (_what, text, message) => {
    expect(complaint(service(text))).toMatch(message);
  });
});
