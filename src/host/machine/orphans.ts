import { existsSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnvironmentError, ifPossible, messageOf } from '../../foundation/errors.ts';
import { endGroup, endProcess } from '../child.ts';
import { folderOwner, isOwnFolder } from '../files/own-folders.ts';
import { removeWorktree } from '../git/worktrees.ts';
import { escapedProcesses, marksOf, ownerInEnvironment } from './descendants.ts';
import {
  allProcesses,
  isOwnerAlive,
  isOwnProcess,
  isRunning,
  ownerPlace,
  pidNamespace,
  processStat,
  programName,
} from './proc.ts';
import type { ProcessStat } from './proc-files.ts';

const GRACE_MS = 3000;

/** Ends the processes and removes the folders and worktrees of this user's runs that no longer exist. */
export async function removeOrphans(log: (line: string) => void): Promise<void> {
  const gone = (owner: string) => !isOwnerAlive(owner);
  await endMarked(
    ({ pid }) => marksOf(pid).some(gone),
    (stat) => log(`stopping ${programName(stat)} (pid ${stat.pid}), left over from an earlier run`),
  );
  for (const name of await namesInTemporaryFolder()) {
    const owner = folderOwner(name);
    const path = join(tmpdir(), name);
    if (owner !== undefined && gone(owner) && isOwnFolder(path)) {
      await removeFolder(path, log);
    }
  }
}

async function namesInTemporaryFolder(): Promise<readonly string[]> {
  try {
    return await readdir(tmpdir());
  } catch (cause) {
    throw new EnvironmentError(`the temporary folder ${tmpdir()} cannot be read: ${messageOf(cause)}`, {
      code: 'WG-207',
      cause,
      next: 'Set TMPDIR to a folder that exists and that you may read and write.',
    });
  }
}

/** Ends the remaining processes of an owner, also those that have left the process tree. */
export async function endProcessesOf(owner: string, log: (line: string) => void = () => undefined): Promise<void> {
  const escaped = new Set(escapedProcesses(owner).map(({ pid }) => pid));
  await endMarked(
    ({ pid }) => escaped.has(pid) || ownerInEnvironment(pid) === owner,
    (stat) =>
      escaped.has(stat.pid) && log(`stopping ${programName(stat)} (pid ${stat.pid}), which had left its process group`),
  );
}

async function endMarked(
  isMeant: (stat: ProcessStat) => boolean,
  announce: (stat: ProcessStat) => void,
): Promise<void> {
  const own = processStat('self')?.group;
  const running = allProcesses().filter(isRunning);
  const marked = running.filter((stat) => stat.group !== own && isMeant(stat));
  marked.forEach(announce);
  const groups = [...new Set(marked.map((stat) => stat.group))];
  const ended = await Promise.allSettled(
    groups.map(async (group) => {
      const members = running.filter((stat) => stat.group === group);
      if (group > 1 && members.every(({ pid }) => isOwnProcess(pid))) {
        return await endGroup(group, GRACE_MS);
      }
      const ours = marked.filter((stat) => stat.group === group);
      await Promise.all(ours.map(({ pid }) => endProcess(pid, GRACE_MS)));
    }),
  );
  // A failure does not affect the others.
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
}

async function removeFolder(path: string, log: (line: string) => void): Promise<void> {
  log(`removing ${path}, left over from an earlier run`);
  try {
    await removeWorktree(path);
  } catch (thrown) {
    // For example files of a container's user: the measurement goes on.
    log(`${path} cannot be removed: ${messageOf(thrown)}`);
  }
}

/** State of an owner. A process of another boot does not run here, but it may be another machine's. */
type OwnerState = 'alive' | 'gone' | 'of another boot' | 'unknown';

export interface OwnerSearch {
  readonly place: string;
  readonly isAlive: (owner: string) => boolean;
  /** Pid namespaces of all processes of this machine; undefined if some are hidden. */
  readonly namespaces: () => ReadonlySet<string> | undefined;
}

export function searchHere(isAlive: (owner: string) => boolean = isOwnerAlive): OwnerSearch {
  return { place: ownerPlace(), isAlive, namespaces: allNamespaces };
}

/** State of an owner, "<pid>:<start time>", by what `ownerPlace` returned there. */
export function ownerState(owner: string, place: string, search: OwnerSearch): OwnerState {
  const [boot, namespace = '', user] = place.split('/');
  const [ownBoot, ownNamespace, ownUser] = search.place.split('/');
  if (user !== ownUser) {
    return 'unknown';
  }
  if (boot !== ownBoot) {
    return 'of another boot';
  }
  if (namespace === ownNamespace) {
    return search.isAlive(owner) ? 'alive' : 'gone';
  }
  return search.namespaces()?.has(namespace) === false ? 'gone' : 'unknown';
}

/** Inode numbers of the initial namespaces of a machine. */
const FIRST = { pid: 'pid:[4026531836]', user: 'user:[4026531837]' };

/** Only root in the initial namespaces sees all processes: a hidden one could be the owner. */
function allNamespaces(): ReadonlySet<string> | undefined {
  const isFirst = linkOf('pid') === FIRST.pid && linkOf('user') === FIRST.user && process.getuid?.() === 0;
  if (!isFirst) {
    return undefined;
  }
  // Process 1 is in the current namespace, even if root may not read that.
  const seen = new Set([pidNamespace('self') ?? '']);
  for (const { pid } of allProcesses().filter((one) => one.pid !== 1 && isRunning(one))) {
    const namespace = pidNamespace(pid);
    if (namespace !== undefined) {
      seen.add(namespace);
    } else if (existsSync(`/proc/${pid}/fd`)) {
      return undefined;
    }
  }
  return seen;
}

function linkOf(kind: keyof typeof FIRST): string | undefined {
  return ifPossible(() => readlinkSync(`/proc/self/ns/${kind}`));
}
