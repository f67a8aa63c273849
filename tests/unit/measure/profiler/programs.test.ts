import { expect, test } from 'vitest';
import { chosenSampler, cpuShare, profilerFor } from '../../../../src/measure/profiler/programs.ts';

const running = (pid: number, program: string, cpuTicks = 10) => ({ pid, parent: pid - 1, program, cpuTicks });

test('the profiler follows from the program', () => {
  expect(['/usr/bin/python3.13', '/opt/pypy3', '/usr/bin/python'].map(profilerFor)).toEqual(Array(3).fill('py-spy'));
  expect(['/usr/local/bin/node', '/usr/bin/nodejs'].map(profilerFor)).toEqual(Array(2).fill('Node.js'));
  expect(['/srv/server', '/usr/bin/java', '', '/srv/python-server'].map(profilerFor)).toEqual(Array(4).fill('perf'));
});

test('of programs of several kinds that takes the profiler which took most CPU time', () => {
  const shell = running(1, '/bin/sh', 1);
  const workers = [running(2, '/usr/bin/python3'), running(3, '/usr/bin/python3')];
  const chosen = chosenSampler([shell, ...workers]);
  // py-spy finds the children of a process by itself.
  expect([chosen?.sampler.name, chosen?.pids]).toEqual(['py-spy', [2]]);
  expect(chosenSampler([shell, running(2, '/usr/bin/node', 5)])?.pids).toEqual([2]);
  expect(chosenSampler([])).toBeUndefined();
});

test('the share of the CPU time is that of the programs that the profiler is for', () => {
  const before = [running(1, '/bin/proxy', 100), running(2, '/usr/bin/python3', 50)];
  const after = [running(1, '/bin/proxy', 110), running(2, '/usr/bin/python3', 70), running(3, '/usr/bin/python3', 10)];
  expect(cpuShare(before, after, ({ program }) => profilerFor(program) === 'py-spy')).toBe(0.75);
  expect(cpuShare(before, before, () => true)).toBe(1);
});
