import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { VersionFiles } from '../../src/host/git/worktrees.ts';
import { contents, gitIn } from '../integration/git-repository.ts';
import { useVersions } from '../integration/git-versions.ts';

const bench = useVersions();
/** The checkout of the submodule in the repository. */
let proto = '';

/** `proto` is a submodule of the repository, `proto/nested` one of that; both are checked out, at the commits "One". */
beforeEach(() => {
  const { scene } = bench;
  for (const name of ['nested', 'proto']) {
    const source = join(scene.folder, name);
    gitIn(scene.folder, 'init', '--quiet', '-b', 'main', source);
    change(source, `${name} 1\n`);
  }
  gitIn(join(scene.folder, 'proto'), 'submodule', '--quiet', 'add', join(scene.folder, 'nested'), 'nested dir');
  gitIn(join(scene.folder, 'proto'), 'commit', '--quiet', '-am', 'Nested');
  scene.git('submodule', '--quiet', 'add', '--name', 'the proto', join(scene.folder, 'proto'), 'proto');
  scene.git('submodule', '--quiet', 'update', '--init', '--recursive');
  scene.commit('With submodules');
  proto = join(scene.repository, 'proto');
});

function change(folder: string, text: string, commits = true): void {
  writeFileSync(join(folder, 'file.txt'), text);
  if (commits) {
    gitIn(folder, 'add', '--all');
    gitIn(folder, 'commit', '--quiet', '-m', 'Change');
  }
}

function texts({ root }: VersionFiles, folder = 'proto'): Record<string, string> {
  return Object.fromEntries(Object.entries(contents(join(root, folder))).filter(([path]) => path.endsWith('file.txt')));
}

describe('submodules of a version', () => {
  it('are laid out at the commits that it names', async () => {
    change(proto, 'proto 2\n');
    bench.scene.commit('Newer proto');

    expect(texts(await bench.lay('HEAD~1'))).toEqual({ 'file.txt': 'proto 1\n', 'nested dir/file.txt': 'nested 1\n' });
    expect(texts(await bench.lay('HEAD'))).toEqual({ 'file.txt': 'proto 2\n', 'nested dir/file.txt': 'nested 1\n' });
  });

  it('are shown as they are in a working tree, which is dirty then', async () => {
    expect(await bench.lay()).toMatchObject({ dirty: false });
    change(join(proto, 'nested dir'), 'nested, uncommitted\n', false);
    const index = contents(join(bench.scene.repository, '.git'));

    const version = await bench.lay();

    expect(version.dirty).toBe(true);
    expect(texts(version)).toEqual({ 'file.txt': 'proto 1\n', 'nested dir/file.txt': 'nested, uncommitted\n' });
    await version[Symbol.asyncDispose]();
    expect(contents(join(bench.scene.repository, '.git'))).toEqual(index);
    change(proto, 'proto, committed\n');
    expect(await bench.lay()).toMatchObject({ dirty: true });
    expect(await bench.lay('HEAD')).toMatchObject({ dirty: false });
  });

  it('are found where the checkout has them elsewhere, or not any more', async () => {
    bench.scene.git('rm', '--quiet', 'proto');
    bench.scene.commit('Without proto');

    expect(texts(await bench.lay('HEAD~1'))).toMatchObject({ 'file.txt': 'proto 1\n' });
    expect(contents((await bench.lay('HEAD')).root)).not.toHaveProperty('proto/file.txt');
  });

  it('remain empty folders where they were never checked out', async () => {
    const clone = join(bench.scene.folder, 'clone');
    gitIn(bench.scene.folder, 'clone', '--quiet', bench.scene.repository, clone);

    for (const ref of ['HEAD', undefined]) {
      const version = await bench.lay(ref, clone);
      expect(version.dirty).toBe(false);
      expect(contents(join(version.root, 'proto'))).toEqual({});
    }
  });

  it('have to have the commit', async () => {
    change(join(bench.scene.folder, 'proto'), 'proto, elsewhere\n');
    const commit = gitIn(join(bench.scene.folder, 'proto'), 'rev-parse', 'HEAD');
    bench.scene.git('update-index', '--cacheinfo', `160000,${commit},proto`);
    bench.scene.git('commit', '--quiet', '-m', 'Newer proto');

    expect(await bench.refused('HEAD')).toMatchObject({
      name: 'EnvironmentError',
      message: `the submodule "proto" lacks the commit ${commit}`,
      next: expect.stringContaining('git submodule foreach git fetch'),
    });
    expect(bench.scene.git('worktree', 'list').split('\n')).toHaveLength(1);
    gitIn(proto, 'fetch', '--quiet', 'origin');
    expect(texts(await bench.lay('HEAD'))).toMatchObject({ 'file.txt': 'proto, elsewhere\n' });
  });

  it('do not lead out of the repository by their name', async () => {
    const { scene } = bench;
    writeFileSync(
      join(scene.repository, '.gitmodules'),
      '[submodule "../../../proto/.git"]\n\tpath = proto\n\turl = x\n',
    );
    scene.commit('Odd name');
    rmSync(proto, { recursive: true });

    const version = await bench.lay('HEAD');

    expect(contents(join(version.root, 'proto'))).toEqual({});
  });

  it('need not be declared: a repository within the checkout is laid out too', async () => {
    const inner = join(bench.scene.repository, 'inner');
    gitIn(bench.scene.folder, 'init', '--quiet', inner);
    change(inner, 'inner\n');

    const version = await bench.lay();

    expect(texts(version, 'inner')).toEqual({ 'file.txt': 'inner\n' });
    expect(version.dirty).toBe(true);
  });
});
