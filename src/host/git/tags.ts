import { git } from './git.ts';
import { findRepository, resolveCommit } from './repository.ts';

/** Release tag, optionally with a prefix: "v1.4.0", "1.4", "shop-v1.4.0", "shop@1.4.0"; no pre-release such as "v1.4.0-rc.1". */
const RELEASE = /^(?:[\w.@/-]*[@/-])?v?\d+\.\d+(?:\.\d+)*$/;

/** Tag of the newest release among the ancestors of `head`, a ref, by default HEAD; undefined without one. */
export async function latestRelease(folder: string, head: string | undefined): Promise<string | undefined> {
  const repository = await findRepository(folder);
  const { checkout } = repository;
  const commit = await resolveCommit(repository, head ?? 'HEAD');
  const argv = ['tag', `--merged=${commit}`, `--no-contains=${commit}`, '--sort=-version:refname'];
  const tags = (await git(checkout, argv)).split('\n');
  return tags.find((tag) => RELEASE.test(tag));
}

export async function commitOf(folder: string, ref: string): Promise<string> {
  return await resolveCommit(await findRepository(folder), ref);
}
