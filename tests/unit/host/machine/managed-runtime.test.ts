import { expect, test } from 'vitest';
import { runtimeBy } from '../../../../src/host/machine/managed-runtime.ts';

const command = (...words: readonly string[]): string => words.map((word) => `${word}\0`).join('');

test.each([
  ['a JVM', command('java', '-jar', 'shop.jar'), ''],
  ['a JVM', command('/usr/lib/jvm/17/bin/java', '-jar', 'shop.jar'), ''],
  ['a JVM', command('/usr/bin/valgrind', '--tool=callgrind', '-q', '/usr/bin/java', '-jar', 'shop.jar'), ''],
  ['a JVM', command('./shop'), '7f00-7f01 r-xp 00000000 08:01 12 /usr/lib/jvm/17/lib/server/libjvm.so\n7f02-7f03 rw-p'],
  ['.NET', command('dotnet', 'Shop.dll'), ''],
  ['.NET', command('./Shop'), '7f00-7f01 r-xp 00000000 08:01 12 /srv/libcoreclr.so'],
  [undefined, command('node', 'java'), ''],
  [undefined, command('sh', '-c', 'exec java'), ''],
  [undefined, command('/usr/bin/valgrind', '--tool=callgrind', 'node', 'java'), ''],
  [undefined, command('./javascript'), '7f00-7f01 r-xp 00000000 08:01 12 /usr/lib/libc.so'],
  [undefined, '', ''],
])('%s is found by the command and the libraries of a process: %j', (runtime, words, maps) => {
  expect(runtimeBy(words, maps)).toBe(runtime);
});
