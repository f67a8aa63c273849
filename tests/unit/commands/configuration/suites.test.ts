import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { suites } from '../../../../src/commands/configuration/suites.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'suites-'));
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function printed(flags: Parameters<typeof suites>[0]): string {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += chunk;
    return true;
  });
  suites(flags);
  return text;
}

const PROJECT = `
name: shop
title: The shop
services:
  api:
    protocol: rest
    process:
      build: [[go, build, ./cmd/api], [build/prepare, now]]
      command: [env, MODE=fast, python, -m, api]
    needs: { db: { process: { command: [postgres] } } }
operations: [{ name: Items, rest: GET /items }]
tiers: [{ name: some, requestsPerSecond: 200 }]
`;

test('lists the suites that come with Wiregauge, from anywhere', () => {
  const text = printed({});

  expect(text).toMatch(/^users-study: The User Service as published/m);
  expect(text).toMatch(/^ {2}takes: about smoke .*thorough/m);
  expect(text).toContain('needs: containers or plain processes (go)');
  expect(text.split('\n').every((line) => line.length <= 100)).toBe(true);
});

test('titles the suite of a wiregauge.yml without a name by its package, else by its services', () => {
  writeFileSync(join(folder, 'wiregauge.yml'), PROJECT.replace(/^(?:name|title): .*\n/gm, ''));

  expect(printed({})).toMatch(/^api\n {2}services: api\n/);
  writeFileSync(join(folder, 'package.json'), '{ "name": "@one/shop" }');
  expect(printed({})).toMatch(/^\S*shop\n/);
});

test('lists the suite of a repository and those in its folder, and what each needs', () => {
  writeFileSync(join(folder, 'wiregauge.yml'), PROJECT);
  mkdirSync(join(folder, 'suites'));
  mkdirSync(join(folder, 'services', 'old'), { recursive: true });
  writeFileSync(
    join(folder, 'services', 'old', 'service.yml'),
    'name: old\nprotocol: rest\nport: 80\nimage: "old:1"\n',
  );
  writeFileSync(
    join(folder, 'suites', 'small.yml'),
    'name: small\ntitle: Something small\nservices: [old]\noperations: [{ name: One, rest: GET /one }]\n',
  );

  const { command, suites: found } = JSON.parse(printed({ json: true }));

  expect(command).toBe('suites');
  expect(found).toMatchObject([
    {
      name: 'shop',
      title: 'The shop',
      services: ['api'],
      operations: ['Items'],
      tiers: ['200/s'],
      runtimes: ['process'],
      commands: ['go', 'postgres', 'python'],
      needs: ['db'],
    },
    { name: 'small', runtimes: ['docker'], commands: [], needs: [] },
  ]);
  const lengths: { readonly profile: string; readonly mostSeconds: number }[] = found[0].lengths;
  expect(lengths.map(({ profile }) => profile)).toEqual(['smoke', 'quick', 'standard', 'thorough']);
  expect(lengths.every(({ mostSeconds }, index) => mostSeconds > (lengths[index - 1]?.mostSeconds ?? 0))).toBe(true);
});
