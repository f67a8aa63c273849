import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mergeBase, mergeBaseOfTip, usualBase } from '../../src/host/git/repository.ts';
import { gitIn } from '../integration/git-repository.ts';
import { useVersions } from '../integration/git-versions.ts';

const bench = useVersions();

async function refusal(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => expect.fail('it was found'),
    (thrown: unknown) => thrown,
  );
}

describe('mergeBase', () => {
  it('is where the branches parted, despite later commits on the base', async () => {
    const { scene } = bench;
    const parted = scene.git('rev-parse', 'HEAD');
    const main = scene.git('branch', '--show-current');
    scene.git('checkout', '--quiet', '-b', 'topic');
    scene.commit('On the topic');
    scene.git('checkout', '--quiet', main);
    scene.commit('Later on the base');

    expect(await mergeBase(scene.repository, main, 'topic')).toBe(parted);
    scene.git('checkout', '--quiet', 'topic');
    expect(await mergeBase(scene.repository, main, undefined)).toBe(parted);
  });

  it('is not there for histories that never met', async () => {
    const { scene } = bench;
    const main = scene.git('branch', '--show-current');
    scene.git('checkout', '--quiet', '--orphan', 'other');
    scene.commit('Another beginning');

    expect(await refusal(mergeBase(scene.repository, main, 'other'))).toMatchObject({
      name: 'ConfigError',
      message: `"${main}" and "other" have no common commit in ${scene.repository}`,
      next: expect.stringContaining('--base'),
    });
    process.env['GITHUB_ACTIONS'] = 'true';
    expect(await refusal(mergeBase(scene.repository, main, 'other'))).toMatchObject({
      next: expect.stringContaining('`with: { args: --base <branch, tag or commit> }`'),
    });
  });

  it('is asked for with `fetch-depth: 0` where a shallow clone does not reach back so far', async () => {
    const { scene } = bench;
    const main = scene.git('branch', '--show-current');
    scene.git('checkout', '--quiet', '-b', 'topic');
    scene.commit('One');
    scene.git('checkout', '--quiet', main);
    scene.commit('Two');
    const clone = join(scene.folder, 'clone');
    gitIn(scene.folder, 'clone', '--quiet', '--depth=1', '--no-single-branch', `file://${scene.repository}`, clone);
    process.env['GITHUB_ACTIONS'] = 'true';

    expect(await refusal(mergeBase(clone, `origin/${main}`, 'origin/topic'))).toMatchObject({
      name: 'EnvironmentError',
      message: expect.stringContaining('does not contain the merge base of "origin/'),
      next: expect.stringMatching(/`with: \{ fetch-depth: 0 \}`/),
    });
  });
});

describe('mergeBaseOfTip', () => {
  it('is that with the branch of the remote if a force-push took the commit away', async () => {
    const { scene } = bench;
    scene.git('branch', '--move', '--force', 'main');
    const parted = scene.git('rev-parse', 'HEAD');
    scene.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    scene.git('checkout', '--quiet', '-b', 'topic');
    scene.commit('On the topic');
    const gone = 'a'.repeat(40);

    expect(await mergeBaseOfTip(scene.repository, { tip: gone, branch: 'main' }, 'topic')).toEqual({
      commit: parted,
      lacksTip: true,
    });
    expect(await mergeBaseOfTip(scene.repository, { tip: parted, branch: 'main' }, 'topic')).toEqual({
      commit: parted,
      lacksTip: false,
    });
    expect(await refusal(mergeBaseOfTip(scene.repository, { tip: gone, branch: 'other' }, 'topic'))).toMatchObject({
      message: expect.stringContaining(gone),
    });
  });

  it('is refused where it would compare the head with itself', async () => {
    const { scene } = bench;
    scene.git('branch', '--move', '--force', 'main');
    scene.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    const gone = 'a'.repeat(40);
    const clone = join(scene.folder, 'clone');
    gitIn(scene.folder, 'clone', '--quiet', '--depth=1', `file://${scene.repository}`, clone);

    expect(await refusal(mergeBaseOfTip(scene.repository, { tip: gone, branch: 'main' }, undefined))).toMatchObject({
      name: 'EnvironmentError',
      message: expect.stringContaining('origin/main contains the head'),
    });
    expect(await refusal(mergeBaseOfTip(clone, { tip: gone, branch: 'main' }, undefined))).toMatchObject({
      name: 'EnvironmentError',
      message: expect.stringContaining('the shallow clone'),
    });
  });
});

describe('usualBase', () => {
  const topic = () => {
    const { scene } = bench;
    scene.git('branch', '--move', '--force', 'main');
    const parted = scene.git('rev-parse', 'HEAD');
    scene.git('checkout', '--quiet', '-b', 'topic');
    scene.commit('On the topic');
    return { scene, parted };
  };

  it('is where a branch parted from the default branch of the remote, or from main', async () => {
    const { scene, parted } = topic();
    expect(await usualBase(scene.repository, undefined)).toBe(parted);
    expect(await usualBase(scene.repository, 'topic')).toBe(parted);

    scene.git('update-ref', 'refs/remotes/origin/trunk', 'HEAD');
    scene.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
    scene.commit('Later');
    expect(await usualBase(scene.repository, undefined)).toBe(scene.git('rev-parse', 'HEAD~1'));
  });

  it('is refused if nothing has changed since, files that git does not know included', async () => {
    const { scene } = topic();
    scene.git('checkout', '--quiet', 'main');
    expect(await refusal(usualBase(scene.repository, undefined))).toMatchObject({
      name: 'ConfigError',
      message: 'nothing has changed since main',
      next: expect.stringContaining('--base <ref>'),
    });
    expect(await refusal(usualBase(scene.repository, 'main'))).toMatchObject({ name: 'ConfigError' });

    writeFileSync(join(scene.repository, 'new.txt'), '');
    expect(await usualBase(scene.repository, undefined)).toBe(scene.git('rev-parse', 'main'));
  });

  it('is refused in a repository without such a branch', async () => {
    const { scene } = bench;
    scene.git('branch', '--move', '--force', 'develop');

    expect(await refusal(usualBase(scene.repository, undefined))).toMatchObject({
      name: 'ConfigError',
      message: expect.stringContaining('has none of the branches origin/HEAD, origin/main'),
      next: expect.stringMatching(
        /`--base <ref>`.*clone of a tag.*`git fetch origin <branch>:refs\/remotes\/origin\/<branch>`/,
      ),
    });
  });
});
