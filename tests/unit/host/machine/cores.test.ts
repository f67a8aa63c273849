import { expect, test } from 'vitest';
import { checkSystem, chooseCores, coresOf, keepToLoadCore } from '../../../../src/host/machine/machine.ts';

test.each([
  ['0', [0]],
  ['0-3', [0, 1, 2, 3]],
  ['2,5-6', [2, 5, 6]],
])('reads the kernel list of cores "%s"', (list, cores) => {
  expect(coresOf(list)).toEqual(cores);
});

test('takes cores that this program may use', () => {
  const { service, load } = chooseCores();

  expect(service).toBeGreaterThanOrEqual(0);
  expect(load).toBeGreaterThanOrEqual(service);
});

test('gives back the cores that it left to the service, so that the next measurement has two, too', async () => {
  const before = chooseCores();
  {
    await using _kept = await keepToLoadCore({ serviceCore: before.service, loadCore: before.load }, () => {});
    expect(chooseCores()).toEqual({ service: before.load, load: before.load, further: [] });
  }
  expect(chooseCores()).toEqual(before);
});

test('keeps all cores where services run on another machine', async () => {
  const before = chooseCores();
  await using _kept = await keepToLoadCore({}, () => {});

  expect(chooseCores()).toEqual(before);
});

test.each([
  ['darwin', /this is macOS$/],
  ['win32', /this is Windows$/],
  ['freebsd', /this is freebsd$/],
] as const)('refuses to measure on %s, with the line of YAML that fixes it', (platform, words) => {
  expect(() => checkSystem(platform)).toThrow(words);
  expect(() => checkSystem(platform)).toThrow(
    expect.objectContaining({ next: expect.stringContaining('`runs-on: ubuntu-24.04`') }),
  );
  expect(() => checkSystem('linux')).not.toThrow();
});
