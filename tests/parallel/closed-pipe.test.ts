import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test.each([
  ['> /dev/full', [2, expect.stringMatching(/^wiregauge: the rest of the output could not be printed: ENOSPC.*\n$/)]],
  ['2> /dev/full', [0, '']],
])('output to a full disk is reported once, and ends nothing early: %s', (redirection, expected) => {
  const { status, stderr } = spawnSync('bash', ['-c', `node dist/cli.js explain inconclusive ${redirection}`], {
    encoding: 'utf8',
  });

  expect([status, stderr]).toEqual(expected);
});

test('a reader that is gone is not an error', () => {
  const { status, stderr } = spawnSync('bash', ['-c', 'set -o pipefail; node dist/cli.js run --help | true'], {
    encoding: 'utf8',
  });

  expect([status, stderr]).toEqual([0, '']);
});
