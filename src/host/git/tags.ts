import { git } from './git.ts';
import { findRepository, resolveCommit } from './repository.ts';

/** A version, with or without a name before it: "v1.4.0", "1.4", "shop-v1.4.0", "shop@1.4.0"; none that is to come, as "v1.4.0-rc.1". */
const RELEASE = /^(?:[\w.@/-]*[@/-])?v?\d+\.\d+(?:\.\d+)*$/;

/**
 * The newest release that a version came from, by its tag: of the tags of commits before it that look like a version, the one with the
 * highest number. `head` is a ref; undefined for HEAD. Undefined if there is none.
 */
export async function latestRelease(folder: string, head: string | undefined): Promise<string | undefined> {
  const repository = await findRepository(folder);
  const { checkout } = repository;
  const commit = await resolveCommit(repository, head ?? 'HEAD');
  const argv = ['tag', `--merged=${commit}`, `--no-contains=${commit}`, '--sort=-version:refname'];
  const tags = (await git(checkout, argv)).split('\n');
  return tags.find((tag) => RELEASE.test(tag));
}

/** A ref of the repository that a folder belongs to as a commit; throws as `resolveCommit` does. */
export async function commitOf(folder: string, ref: string): Promise<string> {
  return await resolveCommit(await findRepository(folder), ref);
}
