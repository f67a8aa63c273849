import { describe, expect, it } from 'vitest';
import { parseProject, parseService } from '../../../../src/config/parse.ts';
import { parseSuiteEnvironment } from '../../../../src/config/schema/suite.ts';
import { secretUsesIn } from '../../../../src/config/secret-uses.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

const suite = (environment: string) => ({
  file: 'suites/stress.yml',
  text: `name: stress
title: Stress
services: [api]
operations:
  - { name: Index, rest: GET / }
${environment}`,
});

const service = (keys: string) =>
  parseService({ file: 'services/api/service.yml', text: `name: api\nprotocol: rest\n${keys}\n` });

const STARTED = service('port: 80\nimage: nginx:1.27\nenvironment: { SIZE: small, COLOR: red }');
const NEEDY = service(
  'port: 80\nimage: nginx:1.27\nneeds: { db: { image: "postgres:17", port: 5432 } }\nenvironment: { COLOR: red }',
);
const RUNNING = service('address: 127.0.0.1:8080');

describe('settings of a suite', () => {
  it('are those of each service, over its own', () => {
    const settle = parseSuiteEnvironment(suite('environment: { SIZE: large, COUNT: 100000 }\n'));

    expect(settle(STARTED).environment).toEqual({ SIZE: 'large', COLOR: 'red', COUNT: '100000' });
    expect(settle(NEEDY).environment).toEqual({ COLOR: 'red', SIZE: 'large', COUNT: '100000' });
  });

  it.each(['', 'environment: {}\n'])('leave a service unchanged if there are none: "%s"', (environment) => {
    const settle = parseSuiteEnvironment(suite(environment));

    expect([STARTED, RUNNING].map(settle)).toEqual([STARTED, RUNNING]);
  });

  it('may be places of a need', () => {
    const settle = parseSuiteEnvironment(suite('environment: { DB: "${needs.db.host}" }\n'));

    expect(settle(NEEDY).environment).toMatchObject({ DB: '${needs.db.host}' });
    expect(() => settle(STARTED)).toThrow(ConfigError);
    expect(() => settle(STARTED)).toThrow(
      /^suites\/stress\.yml:6:\d+: environment\.DB: for api, \$\{needs\.db\.host\} cannot be resolved: .* it has no needs$/,
    );
  });

  it('may be secrets', () => {
    expect(secretUsesIn(suite('environment: { TOKEN: "${env.TOKEN}" }\n'))).toMatchObject([{ variable: 'TOKEN' }]);
  });

  it('are refused for a service that already runs', () => {
    const settle = parseSuiteEnvironment(suite('environment: { SIZE: large }\n'));

    expect(() => settle(RUNNING)).toThrow(ConfigError);
    expect(() => settle(RUNNING)).toThrow(
      /^suites\/stress\.yml:6:\d+: environment: cannot apply to api, which already runs \(address\)$/,
    );
  });

  it.each([
    ['environment: { A B: c }', /environment\.A B: must be letters, digits, underscores and dots/],
    ['environment: [a]', /environment: must be a map$/],
  ])('are refused where they are none: %s', (environment, message) => {
    expect(() => parseSuiteEnvironment(suite(`${environment}\n`))).toThrow(message);
  });

  it('of a whole repository are those of its services', () => {
    const text = `services:
  api: { protocol: rest, port: 80, image: nginx:1.27, environment: { SIZE: small } }
operations:
  - { name: Index, rest: GET / }
environment: { SIZE: large }
`;
    const { suite: found, services } = parseProject({ file: 'wiregauge.yml', text });

    expect(services.get('api')?.environment).toEqual({ SIZE: 'large' });
    expect(found).not.toHaveProperty('environment');
  });
});
