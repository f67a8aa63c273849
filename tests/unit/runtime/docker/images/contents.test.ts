import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Program } from '../../../../../src/model/service.ts';
import type { Engine } from '../../../../../src/runtime/docker/engine.ts';
import { builtImage } from '../../../../../src/runtime/docker/images/contents.ts';
import { restService } from '../../../../support/suite.ts';

let folder: string;
let removed: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contents-'));
  removed = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface FakeImage {
  readonly files: Readonly<Record<string, string>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly layers?: readonly string[];
  /** The kernel of the engine. */
  readonly kernel?: string;
}

/** An engine with one image. */
function engineOf({ files, config = {}, layers = ['sha256:1'], kernel = release() }: FakeImage): Engine {
  const root = mkdtempSync(join(folder, 'image-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text, { mode: 0o644 });
    utimesSync(join(root, path), Math.random() * 1e9, 1);
  }
  const archive = (...paths: readonly string[]) =>
    Readable.from([execFileSync('tar', ['--create', '--directory', root, ...paths])]);
  const container = {
    export: async () => archive('.'),
    getArchive: async ({ path }: { path: string }) => archive(path.slice(1)),
    remove: async () => (removed += 1),
  };
  return {
    socket: '',
    api: {
      getImage: () => ({
        inspect: async () => ({
          ...{ Config: config, RootFS: { Type: 'layers', Layers: layers }, Architecture: 'amd64', Size: 75 },
        }),
        history: async () => [
          { CreatedBy: '/bin/sh -c pip install flask', Size: 70 },
          { CreatedBy: '/bin/sh -c #(nop)  CMD ["python"]', Size: 0 },
          { CreatedBy: '/bin/sh -c #(nop) COPY file:a in /app', Size: 5 },
        ],
      }),
      createContainer: async () => container,
      info: async () => ({ KernelVersion: kernel, Name: hostname() }),
    },
  } as unknown as Engine;
}

const never = new AbortController().signal;

async function imageOf(image: FakeImage, change: Partial<Program> = {}) {
  const program = { ...restService('rest'), ...change };
  return await builtImage(engineOf(image), { owner: '1:1', root: folder }, program, 'sha256:a');
}

const entriesOf = async (image: FakeImage, change: Partial<Program> = {}) =>
  [...(await (await imageOf(image, change)).entries(never))].sort();

const FILES = { 'app/main.py': 'print()\n', 'app/README.md': 'A service.\n' };

describe('builtImage', () => {
  test('has its size, and what each instruction of its Dockerfile added', async () => {
    expect((await imageOf({ files: {} })).size).toEqual({
      bytes: 75,
      layers: [
        { command: 'pip install flask', bytes: 70 },
        { command: 'COPY file:a in /app', bytes: 5 },
      ],
    });
  });

  test('has an ID of layers and settings, which distinguishes images without their files', async () => {
    const id = async (image: Partial<FakeImage>) => (await imageOf({ files: {}, ...image })).id;
    const one = await id({ config: { Env: ['A=1'], Labels: { revision: '1' } } });

    expect(one).toBe(await id({ config: { Env: ['A=1'], Labels: { revision: '2' } } }));
    expect(one).not.toBe(await id({ config: { Env: ['A=2'] } }));
    expect(one).not.toBe(await id({ config: { Env: ['A=1'] }, layers: ['sha256:2'] }));
  });

  test('has the same entries for the same files of other times and layers, without the link of a worktree', async () => {
    const before = await entriesOf({ files: { ...FILES, 'app/.git': 'gitdir: /one' } });

    expect(await entriesOf({ files: { ...FILES, 'app/.git': 'gitdir: /two' }, layers: ['sha256:2'] })).toEqual(before);
    expect(await entriesOf({ files: { ...FILES, 'app/main.py': 'print(1)\n' } })).not.toEqual(before);
    expect(await entriesOf({ files: FILES, config: { Cmd: ['other'] } })).not.toEqual(before);
    expect(removed).toBe(4);
  });

  test('has the files of the repository that are mounted', async () => {
    const change = { files: { '/etc/app.conf': 'app.conf' } };
    writeFileSync(join(folder, 'app.conf'), 'one');
    const before = await entriesOf({ files: FILES }, change);
    writeFileSync(join(folder, 'app.conf'), 'two');

    expect(await entriesOf({ files: FILES }, change)).not.toEqual(before);
    expect((await imageOf({ files: FILES }, change)).id).toBeUndefined();
  });

  test('makes opens visible by mounts of copies', async () => {
    const { paths, mounts } = await (await imageOf({ files: FILES })).watchable(['/app/README.md'], never);

    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['A service.\n']);
    expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o644]);
    expect(mounts).toEqual({ '/app/README.md': paths[0]?.slice(folder.length + 1) });
  });

  test('cannot make them visible in an engine of another machine, or of what is mounted already', async () => {
    const other = await imageOf({ files: FILES, kernel: '6.0-linuxkit' });
    const mounted = await imageOf({ files: FILES }, { files: { '/app': '.' } });

    for (const program of [other, mounted]) {
      await expect(program.watchable(['/app/README.md'], never)).rejects.toThrow(/cannot be seen in the container/);
    }
  });
});
