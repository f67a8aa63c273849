import { expect, test } from 'vitest';
import { ConfigError } from '../../../../../src/foundation/errors.ts';
import { commonSettings } from '../../../../../src/runtime/docker/container.ts';
import { buildFailure } from '../../../../../src/runtime/docker/images/build.ts';
import { imageName, parseBuildArgs } from '../../../../../src/runtime/docker/images/image.ts';
import { buildFlags } from '../../../../../src/runtime/docker/images/plain.ts';
import { optionsOf } from '../../../../integration/plain-service.ts';

test('reads names and values, which may hold an equals sign', () => {
  const parsed = parseBuildArgs('PYTHON_IMAGE=mirror:5000/python:3.13-slim, FLAGS=a=b');

  expect(parsed).toEqual({ PYTHON_IMAGE: 'mirror:5000/python:3.13-slim', FLAGS: 'a=b' });
});

test.each([undefined, '', ' , '])('takes %j for no build arguments', (text) => {
  expect(parseBuildArgs(text)).toEqual({});
});

test.each(['PYTHON_IMAGE', '=python', '1X=y', 'A='])('refuses %j and says what an entry looks like', (text) => {
  expect(() => parseBuildArgs(text)).toThrow(ConfigError);
  expect(() => parseBuildArgs(text)).toThrow(JSON.stringify(text));
});

test.each([
  ['python', { PACKAGE: 'rest', MODULE: 'user_rest' }, 'python-rest-user-rest'],
  ['python', { PACKAGE: 'greeter', MODULE: 'greeter_service' }, 'python-greeter-greeter-service'],
  ['API', {}, 'api'],
  [undefined, {}, 'shop'],
  ['--', {}, 'service'],
])('images that differ only in build arguments have different names: %s, %o', (target, args, name) => {
  expect(imageName({ context: 'services/shop', dockerfile: 'Dockerfile', target, args })).toBe(name);
});

test('a folder that is called like an option is built, and is none', () => {
  const source = { context: '--output=type=local,dest=/srv', dockerfile: 'Dockerfile', target: undefined, args: {} };

  const flags = buildFlags({ source, buildArgs: {}, root: '/', owner: '1:1' } as never);

  expect(flags.slice(-2)).toEqual(['--', './--output=type=local,dest=/srv']);
});

test('no container may start processes without end, or gain rights', () => {
  const { HostConfig: host } = commonSettings(optionsOf('/'), 0, undefined);

  expect(host.PidsLimit).toBe(4096);
  expect(host).toMatchObject({ CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'], ReadonlyRootfs: true });
});

test('a container on several cores may use its share of each', () => {
  const { HostConfig: host } = commonSettings(optionsOf('/'), [0, 2], { cpus: 0.5 });

  expect(host).toMatchObject({ CpusetCpus: '0,2', NanoCpus: 1e9 });
});

const LOG = [
  '#7 [2/3] RUN npm ci',
  '#7 1.203 npm error code EUSAGE',
  '#7 1.203 npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.',
  ...Array.from({ length: 60 }, (_, index) => `#7 1.204 npm error   --flag-${index}`),
  'ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1',
];

test('a failed image build is reported with the cause in its log, which may be far above the last lines', () => {
  const source = { context: '.', dockerfile: 'Dockerfile', target: 'api', args: {} };
  const lastLines = LOG.slice(-20).join('\n');

  const failure = buildFailure(
    { root: '/shop', source, buildArgs: { NOTE: 'a b' } },
    { lastLines, log: LOG.join('\n') },
  );

  expect(failure).toMatchObject({
    brief:
      'the image api of Dockerfile cannot be built: a step ended with exit code 1; it printed: npm error code EUSAGE',
    message: expect.stringMatching(
      /; the build printed:\nnpm error code EUSAGE\nnpm error `npm ci` can only .*\nERROR: failed to solve/,
    ),
    printed: expect.stringMatching(/^npm error code EUSAGE\n/),
    next: "To reproduce, run in the root of the repository: docker build --file Dockerfile --target api --build-arg 'NOTE=a b' .",
  });
});
