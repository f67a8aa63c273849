import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The checked-out commit of a folder, and whether tracked files differ from it; no commit outside a repository. */
export async function readCommit(folder: string): Promise<{ readonly head?: string; readonly dirty: boolean }> {
  try {
    const { stdout: head } = await run('git', ['rev-parse', 'HEAD'], { cwd: folder });
    const { stdout: changes } = await run('git', ['status', '--porcelain', '--untracked-files=no'], { cwd: folder });
    return { head: head.trim(), dirty: changes.trim() !== '' };
  } catch {
    // No git, no repository or no commit yet: a run can be measured all the same, and says that it has no commit.
    return { dirty: false };
  }
}
