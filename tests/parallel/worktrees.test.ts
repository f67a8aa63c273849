import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { VersionFiles } from '../../src/host/git/worktrees.ts';
import { addHook, contents, gitIn } from '../integration/git-repository.ts';
import { useVersions } from '../integration/git-versions.ts';

const bench = useVersions();

/** The files of a version, without git's own. */
function files({ root }: VersionFiles): Record<string, string> {
  const { '.git': _, ...rest } = contents(root);
  return rest;
}

describe('a version of a commit', () => {
  it('has the files and the name of the commit, for each kind of name', async () => {
    const first = bench.scene.git('rev-parse', 'HEAD');
    bench.scene.git('tag', '-a', 'v1', '-m', 'A release');
    bench.scene.write('app.txt', 'two\n');
    const second = bench.scene.commit(`Second\n\nWith a body`);
    bench.scene.write('app.txt', 'uncommitted\n');

    for (const ref of ['v1', 'HEAD~1', first, first.slice(0, 10), 'main@{1}']) {
      const version = await bench.lay(ref);
      expect(version).toMatchObject({ commit: first, dirty: false, ref, subject: 'First' });
      expect(files(version)).toEqual({ 'app.txt': 'one\n', 'sub/deep.txt': 'deep\n' });
    }
    expect(await bench.lay('main')).toMatchObject({ commit: second, dirty: false, ref: 'main', subject: 'Second' });
  });

  it('cuts and cleans the subject', async () => {
    bench.scene.commit(`\u001b[31m${'ü'.repeat(300)}`);

    const { subject } = await bench.lay('HEAD');

    expect(subject).toBe(` [31m${'ü'.repeat(195)}`);
  });

  it('is removed with all that git knows of it', async () => {
    const version = await bench.lay('main');
    expect(bench.scene.git('worktree', 'list').split('\n')).toHaveLength(2);

    await version[Symbol.asyncDispose]();

    expect(existsSync(version.root)).toBe(false);
    expect(existsSync(join(bench.scene.repository, '.git/worktrees'))).toBe(false);
    await version[Symbol.asyncDispose]();
  });

  it('is removed although its own files were changed', async () => {
    const version = await bench.lay('main');
    rmSync(join(version.root, '.git'));

    await version[Symbol.asyncDispose]();

    expect(existsSync(join(bench.scene.repository, '.git/worktrees'))).toBe(false);
  });

  it('is laid out next to others at once, with nothing that distinguishes them', async () => {
    bench.scene.write('app.txt', 'changed\n');

    const versions = await Promise.all([bench.lay('main'), bench.lay(), bench.lay('main'), bench.lay()]);

    const seen = versions.map(({ root }) => [root.length, readFileSync(join(root, '.git'), 'utf8').length]);
    expect(new Set(seen.map((lengths) => lengths.join())).size).toBe(1);
    for (const { root } of versions) {
      expect(readdirSync(dirname(root))).toEqual([basename(root)]);
      expect(statSync(root).mode & 0o777).toBe(0o755);
    }
  });

  it('leaves the checkout, the index, the branches and the stash as they are, and runs no hook', async () => {
    const mark = join(bench.scene.folder, 'hooks-ran');
    bench.scene.write('app.txt', 'stashed\n');
    bench.scene.git('stash');
    bench.scene.write('app.txt', 'staged\n');
    bench.scene.git('add', 'app.txt');
    bench.scene.write('app.txt', 'changed\n');
    bench.scene.write('new.txt', 'new\n');
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction', 'pre-commit', 'pre-auto-gc']) {
      addHook(bench.scene.repository, hook, mark);
    }
    const untouched = contents(bench.scene.repository);
    const indexTime = statSync(join(bench.scene.repository, '.git/index')).mtimeMs;

    const versions = [await bench.lay('main'), await bench.lay()];
    for (const version of versions) {
      await version[Symbol.asyncDispose]();
    }

    expect(contents(bench.scene.repository)).toEqual(untouched);
    expect(statSync(join(bench.scene.repository, '.git/index')).mtimeMs).toBe(indexTime);
    expect(existsSync(mark)).toBe(false);
  });
});

