import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { cgroupOf, usedMiB } from '../../../../src/runtime/docker/counters.ts';

const CONTAINER = '4d02d7190236d97e2346ac9ddcb714c180a44430b0271090f5f1433371810694';
const PID = 4711;
const MIB = 2 ** 20;
const fixtures = new URL('../../../fixtures/cgroup', import.meta.url).pathname;
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) {
    rmSync(folder, { recursive: true });
  }
});

test.each(['v1', 'v2'] as const)('reads CPU time, memory and its peak from the files of cgroup %s', (version) => {
  const group = cgroupOf(PID, CONTAINER, recorded(version));

  const counters = group?.();

  expect(counters?.cpuSeconds).toBeCloseTo(0.322962, 5);
  expect(counters?.memoryMiB).toBeCloseTo((14_135_296 - 4096) / MIB, 9);
  expect(counters?.peakMemoryMiB).toBeCloseTo(214_671_360 / MIB, 9);
});

test('has no peak where the kernel keeps none', () => {
  const kernel = copied('v2');
  rmSync(join(kernel.cgroup, `system.slice/docker-${CONTAINER}.scope/memory.peak`));

  const counters = cgroupOf(PID, CONTAINER, kernel)?.();

  expect(counters?.peakMemoryMiB).toBeUndefined();
  expect(counters?.memoryMiB).toBeGreaterThan(0);
});

test('finds no group where the files of a controller cannot be read', () => {
  const kernel = copied('v1');
  rmSync(join(kernel.cgroup, 'memory'), { recursive: true });

  expect(cgroupOf(PID, CONTAINER, kernel)).toBeUndefined();
});

test('finds no group for a process that is not there', () => {
  expect(cgroupOf(4712, CONTAINER, recorded('v1'))).toBeUndefined();
});

test.each(['v1', 'v2'] as const)('takes a process outside of the container for another one (%s)', (version) => {
  expect(cgroupOf(PID, 'f'.repeat(64), recorded(version))).toBeUndefined();
});

test('throws where the group has gone since', () => {
  const kernel = copied('v1');
  const group = cgroupOf(PID, CONTAINER, kernel);
  rmSync(kernel.cgroup, { recursive: true });

  expect(() => group?.()).toThrow('there is no such file');
});

test('finds no group where the peak is not a number', () => {
  const kernel = copied('v2');
  writeFileSync(join(kernel.cgroup, `system.slice/docker-${CONTAINER}.scope/memory.peak`), 'max\n');

  expect(cgroupOf(PID, CONTAINER, kernel)).toBeUndefined();
});

test('throws where a file holds no number', () => {
  const kernel = copied('v2');
  const group = cgroupOf(PID, CONTAINER, kernel);
  rmSync(join(kernel.cgroup, `system.slice/docker-${CONTAINER}.scope/cpu.stat`));
  cpSync(
    join(kernel.cgroup, `system.slice/docker-${CONTAINER}.scope/memory.stat`),
    join(kernel.cgroup, `system.slice/docker-${CONTAINER}.scope/cpu.stat`),
  );

  expect(() => group?.()).toThrow('usage_usec');
});

test('never takes memory for negative when the cache is counted a moment later', () => {
  expect(usedMiB(4096, 8192)).toBe(0);
});

function recorded(version: 'v1' | 'v2') {
  return { proc: `${fixtures}/${version}/proc`, cgroup: `${fixtures}/${version}/cgroup` };
}

function copied(version: 'v1' | 'v2') {
  const folder = mkdtempSync(join(tmpdir(), 'cgroup-test-'));
  folders.push(folder);
  cpSync(join(fixtures, version), folder, { recursive: true });
  return { proc: join(folder, 'proc'), cgroup: join(folder, 'cgroup') };
}
