import { copyFile, rm, stat, utimes } from 'node:fs/promises';
import { resolve } from 'node:path';
import { git } from './git.ts';

const IDENTITY = { name: 'Wiregauge', email: 'wiregauge@localhost' };

/**
 * A commit of a checkout as it is: tracked changes, untracked files that are not ignored, deletions. It belongs to no branch, and
 * is HEAD where nothing differs. The checkout's own index is copied to a scratch file and left as it is; files that git was told
 * to take for unchanged, or to skip, are shown as the index has them.
 */
export async function commitOfWorkingTree(checkout: string, scratch: string): Promise<string> {
  await copyIndex(resolve(checkout, await git(checkout, ['rev-parse', '--git-path', 'index'])), scratch);
  const head = await git(checkout, ['rev-parse', 'HEAD']);
  const variables = { GIT_INDEX_FILE: scratch };
  await git(checkout, ['add', '--all'], variables);
  const tree = await git(checkout, ['write-tree'], variables);
  if (tree === (await git(checkout, ['rev-parse', 'HEAD^{tree}']))) {
    return head;
  }
  const date = await git(checkout, ['log', '-1', '--format=%cI']);
  return await git(checkout, ['commit-tree', tree, '-p', head, '-m', 'Working tree'], {
    GIT_AUTHOR_NAME: IDENTITY.name,
    GIT_AUTHOR_EMAIL: IDENTITY.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: IDENTITY.name,
    GIT_COMMITTER_EMAIL: IDENTITY.email,
    GIT_COMMITTER_DATE: date,
  });
}

/**
 * git takes a file for unchanged by its size and time, unless it is as young as the index that noted them. So the copy must
 * not be younger than its original, by which a change within the same second would go unseen.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  try {
    const seconds = Math.floor((await stat(from)).mtimeMs / 1000);
    await copyFile(from, to);
    await utimes(to, seconds, seconds);
  } catch (thrown) {
    // None yet: git then looks at every file.
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) {
      throw thrown;
    }
  }
}
