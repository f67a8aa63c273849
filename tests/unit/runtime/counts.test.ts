import { describe, expect, test } from 'vitest';
import { MeasurementError } from '../../../src/foundation/errors.ts';
import type { Service } from '../../../src/model/service.ts';
import type { CountingMode, Counts } from '../../../src/runtime/port.ts';
import {
  countedArchitecture,
  countedPrograms,
  countingOptions,
  countsOfAll,
  countsPrinted,
  linkedFiles,
  requireOwnStart,
  steadyEnvironment,
  toolFolder,
} from '../../../src/runtime/valgrind/valgrind.ts';
import { restService } from '../../support/suite.ts';

describe('what the driver prints of the counts of a service', () => {
  test('is read', () => {
    const printed = '{"instructions":355310400,"syscalls":3760,"allocations":7,"files":2}';

    expect(countsPrinted({ exitCode: 0, printed })).toEqual({
      instructions: 355_310_400,
      syscalls: 3760,
      allocations: 7,
      uncounted: 0,
    });
  });

  test('is read with the functions that executed most', () => {
    const functions = [{ name: 'std::sort<int*>', object: 'shop', self: 7, inclusive: 9 }];
    const printed = JSON.stringify({ instructions: 9, syscalls: 0, allocations: 0, files: 1, functions });

    expect(countsPrinted({ exitCode: 0, printed })).toEqual({
      ...{ instructions: 9, syscalls: 0, allocations: 0 },
      ...{ uncounted: 0, functions },
    });
  });

  test('says that nothing runs under Valgrind', () => {
    const printed = '{"instructions":0,"syscalls":0,"allocations":7,"files":0}';

    expect(() => countsPrinted({ exitCode: 0, printed })).toThrow('no program of the service runs under Valgrind');
    expect(() => countsPrinted({ exitCode: 137, printed: '' })).toThrow('ended with exit code 137 and printed nothing');
    expect(() => countsPrinted({ exitCode: 0, printed: 'ing": 5}' })).toThrow(
      /cannot be read: the driver printed ing": 5}$/,
    );
  });

  test('reports why it could not read them', () => {
    const end = { exitCode: 2, printed: 'wiregauge-load: process 7 did not report its counts: no ptrace' };

    expect(() => countsPrinted(end)).toThrow(/counts of the service cannot be read: .*process 7 .*no ptrace/);
  });
});

test('Valgrind counts all programs of a service, and writes into the folder of this start', () => {
  const options = countingOptions('/tmp/one');

  expect(options[0]).toBe('--tool=callgrind');
  expect(options).toContain('--trace-children=yes');
  expect(options).toContain('--vgdb-prefix=/tmp/one/door');
  expect(options).toContain('--callgrind-out-file=/tmp/one/counts.%p');
  expect(options).toContain('--instr-atstart=no');
  expect(countingOptions('/tmp/one', { isFromStart: true })).toContain('--instr-atstart=yes');
});

test('stacks are distinguished only if functions are reported, and runtimes then list theirs', () => {
  const stacks = (mode?: CountingMode) => countingOptions('/tmp/one', mode).filter((one) => /separate|skip/.test(one));
  const path = { programs: '/programs', usual: '/usr/bin' };

  expect(stacks()).toEqual([]);
  expect(stacks({ hasFunctions: true })).toContain('--separate-callers=80');
  expect(stacks({ hasFunctions: true })).toContain('--fn-skip=py_trampoline_evaluator');
  expect(steadyEnvironment({}, path)).not.toHaveProperty('PYTHONPERFSUPPORT');
  expect(steadyEnvironment({ PYTHONPERFSUPPORT: '0' }, path, { hasFunctions: true })).toMatchObject({
    PYTHONPERFSUPPORT: '1',
    WIREGAUGE_FUNCTIONS: '1',
  });
});

test('a start is made like another, and a service keeps what it sets itself', () => {
  const java = '-XX:+UseSerialGC -Xbatch -XX:TieredStopAtLevel=1 -Xmn64m';
  const path = { programs: '/programs', usual: '/usr/bin' };
  expect(steadyEnvironment({}, path)).toEqual({
    PYTHONHASHSEED: '0',
    JAVA_TOOL_OPTIONS: java,
    GODEBUG: 'asyncpreemptoff=1',
    PATH: '/programs:/usr/bin',
  });
  const own = { PYTHONHASHSEED: '7', GODEBUG: 'madvdontneed=1', JAVA_TOOL_OPTIONS: '-Xmn8m', PATH: '/own' };
  expect(steadyEnvironment(own, path)).toEqual({
    PYTHONHASHSEED: '7',
    GODEBUG: 'madvdontneed=1,asyncpreemptoff=1',
    JAVA_TOOL_OPTIONS: `${java} -Xmn8m`,
    PATH: '/programs:/own',
  });
});

