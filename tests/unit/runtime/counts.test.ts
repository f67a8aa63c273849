import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseCounts, sumOfCounts } from '../../../src/runtime/valgrind/counts.ts';
import { CountReader, countingCommand, steadyEnvironment } from '../../../src/runtime/valgrind/valgrind.ts';

const DUMP = `# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 4711
cmd:  python -m user_rest
part: 2

desc: Trigger: Dump Monitor Command

positions: line
events: Ir sysCount sysTime
summary: 177655200 1880 41

ob=(1) /usr/lib/x86_64-linux-gnu/libc.so.6
fn=(1) epoll_wait
30 12

totals: 177655200 1880 41
`;

const PLACE = {
  name: 'valgrind' as const,
  version: '3.19.0',
  architecture: 'x64',
  valgrind: '/usr/bin/valgrind',
  vgdb: '/usr/bin/vgdb',
  before: ['setarch', '-R'],
};

test('what programs left is read once, and the file that a running one has yet to fill stays', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counts-'));
  try {
    writeFileSync(join(folder, 'counts.4711'), '');
    writeFileSync(join(folder, 'counts.4711.1'), DUMP);
    writeFileSync(join(folder, 'counts.4712'), DUMP);
    const reader = new CountReader(PLACE, folder);

    expect(await reader.next()).toEqual({ instructions: 2 * 177_655_200, syscalls: 2 * 1880 });
    expect(readdirSync(folder)).toEqual(['counts.4711']);
    await expect(reader.next()).rejects.toThrow('no program of the service runs under Valgrind');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the sum of a dump is read', () => {
  expect(parseCounts(DUMP)).toEqual({ instructions: 177_655_200, syscalls: 1880 });
});

test('a program that has executed nothing counts as nothing', () => {
  expect(parseCounts(DUMP.replaceAll('177655200 1880 41', '0'))).toEqual({ instructions: 0, syscalls: 0 });
});

test.each([
  ['cut short', DUMP.slice(0, 60)],
  ['of something else', 'events: Dr\ntotals: 1\n'],
])('a file that is %s is refused', (_what, text) => {
  expect(() => parseCounts(text)).toThrow('no sum of its counts');
});

test('programs of one service are added up', () => {
  const counts = { instructions: 5, syscalls: 1 };

  expect(sumOfCounts([counts, counts])).toEqual({ instructions: 10, syscalls: 2 });
});

test('a service is started behind Valgrind, with the files of this start in its folder', () => {
  const command = countingCommand(PLACE, '/tmp/one');

  expect(command.slice(0, 4)).toEqual(['setarch', '-R', '/usr/bin/valgrind', '--tool=callgrind']);
  expect(command).toContain('--vgdb-prefix=/tmp/one/door');
  expect(command).toContain('--callgrind-out-file=/tmp/one/counts.%p');
});

test('a start is made like another, and a service keeps what it sets itself', () => {
  expect(steadyEnvironment({})).toEqual({ PYTHONHASHSEED: '0', GODEBUG: 'asyncpreemptoff=1' });
  expect(steadyEnvironment({ PYTHONHASHSEED: '7', GODEBUG: 'madvdontneed=1' })).toEqual({
    PYTHONHASHSEED: '7',
    GODEBUG: 'madvdontneed=1,asyncpreemptoff=1',
  });
});
