import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readCommit } from '../../src/host/git/git.ts';
import { gitIn } from '../integration/git-repository.ts';
import { useVersions } from '../integration/git-versions.ts';

const bench = useVersions();
const mounted: string[] = [];

afterEach(() => {
  for (const path of mounted.splice(0)) {
    execFileSync('umount', [path]);
  }
});

describe('a version that cannot be had', () => {
  it('is not looked for outside a repository, in a bare one or in a .git folder', async () => {
    const bare = join(bench.scene.folder, 'bare.git');
    bench.scene.git('clone', '--quiet', '--bare', '.', bare);

    expect(await bench.refused('main', bench.scene.folder)).toMatchObject({
      name: 'ConfigError',
      message: `${bench.scene.folder} is not in a git repository`,
      next: expect.stringContaining('Change to the folder of a clone'),
    });
    expect(await bench.refused('main', join(bench.scene.folder, 'none'))).toMatchObject({
      name: 'ConfigError',
      message: expect.stringContaining('is not an accessible folder'),
    });
    for (const folder of [bare, join(bench.scene.repository, '.git')]) {
      expect(await bench.refused('main', folder)).toMatchObject({
        name: 'ConfigError',
        message: expect.stringContaining('is in a bare repository or a .git folder'),
        next: expect.stringContaining('git clone'),
      });
    }
  });

  it('is named where the ref is unknown, looks like an option, or is not a commit', async () => {
    const mark = join(bench.scene.folder, 'mark');
    const blob = bench.scene.git('rev-parse', 'HEAD:app.txt');
    const odd = ['', '-', '--', '-h', '--all', `--upload-pack=touch ${mark}`, '--end-of-options', '^main', 'a\0b'];

    for (const ref of [
      'nowhere',
      'f'.repeat(40),
      'main:app.txt',
      'main..main',
      blob,
      'HEAD~9',
      'a\u001b[2J',
      'a\u009b2J',
      ...odd,
    ]) {
      expect(await bench.refused(ref)).toMatchObject({
        name: 'ConfigError',
        message: `there is no commit ${JSON.stringify(ref).replace('\u009b', '?')} in ${bench.scene.repository}`,
        next: expect.stringContaining('git fetch'),
      });
    }
    expect(existsSync(mark)).toBe(false);
  });

  it('is proposed under the name that it has here', async () => {
    const clone = join(bench.scene.folder, 'clone');
    bench.scene.git('branch', 'topic');
    gitIn(bench.scene.folder, 'clone', '--quiet', bench.scene.repository, clone);

    expect(await bench.refused('topic', clone)).toMatchObject({
      message: `there is no "topic" in ${clone}`,
      next: 'Did you mean origin/topic?',
    });
  });

  it('is missing in a shallow clone, which says how to fetch it', async () => {
    const clone = join(bench.scene.folder, 'clone');
    const first = bench.scene.git('rev-parse', 'HEAD');
    bench.scene.commit('Second');
    gitIn(bench.scene.folder, 'clone', '--quiet', '--depth=1', `file://${bench.scene.repository}`, clone);
    delete process.env['GITHUB_ACTIONS'];

    for (const ref of [first, 'HEAD~1', 'elsewhere']) {
      expect(await bench.refused(ref, clone)).toMatchObject({
        name: 'EnvironmentError',
        message: `the shallow clone in ${clone} lacks "${ref}"`,
        next: expect.stringMatching(/`git fetch --unshallow`.*`git fetch --deepen=100`/),
      });
    }
    process.env['GITHUB_ACTIONS'] = 'true';
    expect(await bench.refused(first, clone)).toMatchObject({ next: expect.stringContaining('fetch-depth: 0') });

    gitIn(clone, 'fetch', '--quiet', '--unshallow');
    expect(await bench.lay(first, clone)).toMatchObject({ commit: first });
  });

  it('is missing before the first commit', async () => {
    const empty = join(bench.scene.folder, 'empty');
    gitIn(bench.scene.folder, 'init', '--quiet', empty);

    for (const ref of [undefined, 'main']) {
      expect(await bench.refused(ref, empty)).toMatchObject({
        name: 'ConfigError',
        message: `${empty} has no commits yet`,
        next: expect.stringContaining('commit the version'),
      });
    }
  });

  it('needs git', async () => {
    process.env['PATH'] = bench.scene.folder;

    expect(await bench.refused('main')).toMatchObject({
      name: 'EnvironmentError',
      message: 'git is missing',
      next: expect.stringContaining('Install git'),
    });
    expect(await readCommit(bench.scene.repository)).toEqual({ dirty: false });
  });

  it('is refused to users who do not own the repository', async ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root can give a repository away');
    execFileSync('chown', ['-R', '65534', bench.scene.repository]);

    expect(await bench.refused('main')).toMatchObject({
      name: 'EnvironmentError',
      message: expect.stringContaining('dubious ownership'),
      next: expect.stringContaining('as the owner of the repository'),
    });
  });

  it('leaves nothing behind where the disk is full', async ({ skip }) => {
    const small = join(bench.scene.folder, 'small');
    mkdirSync(small);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', small], { stdio: 'ignore' });
      mounted.push(small);
    } catch {
      skip('this user may not mount');
    }
    bench.scene.write('big.bin', 'x'.repeat(1024 * 1024));
    bench.scene.commit('Big');
    process.env['TMPDIR'] = small;

    expect(await bench.refused('main')).toMatchObject({
      name: 'EnvironmentError',
      message: expect.stringMatching(/^`git worktree` failed in .*unable to write file big\.bin/s),
      next: expect.stringContaining('set TMPDIR'),
    });
    expect(readdirSync(small)).toEqual([]);
    expect(bench.scene.git('worktree', 'list').split('\n')).toHaveLength(1);
  });
});
