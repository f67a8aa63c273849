import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCommit } from '../../src/host/git/git.ts';
import { contents, gitIn } from '../integration/git-repository.ts';
import { useVersions } from '../integration/git-versions.ts';

const bench = useVersions();

describe('the measured folder', () => {
  it('is the same one in the version, also where a link leads to it', async () => {
    bench.scene.write('sub dir/a\nb/deep.txt', 'two\n');
    bench.scene.commit('Second');
    const inner = join(bench.scene.repository, 'sub dir/a\nb');
    symlinkSync(inner, join(bench.scene.folder, 'link'));

    for (const folder of [inner, join(bench.scene.folder, 'link'), `${inner}/`]) {
      const { root } = await bench.lay('main', folder);
      expect(root.endsWith('/sub dir/a\nb')).toBe(true);
      expect(contents(root)).toEqual({ 'deep.txt': 'two\n' });
    }
  });

  it('has to be in the version', async () => {
    bench.scene.write('new/file.txt', 'new\n');
    bench.scene.commit('Second');

    await expect(bench.lay('HEAD~1', join(bench.scene.repository, 'new'))).rejects.toMatchObject({
      name: 'ConfigError',
      message: 'HEAD~1 has no folder "new"',
      next: expect.stringContaining('folder that this version has'),
    });
    expect(existsSync(join(bench.scene.repository, '.git/worktrees'))).toBe(false);
  });

  it('of a base is where its files were, and empty if it had none', async () => {
    bench.scene.write('api/a.txt', `${'one\n'.repeat(9)}`);
    bench.scene.write('api/sub/b.txt', `${'two\n'.repeat(9)}`);
    bench.scene.commit('Before');
    bench.scene.git('rm', '-rq', '--cached', 'api');
    rmSync(join(bench.scene.repository, 'api'), { recursive: true });
    bench.scene.write('services/api/a.txt', `${'one\n'.repeat(9)}`);
    bench.scene.write('services/api/sub/b.txt', `${'two\n'.repeat(9)}`);
    bench.scene.write('other/c.txt', 'new\n');
    bench.scene.commit('Move the folder');
    const { repository } = bench.scene;

    const moved = await bench.layBase('HEAD~1', join(repository, 'services/api'));
    const none = await bench.layBase('HEAD~1', join(repository, 'other'));
    const still = await bench.layBase('HEAD', join(repository, 'services/api'));

    expect(Object.keys(contents(moved.root)).toSorted()).toEqual(['a.txt', 'sub/b.txt']);
    expect(moved.root.endsWith('/api') && !moved.root.endsWith('/services/api')).toBe(true);
    expect(contents(none.root)).toEqual({});
    expect(still.root.endsWith('/services/api')).toBe(true);
  });

  it('may be in a worktree of another one, with a detached HEAD', async () => {
    const linked = join(bench.scene.folder, 'linked');
    bench.scene.git('worktree', 'add', '--quiet', '--detach', linked);
    bench.scene.write('app.txt', 'not here\n');
    execFileSync('sh', ['-c', 'echo here > "$0/app.txt"', linked]);

    const version = await bench.lay(undefined, linked);

    expect(contents(version.root)['app.txt']).toBe('here\n');
    await version[Symbol.asyncDispose]();
    expect(readdirSync(join(bench.scene.repository, '.git/worktrees'))).toEqual(['linked']);
  });

  it('is found although a hook or an alias set variables for another repository', async () => {
    const other = join(bench.scene.folder, 'other');
    gitIn(bench.scene.folder, 'init', '--quiet', other);
    bench.scene.write('app.txt', 'changed\n');
    const { GIT_CONFIG_COUNT: _, ...local } = Object.fromEntries(
      bench.scene
        .git('rev-parse', '--local-env-vars')
        .split('\n')
        .map((name) => [name, '/nowhere']),
    );
    Object.assign(process.env, local);
    process.env['GIT_DIR'] = join(other, '.git');
    process.env['GIT_WORK_TREE'] = other;
    process.env['GIT_INDEX_FILE'] = join(other, '.git/index');
    process.env['GIT_PREFIX'] = 'sub/';
    process.env['GIT_OBJECT_DIRECTORY'] = join(other, '.git/objects');
    process.env['GIT_CONFIG_PARAMETERS'] = "'core.bare=true'";

    const { root, commit, dirty } = await bench.lay();

    expect(contents(root)['app.txt']).toBe('changed\n');
    expect(await readCommit(bench.scene.repository)).toEqual({ head: commit, dirty });
    expect(readdirSync(join(other, '.git'))).not.toContain('index');
  });
});
