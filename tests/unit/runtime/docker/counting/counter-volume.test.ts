import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { counterVolume } from '../../../../../src/runtime/docker/counting.ts';
import type { Engine } from '../../../../../src/runtime/docker/engine.ts';

const OWNER = '4194305:7';

let here: string;
let volumes: Map<string, object>;
let containers: Map<string, object>;
let archives: Buffer[];
let refusal: Error | undefined;

beforeEach(() => {
  here = mkdtempSync(join(tmpdir(), 'counter-'));
  mkdirSync(join(here, 'tools'));
  for (const name of [
    'callgrind-amd64-linux',
    'vgpreload_core-amd64-linux.so',
    'memcheck-amd64-linux',
    'default.supp',
  ]) {
    writeFileSync(join(here, 'tools', name), name);
  }
  for (const name of ['wiregauge-load', 'vgdb', 'ld-linux.so.2', 'libc.so.6']) {
    writeFileSync(join(here, name), name);
  }
  // As of a user who lets nobody else in.
  chmodSync(join(here, 'wiregauge-load'), 0o700);
  [volumes, containers, archives, refusal] = [new Map(), new Map(), [], undefined];
});

afterEach(() => rmSync(here, { recursive: true }));

/** Keeps volumes and containers, and what is put into a container. */
function fakeEngine(): Engine {
  const api = {
    createVolume: async ({ Name: name, ...settings }: { Name: string }) => void volumes.set(name, settings),
    getVolume: (name: string) => ({ remove: async () => void volumes.delete(name) }),
    createContainer: async ({ name, ...settings }: { name: string }) => {
      containers.set(name, settings);
      return {
        putArchive: async (file: NodeJS.ReadableStream, { path }: { path: string }) => {
          expect(settings).toMatchObject({
            Labels: { 'wiregauge.owner': OWNER },
            HostConfig: { Mounts: [{ Type: 'volume', Source: [...volumes.keys()][0], Target: path }] },
          });
          archives.push(await buffer(file));
          if (refusal !== undefined) {
            throw refusal;
          }
        },
        remove: async () => void containers.delete(name),
      };
    },
  };
  return { api, socket: '/nowhere' } as unknown as Engine;
}

const counter = () => ({
  files: {
    tools: join(here, 'tools'),
    vgdb: join(here, 'vgdb'),
    loader: join(here, 'ld-linux.so.2'),
    libraries: [join(here, 'libc.so.6')],
  },
  driverFolder: here,
  owner: OWNER,
});

/** Folders of this owner, which hold what is packed. */
const folders = () => readdirSync(tmpdir()).filter((name) => name.includes(OWNER.replace(':', '-')));

test('has what counts, for anybody to read, and nothing else of Valgrind', async () => {
  await using volume = counterVolume(fakeEngine());

  await volume.filled('sha256:0', counter());

  const listed = execFileSync('tar', ['--list', '--verbose', '--numeric-owner'], {
    input: archives[0],
    encoding: 'utf8',
  });
  const files = listed.split('\n').flatMap((line) => (line.startsWith('-') ? [line.split(/\s+/)] : []));
  expect(files.map((words) => words.at(-1)).sort()).toEqual([
    './tools/callgrind-amd64-linux',
    './tools/vgpreload_core-amd64-linux.so',
    './vgdb/ld-linux.so.2',
    './vgdb/libc.so.6',
    './vgdb/vgdb',
    './wiregauge-load',
  ]);
  expect(new Set(files.map(([, owner]) => owner))).toEqual(new Set(['0/0']));
  expect(files.find((words) => words.at(-1) === './wiregauge-load')?.[0]).toBe('-rwxr-xr-x');
});

test('is made once, belongs to its owner, and goes at the end', async () => {
  const volume = counterVolume(fakeEngine());

  const names = await Promise.all([volume.filled('sha256:0', counter()), volume.filled('sha256:1', counter())]);
  expect(new Set(names)).toEqual(new Set(volumes.keys()));
  expect([...volumes.values()]).toEqual([
    { Labels: expect.objectContaining({ wiregauge: '1', 'wiregauge.owner': OWNER }) },
  ]);
  expect(containers.size).toBe(0);
  expect(folders()).toEqual([]);

  await volume[Symbol.asyncDispose]();
  expect(volumes.size).toBe(0);
});

test('says which file is not here, and makes no volume', async () => {
  rmSync(join(here, 'vgdb'));
  await using volume = counterVolume(fakeEngine());

  await expect(volume.filled('sha256:0', counter())).rejects.toMatchObject({
    code: 'WG-107',
    message: expect.stringMatching(/^the instruction counter cannot be read: .*ENOENT.*\/vgdb/),
  });

  expect(volumes.size).toBe(0);
});

test('says what the engine refuses, and leaves nothing', async () => {
  refusal = new Error('no space left on device');
  await using volume = counterVolume(fakeEngine());

  await expect(volume.filled('sha256:0', counter())).rejects.toThrow(
    'the instruction counter cannot be copied to the engine: no space left on device',
  );

  expect([volumes.size, containers.size, folders()]).toEqual([0, 0, []]);
});
