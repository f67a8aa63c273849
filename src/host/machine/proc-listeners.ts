import { readdirSync, readlinkSync } from 'node:fs';
import { allProcesses, readProc } from './proc.ts';
import type { ProcessStat } from './proc-parse.ts';
import { parseListeners } from './proc-parse-listeners.ts';

/** It hands connections on to a container, whose time is not in its own. */
const PROXIES: readonly string[] = ['docker-proxy', 'rootlesskit', 'slirp4netns', 'gvproxy', 'pasta'];

/**
 * Process ids of the programs of this network that listen on a local port, without those that another of them has started. Empty
 * where none can be seen: it is another user's, or listens on behalf of a container.
 */
export function listenersOn(port: number): readonly number[] {
  const inodes = new Set(
    ['tcp', 'tcp6'].flatMap((file) => parseListeners(readProc(`/proc/self/net/${file}`) ?? '', port)),
  );
  const holders = inodes.size === 0 ? [] : allProcesses().filter(({ pid }) => holdsSocket(pid, inodes));
  return holders.some(({ name }) => PROXIES.includes(name)) ? [] : rootsOf(holders).map(({ pid }) => pid);
}

/** Workers that inherited the socket are their parent's. */
function rootsOf(holders: readonly ProcessStat[]): readonly ProcessStat[] {
  const pids = new Set(holders.map(({ pid }) => pid));
  return holders.filter(({ parent }) => !pids.has(parent));
}

function holdsSocket(pid: number, inodes: ReadonlySet<string>): boolean {
  return openFilesOf(pid).some((file) => inodes.has(/^socket:\[(\d+)\]$/.exec(file)?.[1] ?? ''));
}

/** What the file descriptors of a process lead to; none where that is hidden. */
function openFilesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((descriptor) => linkOf(`${folder}/${descriptor}`));
  } catch {
    return [];
  }
}

function linkOf(path: string): readonly string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    // Closed since it was listed.
    return [];
  }
}
