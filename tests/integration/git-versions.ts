import { afterEach, beforeEach, expect } from 'vitest';
import { baseVersionOf, type VersionFiles, versionOf } from '../../src/host/git/worktrees.ts';
import { ownerOf } from '../../src/host/machine/proc.ts';
import { gitEnvironment, makeScene, type Scene } from './git-repository.ts';
import { ownedFolders } from './plain-service.ts';

/** Whose versions these are: this program's. */
export const OWNER = ownerOf(process.pid) ?? '';

/** What each test of a file has. */
export interface VersionBench {
  readonly scene: Scene;
  /** Lays out a version, and disposes of it after the test. */
  lay(ref?: string, repository?: string): Promise<VersionFiles>;
  /** Lays out the base of a comparison with HEAD, and disposes of it after the test. */
  layBase(base: string, repository: string): Promise<VersionFiles>;
  /** What laying out a version throws. */
  refused(ref?: string, repository?: string): Promise<unknown>;
}

/** A scene for each test of a file; after a test nothing of its versions may be left. */
export function useVersions(): VersionBench {
  let scene: Scene | undefined;
  let restore = () => undefined as unknown;
  const open: VersionFiles[] = [];
  const made = () => scene ?? expect.fail('outside a test');
  beforeEach(() => {
    restore = gitEnvironment();
    scene = makeScene();
  });
  afterEach(async () => {
    for (const version of open.splice(0)) {
      await version[Symbol.asyncDispose]();
    }
    restore();
    made().remove();
    expect(ownedFolders(OWNER)).toEqual([]);
  });
  return {
    get scene() {
      return made();
    },
    async lay(ref, repository = made().repository) {
      const version = await versionOf(repository, ref, OWNER);
      open.push(version);
      return version;
    },
    async layBase(base, repository) {
      const version = await baseVersionOf(repository, { base, head: 'HEAD' }, OWNER);
      open.push(version);
      return version;
    },
    async refused(ref, repository = made().repository) {
      try {
        open.push(await versionOf(repository, ref, OWNER));
      } catch (thrown) {
        return thrown;
      }
      return expect.fail('it was laid out');
    },
  };
}
