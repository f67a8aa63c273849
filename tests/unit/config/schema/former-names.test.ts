import { describe, expect, test } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';
import { formerTexts, withoutFormerNames } from '../../../../src/config/schema/former-names.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

const file = 'wiregauge.yml';

const project = (text: string) => parseProject({ file, text }).suite;

function refused(text: string): ConfigError {
  try {
    project(text);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError);
    return thrown as ConfigError;
  }
  return expect.unreachable('nothing was refused');
}

const BEFORE = `services:
  api: { protocol: rest, port: 80, image: api:1 }
  web:
    protocol: rest
    port: 80
    image: web:1
operations:
  - { name: GetUsers, rest: GET /users }
  - name: Search
    rest: GET /search
tiers:
  - { name: low, requestsPerSecond: 10, operations: [GetUsers] }
`;

const AFTER = `services:
  gateway: { protocol: rest, port: 80, image: api:1, wasNamed: [api] }
  web:
    protocol: rest
    port: 80
    image: web:1
operations:
  - { name: ListUsers, wasNamed: [GetUsers], rest: GET /users }
  - name: Find
    wasNamed:
      - Search
    rest: GET /search
tiers:
  - { name: low, requestsPerSecond: 10, operations: [ListUsers] }
`;

describe('former names', () => {
  test('are those of services and of operations', () => {
    expect(project(AFTER).wasNamed).toEqual({
      services: { gateway: ['api'] },
      operations: { ListUsers: ['GetUsers'], Find: ['Search'] },
    });
    expect(project(BEFORE)).not.toHaveProperty('wasNamed');
  });

  test('are united for an operation that several services have of their own', () => {
    const service = (name: string, former: string) =>
      `  ${name}: { protocol: rest, port: 80, image: a:1, operations: [{ name: List, wasNamed: [${former}], rest: GET / }] }\n`;

    expect(project(`services:\n${service('a', 'Index')}${service('b', 'All')}`).wasNamed?.operations).toEqual({
      List: ['Index', 'All'],
    });
  });

  test.each([
    [
      'a service that is still there',
      AFTER.replace('[api]', '[web]'),
      'wiregauge.yml:2:65: services.gateway.wasNamed.0: is the name of a current service, so it cannot be a former name',
      '  2 |   gateway: { protocol: rest, port: 80, image: api:1, wasNamed: [web] }\n    |                                                                 ^^^',
    ],
    [
      'itself',
      AFTER.replace('[api]', '[gateway]'),
      'wiregauge.yml:2:65: services.gateway.wasNamed.0: is the name of a current service',
      '^^^^^^^',
    ],
    [
      'an operation that is still there',
      AFTER.replace('[GetUsers]', '[Find]'),
      'operations.0.wasNamed.0: is the name of a current operation',
      '^^^^',
    ],
    [
      'what another service was named, too',
      AFTER.replace('image: web:1', 'image: web:1\n    wasNamed: [old, api]'),
      'wiregauge.yml:7:21: services.web.wasNamed.1: is also a former name of gateway',
      '^^^',
    ],
    [
      'what another operation was named, too',
      AFTER.replace('- Search', '- GetUsers'),
      'operations.1.wasNamed.0: is also a former name of ListUsers',
      '^^^^^^^^',
    ],
    ['no name', AFTER.replace('[api]', '["a b"]'), 'services.gateway.wasNamed.0: must be 1 to 80 letters', '^'],
    [
      'one name twice',
      AFTER.replace('[api]', '[api, api]'),
      'services.gateway.wasNamed: must not contain duplicates',
      '^',
    ],
    ['all operations', AFTER.replace('[GetUsers]', '[all]'), 'operations.0.wasNamed.0: must not be "all"', '^^^'],
    [
      'what has no name of its own',
      AFTER.replace('name: ListUsers, ', 'from: openapi.yaml, operationId: x, '),
      'operations.0.wasNamed: needs a `name`',
      '^',
    ],
  ])('may not be %s', (...[, text, message, frame]) => {
    const error = refused(text);

    expect(error.message).toContain(message);
    expect(error.framed).toContain(frame);
  });

  test('are reported all at once', () => {
    const { message } = refused(AFTER.replace('[api]', '[web]').replace('- Search', '- ListUsers'));

    expect(message).toContain('2 errors');
    expect(message).toContain('is the name of a current service');
    expect(message).toContain('is the name of a current operation');
  });
});

describe('a configuration with former names', () => {
  test('is the same as without saying them', () => {
    const plain = AFTER.replace(', wasNamed: [api]', '')
      .replace(' wasNamed: [GetUsers],', '')
      .replace('    wasNamed:\n      - Search\n', '');

    expect(withoutFormerNames(AFTER)).toBe(plain);
    expect(withoutFormerNames(BEFORE)).toBe(BEFORE);
  });

  test('leads back to what it was before nothing but names changed', () => {
    const { wasNamed } = project(AFTER);

    expect(wasNamed && formerTexts(AFTER, wasNamed)).toContain(BEFORE);
  });

  test('also matches if the former or the present name is used for something else', () => {
    const before =
      'services:\n  api: { protocol: rest, port: 80, image: gateway }\noperations: [{ name: A, rest: GET / }]\n';
    const after = before.replace('  api:', '  gateway:').replace(' }\nop', ', wasNamed: [api] }\nop');
    const { wasNamed } = project(after);

    expect(wasNamed && formerTexts(after, wasNamed)).toContain(before);
  });

  test('leads back over several renamings', () => {
    const text = (name: string, more: string) =>
      `services:\n  ${name}: { protocol: rest, port: 80, image: a:1${more} }\noperations: [{ name: A, rest: GET / }]\n`;
    const third = text('edge', ', wasNamed: [gateway, api]');
    const { wasNamed } = project(third);
    const former = wasNamed === undefined ? [] : formerTexts(third, wasNamed);

    expect(former).toEqual(expect.arrayContaining([text('gateway', ''), text('api', '')]));
    expect(former).not.toContain(text('edge', ''));
  });
});
