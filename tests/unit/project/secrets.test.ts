import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConfigError } from '../../../src/foundation/errors.ts';
import { takeSecrets } from '../../../src/project/policy.ts';

const use = { variable: 'WIREGAUGE_TEST_TOKEN', place: 'wiregauge.yml:3:5: services.api.headers.A', isPem: false };

let written: string[];
beforeEach(() => {
  written = [];
  const note = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(note);
  vi.spyOn(process.stderr, 'write').mockImplementation(note);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test('a secret that was taken is printed by nothing any more', () => {
  vi.stubEnv('WIREGAUGE_TEST_TOKEN', 'tok-en-12');
  process.stdout.write('before: tok-en-12\n');

  const secrets = takeSecrets([use]);

  process.stdout.write('a line with tok-en-12\n');
  process.stderr.write('{"error":"tok-en-12"}\n');
  expect(secrets.resolve('Bearer ${env.WIREGAUGE_TEST_TOKEN}')).toBe('Bearer tok-en-12');
  expect(written).toEqual(['before: tok-en-12\n', 'a line with ***\n', '{"error":"***"}\n']);
});

test('a missing one is reported with its place', () => {
  const missed = () => takeSecrets([use]);

  expect(missed).toThrow(ConfigError);
  expect(missed).toThrow(`${use.place}: the environment variable WIREGAUGE_TEST_TOKEN is not set, or empty`);
});

test('those that a service delivers are masked as soon as they are known', () => {
  const secrets = takeSecrets([]);
  expect(secrets.mask('token of-a-login')).toBe('token of-a-login');

  for (let start = 0; start < 60; start += 1) {
    secrets.learn([`of-start-${start}-x`, 'of-a-login']);
  }

  expect(secrets.mask('of-a-login of-start-59-x')).toBe('*** ***');
  // Of a service that ended long ago.
  expect(secrets.mask('of-start-0-x')).toBe('of-start-0-x');
});

test.each(['GITHUB_TOKEN', 'ACTIONS_RUNTIME_TOKEN', 'INPUT_TOKEN'])(
  '%s, which is the token of a job, is given to no service',
  (variable) => {
    vi.stubEnv(variable, 'ghs_token-of-the-job');

    expect(() => takeSecrets([{ ...use, variable }])).toThrow(ConfigError);
    expect(() => takeSecrets([{ ...use, variable }])).toThrow(
      `${use.place}: ${variable} belongs to the workflow and is not passed to services`,
    );
  },
);

test('a workflow lists the variables that a configuration may name', () => {
  vi.stubEnv('GITHUB_ACTIONS', 'true');
  vi.stubEnv('WIREGAUGE_TEST_TOKEN', 'tok-en-12');
  vi.stubEnv('AWS_SESSION_TOKEN', 'of-an-earlier-step');
  vi.stubEnv('WIREGAUGE_SECRETS', 'WIREGAUGE_TEST_TOKEN, OTHER');

  expect(takeSecrets([use]).resolve('${env.WIREGAUGE_TEST_TOKEN}')).toBe('tok-en-12');
  expect(() => takeSecrets([use, { ...use, variable: 'AWS_SESSION_TOKEN' }])).toThrow(
    expect.objectContaining({
      message: `${use.place}: the workflow does not list AWS_SESSION_TOKEN for services`,
      next: expect.stringContaining('WIREGAUGE_SECRETS: "WIREGAUGE_TEST_TOKEN, AWS_SESSION_TOKEN"'),
    }),
  );
});
