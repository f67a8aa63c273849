import { expect, test } from 'vitest';
import { requiredFlag, withFlag } from '../../../../../src/commands/init/try/program.ts';

const README = { path: 'README.md', text: 'Usage: shop --size value\n\n$ shop --size 5 --dir /data --name NAME\n' };

test.each([
  ["The 'dir' flag/key is required", '--dir .wiregauge/data'],
  ['Error: required flag(s) "size" not set', '--size 5'],
  ['shop: error: the following arguments are required: --size', '--size 5'],
  ['error: the following required arguments were not provided: --size <SIZE>', '--size 5'],
  ['-size must be set', '-size 5'],
  ['cannot load .htpasswd (use --no-auth to disable)', '--no-auth'],
])('a program that says %j starts with %s', (message, expected) => {
  const found = requiredFlag(`it ended: ${message}`, [README]) ?? expect.fail('no flag');

  expect([found.flag, found.value ?? ''].join(' ').trim()).toBe(expected);
});

test.each(['connection refused', 'required flag(s) "name" not set', 'password is required'])(
  '%s asks for nothing that is known',
  (message) => {
    expect(requiredFlag(message, [README])).toBeUndefined();
  },
);

test('a folder is empty at each start', () => {
  const folder = { flag: '--dir', value: '.wiregauge/data' };
  const enter = ['sh', '-c', 'cd shop && exec ./shop --port "$PORT"'];

  expect(withFlag(enter, folder)[2]).toBe(
    'cd shop && rm -rf .wiregauge/data && mkdir -p .wiregauge/data && exec ./shop --port "$PORT" --dir .wiregauge/data',
  );
  expect(withFlag(['./shop'], { flag: '-q' })).toEqual(['sh', '-c', 'exec ./shop -q']);
});
