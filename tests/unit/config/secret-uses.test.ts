import { describe, expect, test } from 'vitest';
import { secretUsesIn } from '../../../src/config/secret-uses.ts';
import { ConfigError } from '../../../src/foundation/errors.ts';

const uses = (text: string) => secretUsesIn({ file: 'wiregauge.yml', text });

describe('secretUsesIn', () => {
  test('finds what each service and operation wants of the environment, and where', () => {
    const text = [
      'services:',
      '  api:',
      '    headers: { Authorization: "Bearer ${env.TOKEN}" }',
      '    tls: { ca: "${env.CA}" }',
      'operations:',
      '  - rest: { path: /, body: { user: "${env.USER_NAME}:${env.TOKEN}" } }',
      '',
    ].join('\n');

    expect(uses(text)).toEqual([
      {
        variable: 'TOKEN',
        place: 'wiregauge.yml:3:16: services.api.headers.Authorization',
        isPem: false,
        service: 'api',
      },
      { variable: 'CA', place: 'wiregauge.yml:4:12: services.api.tls.ca', isPem: true, service: 'api' },
      { variable: 'USER_NAME', place: 'wiregauge.yml:6:30: operations.0.rest.body.user', isPem: false },
      { variable: 'TOKEN', place: 'wiregauge.yml:6:30: operations.0.rest.body.user', isPem: false },
    ]);
  });

  test('is not misled by services and fields that have the names of keys', () => {
    const service = 'services: { tls: { headers: { A: "${env.TOKEN}" } } }';
    const field = 'operations: [{ name: A, rest: { path: /, body: { tls: "${env.TOKEN}" } } }]';

    expect([service, field].flatMap(uses)).toMatchObject([{ isPem: false }, { isPem: false }]);
    expect(uses('tls: { key: "${env.KEY}" }')).toMatchObject([{ isPem: true }]);
    expect(() => uses('services: { headers: { title: "${env.TOKEN}" } }')).toThrow(/is not allowed here/);
  });

  test('leaves placeholders of others alone, wherever they stand', () => {
    expect(uses('command: [sh, -c, "echo ${HOME} ${needs.db.host} $env.A ${ENV.A}"]')).toEqual([]);
  });

  test.each([
    ['where it would be shown', 'title: "${env.TOKEN}"', 'wiregauge.yml:1:1: title: ${env.TOKEN} is not allowed here'],
    ['in a path', 'rest: { path: "/${env.TOKEN}" }', 'rest.path: ${env.TOKEN} is not allowed here'],
    ['without a name', 'headers: { A: "${env.}" }', 'headers.A: ${env.} is not a valid environment variable'],
    [
      'with a name that none has',
      'headers: { A: "${env.MY-TOKEN}" }',
      '${env.MY-TOKEN} is not a valid environment variable',
    ],
  ])('refuses one %s', (_, text, words) => {
    expect(() => uses(text)).toThrow(ConfigError);
    expect(() => uses(text)).toThrow(words);
  });
});
