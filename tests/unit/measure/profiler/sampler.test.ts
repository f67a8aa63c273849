import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { programOnPath } from '../../../../src/host/child.ts';
import { readyForNode } from '../../../../src/measure/profiler/node.ts';
import { readProfile, runProfiler } from '../../../../src/measure/profiler/sampler.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';

const folder = mkdtempSync(join(tmpdir(), 'profiler-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe('what a profiler needs', () => {
  test('a program is found on the PATH, if it may be executed', async () => {
    chmodSync(file('looks', '#!/bin/sh\n'), 0o755);
    file('text', '');
    expect(programOnPath('looks', `/nowhere::${folder}`)).toBe(join(folder, 'looks'));
    expect(programOnPath('absent', folder)).toBeUndefined();
  });

  test('a profile that a service wrote is read, and a link of it leads nowhere', async () => {
    const path = file('profile', 'main 1');
    symlinkSync(path, join(folder, 'link'));
    expect(readProfile(path)).toBe('main 1');
    expect(() => readProfile(join(folder, 'link'))).toThrow(/the profile cannot be read/);
    expect(() => readProfile(folder)).toThrow('the profile cannot be read: it is not a file');
  });

  test('a profiler that fails is reported by the line that says why, with what to do', async () => {
    const argv = ['sh', '-c', 'echo starting; echo "Error: Permission Denied: no ptrace"; echo later; exit 1'];
    const sampling = { seconds: 1, folder, signal: new AbortController().signal };
    await expect(runProfiler({ argv, next: 'Be root.' }, sampling)).rejects.toMatchObject({
      message: expect.stringContaining('sh failed: Error: Permission Denied: no ptrace'),
      next: 'Be root.',
    });
    expect(await runProfiler({ argv: ['echo', 'done'], next: '' }, sampling)).toBe('done');
  });
});

test('Node.js gets its option next to those of the service', () => {
  const [service] = fakeRounds().bench.versions.head.services.values();
  if (service === undefined) {
    throw new Error('there is no service');
  }
  const own = { ...service, environment: { NODE_OPTIONS: '--enable-source-maps' } };
  const { NODE_OPTIONS: options = '' } = readyForNode(own).environment;
  expect(options).toMatch(/^--enable-source-maps --import=data:text\/javascript,/);
  expect(options.split(' ')).toHaveLength(2);
  // Nothing in it is taken for a placeholder.
  expect(options).not.toMatch(/[${}]/);
});
