import { isGithubRefusal, onErrand } from './github-errors.ts';
import type { GithubRepository } from './github-repository.ts';

/** A file on a branch. */
export interface BranchFile {
  readonly branch: string;
  readonly path: string;
}

/** Whether a branch has a file that the token may see. Rejects with GitHubRefusal where GitHub does not answer. */
export async function hasFileOn(
  { client, of, name }: GithubRepository,
  { branch, path }: BranchFile,
): Promise<boolean> {
  const errand = { what: `look for ${path} on ${branch} of ${name}`, permissions: 'contents: read' };
  try {
    await onErrand(errand, async () => await client.rest.repos.getContent({ ...of, path, ref: branch }));
    return true;
  } catch (thrown) {
    if (isGithubRefusal(thrown, 'not-found') || isGithubRefusal(thrown, 'read-only')) {
      return false;
    }
    throw thrown;
  }
}
