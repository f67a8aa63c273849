import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('a reader that is gone is no error', () => {
  const { status, stderr } = spawnSync('bash', ['-c', 'set -o pipefail; node dist/cli.js run --help | true'], {
    encoding: 'utf8',
  });

  expect([status, stderr]).toEqual([0, '']);
});
