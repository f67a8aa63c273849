import { describe, expect, test } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

const GOOD = `services:
  api:
    protocol: rest
    port: 8080
    process: { command: [node, server.js] }
operations:
  - { name: GetUser, rest: GET /users }
tiers:
  - { name: low, users: 10, spawnPerSecond: 5, thinkSeconds: 1 }
`;

function refused(text: string): ConfigError {
  try {
    parseProject({ file: 'wiregauge.yml', text });
  } catch (thrown) {
    if (thrown instanceof ConfigError) {
      return thrown;
    }
    throw thrown;
  }
  throw new Error('the file was taken');
}

const changed = (from: string, to: string) => refused(GOOD.replace(from, to));

describe('a mistake of each kind has a plain message', () => {
  test.each([
    ['a kind', 'port: 8080', 'port: many', '4:5: services.api.port: must be a number'],
    ['a number in quotes', 'port: 8080', "port: '8080'", '4:5: services.api.port: must be a number, without quotes'],
    ['a broken number', 'port: 8080', 'port: 80.5', '4:5: services.api.port: must be a whole number'],
    ['a list', '[node, server.js]', 'node server.js', 'process.command: must be a list, like [node, server.js]'],
    [
      'kinds of which one would do',
      'port: 8080',
      'environment: { A: [1] }',
      '4:20: services.api.environment.A: must be a string, a number, or true or false',
    ],
    [
      'an enum',
      'protocol: rest',
      'protocol: soap',
      '3:5: services.api.protocol: must be one of rest, grpc, graphql, websocket',
    ],
    [
      'a misspelt value of an enum',
      'protocol: rest',
      'protocol: rets',
      '3:5: services.api.protocol: must be one of rest, grpc, graphql, websocket; did you mean rest?',
    ],
    [
      'an enum that is not there',
      'protocol: rest\n',
      '\n',
      '2:3: services.api.protocol: is missing; it must be one of rest, grpc, graphql, websocket',
    ],
    ['what is missing', 'port: 8080', 'needs: { db: { image: redis } }', 'services.api.needs.db.port: is missing'],
    ['too small a number', 'port: 8080', 'port: 0', '4:5: services.api.port: must be at least 1'],
    ['too large a number', 'port: 8080', 'port: 70000', '4:5: services.api.port: must be at most 65535'],
    ['a number that has to be above', 'users: 10', 'users: 0', 'tiers.0.users: must be above 0'],
    ['an empty text', 'port: 8080', "title: ''", '4:5: services.api.title: must not be empty'],
    [
      'a text that is too long',
      'port: 8080',
      `title: ${'x'.repeat(121)}`,
      '4:5: services.api.title: must have at most 120 characters',
    ],
    ['an empty list', /operations:\n.*/.exec(GOOD)?.[0] ?? '', 'operations: []', 'operations: must not be empty'],
    ['a pattern', 'name: GetUser', 'name: Get user', 'operations.0.name: must be 1 to 80 letters, digits, dots'],
    ['a name of a map', '  api:', '  my api:', '2:3: services.my api: must be 1 to 80 letters, digits, dots'],
  ])('%s', (...[, from, to, words]) => {
    const { message } = changed(from, to);

    expect(message).toContain(words);
    expect(message).not.toMatch(/Invalid|expected|received|Too |Unrecognized/);
  });

  test('all of them at once, in the order of the file', () => {
    const text = GOOD.replace('8080', '0').replace('name: low', 'name: lo w').replace('GetUser', 'Get User');

    expect(refused(text).message.split('\n').slice(0, 4)).toEqual([
      '3 errors:',
      'wiregauge.yml:4:5: services.api.port: must be at least 1 (WG-105)',
      expect.stringMatching(/^wiregauge\.yml:7:7: operations\.0\.name: /),
      expect.stringMatching(/^wiregauge\.yml:9:7: tiers\.0\.name: /),
    ]);
  });
});

test('each of several mistakes has its own code', () => {
  const { message, code } = refused(GOOD.replace('8080', '0').replace('tiers:', 'teirs:').replace('GET /', 'GETT /'));

  expect(code).toBe('WG-105');
  expect(message.match(/^wiregauge\.yml:.*/gm)).toEqual([
    expect.stringMatching(/services\.api\.port: must be at least 1 \(WG-105\)$/),
    expect.stringMatching(/operations\.0\.rest: GETT is not an HTTP method; did you mean GET\? \(WG-105\)$/),
    expect.stringMatching(/teirs: is an unknown key; did you mean tiers\? \(WG-104\)$/),
  ]);
});