describe('a version of the working tree', () => {
  it('shows changes, new files, deletions, modes and links, but nothing that is ignored', async () => {
    const names = ['with space', 'new\nline', '"quotes"', "it's", '-dash', 'ü€', 'back\\slash', ':(glob)*'];
    bench.scene.write('.gitignore', 'ignored\n');
    bench.scene.write('run.sh', '#!/bin/sh\n');
    bench.scene.write('gone.txt', 'gone\n');
    bench.scene.write('staged.txt', 'old\n');
    const head = bench.scene.commit('Second');
    bench.scene.write('app.txt', 'changed\n');
    rmSync(join(bench.scene.repository, 'gone.txt'));
    rmSync(join(bench.scene.repository, 'sub'), { recursive: true });
    await chmod(join(bench.scene.repository, 'run.sh'), 0o755);
    bench.scene.write('staged.txt', 'staged\n');
    bench.scene.git('add', 'staged.txt');
    bench.scene.write('staged.txt', 'newer\n');
    bench.scene.write('ignored', 'secret\n');
    symlinkSync('../outside', join(bench.scene.repository, 'out'));
    for (const name of names) {
      bench.scene.write(`names/${name}`, name);
    }

    const version = await bench.lay();

    expect(version).toMatchObject({ commit: head, dirty: true, ref: 'working tree', subject: 'Second' });
    const { ignored, ...shown } = contents(bench.scene.repository);
    const inRepository = Object.entries(shown).filter(([path]) => !path.startsWith('.git/'));
    expect(ignored).toBe('secret\n');
    expect(files(version)).toEqual(Object.fromEntries(inRepository));
    expect(files(version)).toMatchObject({ out: '-> ../outside', 'staged.txt': 'newer\n', 'names/-dash': '-dash' });
    expect(statSync(join(version.root, 'run.sh')).mode & 0o111).toBe(0o111);
  });

  it('is HEAD itself where nothing differs', async () => {
    const version = await bench.lay();

    expect(version).toMatchObject({ dirty: false, commit: bench.scene.git('rev-parse', 'HEAD') });
    expect(gitIn(version.root, 'rev-parse', 'HEAD')).toBe(version.commit);
  });

  it('shows a change of the same size within the second of the last commit', async () => {
    for (const text of ['two\n', 'six\n', 'ten\n']) {
      bench.scene.commit('Again');
      bench.scene.write('app.txt', text);

      const version = await bench.lay();

      expect([files(version)['app.txt'], version.dirty]).toEqual([text, true]);
    }
  });

  it('gives equal trees equal commits, so that a build can be found again', async () => {
    bench.scene.write('app.txt', 'changed\n');

    const [one, other] = [await bench.lay(), await bench.lay()];

    expect(gitIn(one.root, 'rev-parse', 'HEAD')).toBe(gitIn(other.root, 'rev-parse', 'HEAD'));
    expect(gitIn(one.root, 'rev-parse', 'HEAD~1')).toBe(one.commit);
  });

  it('shows a conflict that is not resolved yet, as the files have it', async () => {
    bench.scene.git('checkout', '--quiet', '-b', 'other');
    bench.scene.write('app.txt', 'theirs\n');
    bench.scene.commit('Theirs');
    bench.scene.git('checkout', '--quiet', 'main');
    bench.scene.write('app.txt', 'ours\n');
    bench.scene.commit('Ours');
    expect(() => bench.scene.git('merge', 'other')).toThrow('Command failed');

    const version = await bench.lay();

    expect(files(version)['app.txt']).toMatch(/<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> other/);
    expect(bench.scene.git('status', '--porcelain')).toBe('AA app.txt'.replace('AA', 'UU'));
  });

  it('shows the files of a sparse checkout, and takes those outside it from the index', async () => {
    bench.scene.write('other/file.txt', 'far\n');
    bench.scene.commit('Second');
    bench.scene.git('sparse-checkout', 'set', 'sub');
    bench.scene.write('sub/deep.txt', 'changed\n');

    const version = await bench.lay();

    expect(files(version)['sub/deep.txt']).toBe('changed\n');
    expect(gitIn(version.root, 'diff', '--stat', 'HEAD~1', 'HEAD', '--', 'other')).toBe('');
  });

  it('does not mind a locked, a split or a missing index', async () => {
    bench.scene.git('update-index', '--split-index');
    bench.scene.write('app.txt', 'changed\n');
    bench.scene.write('.git/index.lock', '');

    expect(files(await bench.lay())).toMatchObject({ 'app.txt': 'changed\n', 'sub/deep.txt': 'deep\n' });

    rmSync(join(bench.scene.repository, '.git/index'));
    expect(files(await bench.lay())).toMatchObject({ 'app.txt': 'changed\n', 'sub/deep.txt': 'deep\n' });
  });

  it('runs the filters of .gitattributes, as a checkout does', async () => {
    bench.scene.git('config', 'filter.turn.clean', 'rev');
    bench.scene.git('config', 'filter.turn.smudge', 'rev');
    bench.scene.git('config', 'filter.turn.required', 'true');
    bench.scene.write('.gitattributes', '*.turned filter=turn\n');
    bench.scene.write('word.turned', 'abc\n');

    expect(files(await bench.lay())['word.turned']).toBe('abc\n');

    bench.scene.commit('Turned');
    bench.scene.git('config', 'filter.turn.smudge', 'false');
    await expect(bench.lay('HEAD')).rejects.toMatchObject({
      name: 'EnvironmentError',
      message: expect.stringMatching(/^`git worktree` failed in .*smudge filter turn failed/s),
      next: expect.stringContaining('Git LFS'),
    });
    expect(bench.scene.git('worktree', 'list').split('\n')).toHaveLength(2);
  });
});
