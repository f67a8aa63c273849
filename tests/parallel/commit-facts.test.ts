import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitFacts } from '../../src/host/git/repository.ts';
import { gitEnvironment, gitIn, makeScene, type Scene } from '../integration/git-repository.ts';

/** A clone of a repository whose main has three commits, and whose branch topic has one more than the second of them. */
let scene: Scene;
let restore = () => undefined as unknown;
let clone = '';

beforeEach(() => {
  restore = gitEnvironment();
  scene = makeScene();
  scene.commit('Second');
  scene.git('checkout', '--quiet', '-b', 'topic');
  scene.commit('Topic');
  scene.git('checkout', '--quiet', 'main');
  scene.commit('Third');
  clone = join(scene.folder, 'clone');
  gitIn(scene.folder, 'clone', '--quiet', scene.repository, clone);
});

afterEach(() => {
  restore();
  scene.remove();
});

const sha = (name: string) => gitIn(clone, 'rev-parse', name);
const branchOf = async (name: string, defaultBranch?: string) =>
  (await commitFacts(clone, sha(name), { remote: 'origin', defaultBranch })).branch;

describe('the branch of a commit', () => {
  it.each([
    ['the tip', 'origin/main'],
    ['the commit before', 'origin/main~1'],
    ['the first one', 'origin/main~2'],
  ])('is the default branch for %s of it, also with a detached head', async (_, name) => {
    gitIn(clone, 'checkout', '--quiet', '--detach', name);
    gitIn(clone, 'branch', '--quiet', '-D', 'main');

    expect(await branchOf(name)).toBe('main');
  });

  it('is the default branch where another one that has it is checked out, too', async () => {
    gitIn(clone, 'checkout', '--quiet', '-b', 'next', 'main~1');

    expect(await branchOf('HEAD')).toBe('main');
  });

  it.each([
    ['checked out', ['checkout', '--quiet', 'topic'], 'topic'],
    ['not checked out', ['checkout', '--quiet', '--detach', 'origin/topic'], 'topic'],
  ])('is another one for a commit that only that has, %s', async (_, argv, expected) => {
    gitIn(clone, ...argv);

    expect(await branchOf('origin/topic')).toBe(expected);
  });

  it('is the given default branch if git does not know it', async () => {
    gitIn(clone, 'remote', 'set-head', 'origin', '--delete');
    gitIn(clone, 'checkout', '--quiet', '--detach', 'main~1');

    expect(await branchOf('HEAD')).toBeUndefined();
    expect(await branchOf('HEAD', 'main')).toBe('main');
    expect(await branchOf('main')).toBe('main');
  });

  it('is unknown for a commit that no branch has', async () => {
    gitIn(clone, 'checkout', '--quiet', '--detach');
    gitIn(clone, 'commit', '--quiet', '--allow-empty', '-m', 'Nowhere');

    expect(await branchOf('HEAD')).toBeUndefined();
  });
});