describe('an unknown key', () => {
  test.each([
    ['tiers.0.rate', 'users: 10, spawnPerSecond: 5, thinkSeconds: 1', 'rate: 800', 'requestsPerSecond'],
    ['tiers.0.requests_per_second', 'users: 10', 'requests_per_second: 10', 'requestsPerSecond'],
    ['tiers.0.vus', 'users: 10', 'vus: 10', 'users'],
    ['services.api.env', 'port: 8080', 'env: { A: b }', 'environment'],
    ['services.api.healthcheck', 'port: 8080', 'healthcheck: /health', 'ready'],
    ['services.api.depends_on', 'port: 8080', 'depends_on: [db]', 'needs'],
    ['services.api.process.cmd', 'command:', 'cmd:', 'command'],
    ['stages', 'tiers:', 'stages:', 'tiers'],
    ['teirs', 'tiers:', 'teirs:', 'tiers'],
  ])('%s means another one', (...[path, from, to, meant]) => {
    expect(changed(from, to).message).toContain(`${path}: is an unknown key; did you mean ${meant}?`);
  });

  test('is a suggestion for the missing sibling, which is not reported', () => {
    expect(changed('command:', 'cmd:').message).not.toContain('is missing');
  });

  test('prefers a missing sibling to an optional one', () => {
    const { message } = changed('protocol: rest', 'prot: rest');

    expect(message).toBe('wiregauge.yml:3:5: services.api.prot: is an unknown key; did you mean protocol?');
  });

  test('is the only mistake reported for a map that lacks the correct key', () => {
    const { message } = changed('users: 10, spawnPerSecond: 5, thinkSeconds: 1', 'rate: 800');

    expect(message).toMatch(
      /^wiregauge\.yml:9:18: tiers\.0\.rate: is an unknown key; did you mean requestsPerSecond\?$/,
    );
  });

  test('without a similar key is reported with all known ones', () => {
    expect(changed('tiers:', 'color: red\ntiers:').message).toMatch(
      /color: is an unknown key; expected one of name, title/,
    );
  });
});

describe('in a terminal', () => {
  test('a mistake shows its line and the one before, with a mark below the place', () => {
    expect(changed('port: 8080', 'pott: 8080').framed).toBe(
      [
        'wiregauge.yml:4:5: services.api.pott: is an unknown key; did you mean port?',
        '  3 |     protocol: rest',
        '  4 |     pott: 8080',
        '    |     ^^^^',
      ].join('\n'),
    );
  });

  test('each of several has its lines, and shared advice is printed once', () => {
    const { framed = '', next } = refused(GOOD.replace('8080', '0').replace('users: 10', 'users: -1'));
    const text = framed.split('\n');

    expect(text.slice(0, 5)).toEqual([
      '2 errors:',
      'wiregauge.yml:4:5: services.api.port: must be at least 1 (WG-105)',
      '  3 |     protocol: rest',
      '  4 |     port: 0',
      '    |     ^^^^',
    ]);
    expect(text.slice(-3)).toEqual([
      '  8 | tiers:',
      '  9 |   - { name: low, users: -1, spawnPerSecond: 5, thinkSeconds: 1 }',
      '    |                  ^^^^^',
    ]);
    expect(next).toBe('All keys of this file: https://wiregauge.github.io/wiregauge/docs/config.html');
  });

  test('a long line is cut around the place', () => {
    const { framed = '' } = refused(GOOD.replace('port: 8080', `environment: { A: ${'x'.repeat(500)}, 1B: y }`));
    const [, line = '', mark = ''] = framed.split('\n').slice(-3);

    expect(line.length).toBeLessThanOrEqual(106);
    expect(line.slice(mark.indexOf('^'), mark.lastIndexOf('^') + 1)).toBe('1B');
  });

  test('a mistake of the whole file, and one of another file, has none', () => {
    expect(refused('').framed).toBeUndefined();
    expect(changed('rest: GET /users', 'from: openapi.yaml').framed).toContain('7 |   - { name: GetUser');
  });
});