test('a service that runs already is not counted', () => {
  expect(() => requireOwnStart(restService('first'))).not.toThrow();
  expect(() => requireOwnStart({ ...restService('first'), address: 'host:80' })).toThrow(MeasurementError);
});

test('the launcher prints the folder of its tools', () => {
  const printed = `--4711:1:launcher no client specified, defaulting platform to 'amd64-linux'
--4711:1:launcher launching /usr/libexec/valgrind/callgrind-amd64-linux
--4711:1:    main Welcome to Valgrind version 3.19.0 debug logging`;

  expect(toolFolder(printed)).toBe('/usr/libexec/valgrind');
  expect(toolFolder('valgrind-3.19.0')).toBeUndefined();
});

test.each([
  [
    'glibc',
    `\tlinux-vdso.so.1 (0x00007faaad81c000)
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007faaad616000)
\t/lib64/ld-linux-x86-64.so.2 (0x00007faaad81e000)`,
    { loader: '/lib64/ld-linux-x86-64.so.2', libraries: ['/lib/x86_64-linux-gnu/libc.so.6'] },
  ],
  [
    'musl',
    `\t/lib/ld-musl-x86_64.so.1 (0x7f1c8a0f1000)
\tlibc.musl-x86_64.so.1 => /lib/ld-musl-x86_64.so.1 (0x7f1c8a0f1000)`,
    { loader: '/lib/ld-musl-x86_64.so.1', libraries: [] },
  ],
  ['nothing', '\tnot a dynamic executable', { loader: undefined, libraries: [] }],
])('what a program is linked with: %s', (_libc, printed, linked) => {
  expect(linkedFiles(printed)).toEqual(linked);
});

describe('the counts of a service of several programs', () => {
  const member = { name: 'back' } as NonNullable<Service['members']>[number];
  const chain: Service = { ...restService('rest'), name: 'shop', entry: 'front', members: [member] };
  const counts = (instructions: number, functions?: Counts['functions']): Counts => ({
    ...{ instructions, syscalls: 2, allocations: 5, uncounted: 1 },
    ...(functions && { functions }),
  });

  const countsOf = (service: Service, by: Readonly<Record<string, Counts>>) =>
    countsOfAll(service, async (program) => by[program] as Counts);

  test('are those of all of them, and each has its share', async () => {
    expect(countedPrograms(chain)).toEqual(['front', 'back']);
    expect(await countsOf(chain, { front: counts(7), back: counts(5) })).toEqual({
      instructions: 12,
      syscalls: 4,
      allocations: 10,
      uncounted: 2,
      members: { front: { instructions: 7, syscalls: 2 }, back: { instructions: 5, syscalls: 2 } },
    });
  });

  test('have the functions of all, those of a library once', async () => {
    const own = { name: 'list', object: 'shop', self: 3, inclusive: 4 };
    const shared = { name: 'malloc', object: 'libc.so.6', self: 2, inclusive: 2 };

    const all = { front: counts(7, [own, shared]), back: counts(5, [shared]) };
    expect((await countsOf(chain, all)).functions).toEqual([own, { ...shared, self: 4, inclusive: 4 }]);
    expect((await countsOf(chain, { ...all, back: counts(1) })).functions).toBeUndefined();
  });

  test('of a service of one program are its own', async () => {
    expect(countedPrograms(restService('rest'))).toEqual(['rest']);
    expect(await countsOf(restService('rest'), { rest: counts(7) })).toEqual(counts(7));
  });

  test('name the member that does not run under Valgrind', async () => {
    const nothing = { exitCode: 0, printed: '{"instructions":0,"syscalls":0,"allocations":7,"files":0}' };

    await expect(countsOfAll(chain, async (_program, title) => countsPrinted(nothing, title))).rejects.toThrow(
      'no program of front, a member of the service, runs under Valgrind',
    );
  });
});

test('a count is for processors that have what Valgrind shows of them', () => {
  const cpuinfo = (flags: string) =>
    `processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu ${flags} sse2\nbugs\t: none\n`;

  expect(countedArchitecture('x64', cpuinfo('rdrand f16c avx2 rdseed avx512f'))).toBe('x64');
  expect(countedArchitecture('x64', cpuinfo('rdrand f16c avx'))).toBe('x64 without avx2, rdseed');
  expect(countedArchitecture('arm64', 'Features\t: fp asimd\n')).toBe('arm64');
  expect(countedArchitecture('x64', '')).toBe('x64');
});
