import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import {
  resolvedRequest,
  resolvedService,
  resolvedTarget,
  type SecretUse,
  secretsFrom,
} from '../../../../src/model/secrets/secrets.ts';
import { restService } from '../../../support/suite.ts';

const use = (variable: string, changes: Partial<SecretUse> = {}): SecretUse => ({
  variable,
  place: `wiregauge.yml:3:5: services.api.headers.${variable}`,
  isPem: false,
  ...changes,
});

const PEM = '-----BEGIN CERTIFICATE-----\nMIIBcontent\nMIIBmore\n-----END CERTIFICATE-----\n';

const noFile = (path: string): string => {
  throw new ConfigError(`${path}: there is no such file`);
};

const secrets = secretsFrom(
  [use('TOKEN'), use('CA', { isPem: true }), use('KEY_FILE', { isPem: true })],
  { TOKEN: 'tok-en-12', CA: PEM, KEY_FILE: '/keys/own.pem' },
  (path) => `${path}\n${PEM}`,
);

describe('secrets', () => {
  test.each([{}, { TOKEN: '' }])('are missed before anything else happens (%o)', (environment) => {
    const missed = () => secretsFrom([use('TOKEN')], environment, noFile);

    expect(missed).toThrow(ConfigError);
    expect(missed).toThrow(
      'wiregauge.yml:3:5: services.api.headers.TOKEN: the environment variable TOKEN is not set, or empty',
    );
  });

  test('are all named if one is missed', () => {
    const missed = () => secretsFrom([use('A'), use('SET'), use('B'), use('A')], { SET: 'x' }, noFile);

    expect(missed).toThrow(
      expect.objectContaining({
        code: 'WG-109',
        next: 'Set A, B before you start Wiregauge; in a workflow: `env: { A: "${{ secrets.A }}", B: "${{ secrets.B }}", WIREGAUGE_SECRETS: "A, B" }`.',
      }),
    );
  });

  test('replace their values, and other placeholders for themselves', () => {
    expect(secrets.resolve('Bearer ${env.TOKEN} ${env.OTHER} ${needs.db.host} ${HOME}')).toBe(
      'Bearer tok-en-12 ${env.OTHER} ${needs.db.host} ${HOME}',
    );
  });

  test('of tls are PEM, or the path of a file that holds it', () => {
    expect(secrets.resolvePem('${env.CA}')).toBe(PEM);
    expect(secrets.resolvePem('${env.KEY_FILE}')).toBe(`/keys/own.pem\n${PEM}`);
    expect(secrets.resolvePem(PEM)).toBe(PEM);
  });

  test('of tls that are neither are refused, without being shown', () => {
    const refused = () => secretsFrom([use('CA', { isPem: true })], { CA: '/etc/passwd' }, () => 'root:x:0');

    expect(refused).toThrow(/the environment variable CA does not contain or name a PEM file$/);
  });

  test('of tls that are no paths are not shown as one', () => {
    const value = 'LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JSUV2';
    const refused = () => secretsFrom([use('KEY', { isPem: true })], { KEY: value }, noFile);

    expect(refused).toThrow(/the environment variable KEY does not contain or name a PEM file$/);
    expect(refused).not.toThrow(value);
  });

  test('are filled into all that is sent, and only there', () => {
    const request = {
      call: 'POST /${env.TOKEN}',
      body: { deep: ['${env.TOKEN}', 1, null] },
      headers: { Authorization: 'Bearer ${env.TOKEN}' },
      metadata: { token: '${env.TOKEN}' },
      content: { text: 'a=${env.TOKEN}' },
    };
    const tls = {
      ca: '${env.CA}',
      insecure: false,
      serverName: undefined,
      certificate: undefined,
      key: '${env.KEY_FILE}',
    };

    expect(resolvedRequest(request, secrets)).toEqual({
      call: 'POST /${env.TOKEN}',
      body: { deep: ['tok-en-12', 1, null] },
      headers: { Authorization: 'Bearer tok-en-12' },
      metadata: { token: 'tok-en-12' },
      content: { text: 'a=tok-en-12' },
    });
    const target = { address: 'a:1', requests: [request], proto: undefined, connection: { http: '2', tls } as const };
    expect(resolvedTarget(target, secrets)).toMatchObject({
      requests: [{ headers: { Authorization: 'Bearer tok-en-12' } }],
      connection: { http: '2', tls: { ca: PEM, key: `/keys/own.pem\n${PEM}` } },
    });
  });

  test('are escaped where an argument brought them into a path, and in a body of JSON', () => {
    const found = secretsFrom([use('ODD')], { ODD: 'a/b "c\\' }, noFile);
    const request = {
      call: `GET /items/${encodeURIComponent('${env.ODD}')}?q=${encodeURIComponent('x${env.ODD}')}&r=${encodeURIComponent('${env.OTHER}')}`,
      body: undefined,
    };

    expect(resolvedRequest(request, found).call).toBe(
      'GET /items/a%2Fb%20%22c%5C?q=xa%2Fb%20%22c%5C&r=%24%7Benv.OTHER%7D',
    );
    const inBody = (text: string) => resolvedRequest({ ...request, content: { text } }, found).content;
    expect(inBody('{ "a": ["${env.ODD}", "${env.OTHER}"] }')).toEqual({
      text: '{ "a": ["a/b \\"c\\\\", "${env.OTHER}"] }',
    });
    expect(inBody('a=${env.ODD}')).toEqual({ text: 'a=a/b "c\\' });
  });

  test('of a service are those of its requests; its environment is resolved at its start', () => {
    const headers = { Authorization: '${env.TOKEN}' };
    const environment = { PASSWORD: '${env.TOKEN}' };

    const found = resolvedService({ ...restService('api'), headers, environment }, secrets);

    expect(found).toMatchObject({ headers: { Authorization: 'tok-en-12' }, environment });
    expect(secrets.lookups['env']?.('TOKEN')).toBe('tok-en-12');
  });

  test('are masked wherever they turn up', () => {
    expect(secrets.mask('refused tok-en-12: MIIBmore')).toBe('refused ***: ***');
  });
});
