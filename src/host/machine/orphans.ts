import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../foundation/index.ts';
import { endGroup } from '../child.ts';
import { folderOwner } from '../files/own-folders.ts';
import { removeWorktree } from '../git/worktrees.ts';
import { allProcesses, isOwnerAlive, isRunning, pidNamespace, processStat, readProc } from './proc.ts';
import { type ProcessStat, parseEnvironment } from './proc-files.ts';

/** The environment variable that marks every process that a run starts with the run's owner. */
export const OWNER_VARIABLE = 'WIREGAUGE_OWNER';

const GRACE_MS = 3000;

/**
 * Ends the processes and removes the temporary folders of runs that no longer exist, with a line for each; and what git
 * knows of a worktree in such a folder.
 */
export async function removeOrphans(log: (line: string) => void): Promise<void> {
  const gone = (owner: string) => !isOwnerAlive(owner);
  await endMarked(gone, ({ pid, name }) => log(`ending ${name} (pid ${pid}), left by a run that no longer exists`));
  for (const name of await readdir(tmpdir())) {
    const owner = folderOwner(name);
    if (owner !== undefined && gone(owner)) {
      await removeFolder(join(tmpdir(), name), log);
    }
  }
}

/** Ends whatever processes of an owner are left, also those that have left their process group. */
export async function endProcessesOf(owner: string): Promise<void> {
  await endMarked((found) => found === owner);
}

async function endMarked(
  isMeant: (owner: string) => boolean,
  announce: (stat: ProcessStat) => void = () => undefined,
): Promise<void> {
  const own = processStat('self')?.group;
  const marked = allProcesses().filter((stat) => {
    const owner = stat.group === own || !isRunning(stat) ? undefined : markOf(stat.pid);
    return owner !== undefined && isMeant(owner);
  });
  marked.forEach(announce);
  await Promise.all([...new Set(marked.map((stat) => stat.group))].map((group) => endGroup(group, GRACE_MS)));
}

// The pid in a mark that was made in another pid namespace names another process here.
function markOf(pid: number): string | undefined {
  const owner = parseEnvironment(readProc(`/proc/${pid}/environ`) ?? '', OWNER_VARIABLE);
  return owner !== undefined && pidNamespace(pid) === pidNamespace('self') ? owner : undefined;
}

async function removeFolder(path: string, log: (line: string) => void): Promise<void> {
  log(`removing ${path}, left by a run that no longer exists`);
  try {
    await removeWorktree(path);
  } catch (thrown) {
    // Another user's: theirs to remove, and no reason not to measure.
    log(`${path} cannot be removed: ${messageOf(thrown)}`);
  }
}
