import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../foundation/index.ts';
import { endGroup, endProcess } from '../child.ts';
import { folderOwner, isOwnFolder } from '../files/own-folders.ts';
import { readProc } from '../files/reader.ts';
import { removeWorktree } from '../git/worktrees.ts';
import { allProcesses, isOwnerAlive, isOwnProcess, isRunning, pidNamespace, processStat } from './proc.ts';
import { type ProcessStat, parseEnvironment } from './proc-files.ts';

/** The environment variable that marks every process that a run starts with the run's owner. */
export const OWNER_VARIABLE = 'WIREGAUGE_OWNER';

const GRACE_MS = 3000;

/**
 * Ends the processes and removes the temporary folders of runs that no longer exist, with a line for each; and what git
 * knows of a worktree in such a folder. Anybody can make such marks, so only what is this user's is touched.
 */
export async function removeOrphans(log: (line: string) => void): Promise<void> {
  const gone = (owner: string) => !isOwnerAlive(owner);
  await endMarked(gone, ({ pid, name }) => log(`stopping ${name} (pid ${pid}), left over from an earlier run`));
  for (const name of await readdir(tmpdir())) {
    const owner = folderOwner(name);
    const path = join(tmpdir(), name);
    if (owner !== undefined && gone(owner) && isOwnFolder(path)) {
      await removeFolder(path, log);
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
  const running = allProcesses().filter(isRunning);
  const marked = running.filter((stat) => {
    const owner = stat.group === own ? undefined : markOf(stat.pid);
    return owner !== undefined && isMeant(owner);
  });
  marked.forEach(announce);
  const groups = [...new Set(marked.map((stat) => stat.group))];
  await Promise.all(
    groups.map(async (group) => {
      const members = running.filter((stat) => stat.group === group);
      if (group > 1 && members.every(({ pid }) => isOwnProcess(pid))) {
        return await endGroup(group, GRACE_MS);
      }
      const ours = marked.filter((stat) => stat.group === group);
      await Promise.all(ours.map(({ pid }) => endProcess(pid, GRACE_MS)));
    }),
  );
}

// The pid in a mark that was made in another pid namespace names another process here.
function markOf(pid: number): string | undefined {
  const owner = parseEnvironment(readProc(`/proc/${pid}/environ`) ?? '', OWNER_VARIABLE);
  const isOurs = owner !== undefined && isOwnProcess(pid) && pidNamespace(pid) === pidNamespace('self');
  return isOurs ? owner : undefined;
}

async function removeFolder(path: string, log: (line: string) => void): Promise<void> {
  log(`removing ${path}, left over from an earlier run`);
  try {
    await removeWorktree(path);
  } catch (thrown) {
    // Such as what a container has left there as another user: no reason not to measure.
    log(`${path} cannot be removed: ${messageOf(thrown)}`);
  }
}
