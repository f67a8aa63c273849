import { expect, test } from 'vitest';
import { buildFailure } from '../../../../../src/runtime/docker/images/build.ts';

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
