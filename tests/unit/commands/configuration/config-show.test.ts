import { afterEach, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { configShow } from '../../../../src/commands/configuration/config.ts';

afterEach(() => vi.restoreAllMocks());

async function printed(flags: Parameters<typeof configShow>[0]): Promise<string> {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += chunk;
    return true;
  });
  await configShow(flags);
  return text;
}

test('prints YAML that can be read again, with what the files leave out', async () => {
  const text = await printed({ suite: 'users', services: ['grpc'] });

  expect(parse(text)).toMatchObject({
    name: 'users',
    operations: [
      { name: 'GetUser', share: 0.75 },
      { name: 'ListUsers', share: 0.25 },
    ],
    services: { grpc: { port: 50_051, proto: { root: 'proto', file: 'user/v1/user.proto' } } },
    policy: { alpha: 0.02, inconclusive: 'warn' },
  });
  expect(text).not.toContain('syntax = "proto3"');
  expect(text).toMatch(/^# wiregauge compare --profile standard: about \d+ min \d+ s to \d+ min \d+ s, plus builds/m);
});

test('gives a program the same with the lengths in seconds', async () => {
  const { command, name, lengths } = JSON.parse(await printed({ suite: 'users', json: true }));

  expect([command, name]).toEqual(['config show', 'users']);
  expect(lengths).toContainEqual({
    command: 'compare',
    profile: 'quick',
    fewestSeconds: expect.any(Number),
    mostSeconds: expect.any(Number),
  });
});
