import { mkdtemp } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pidNamespace } from '../machine/proc.ts';
import { onDisk } from './output.ts';

/** Makes a temporary folder whose name tells its owner; throws EnvironmentError where the disk does not take it. */
export async function ownedFolder(owner: string): Promise<string> {
  const prefix = join(tmpdir(), `wiregauge-${pidNamespace('self') ?? 0}-${owner.replace(':', '-')}-`);
  return await onDisk(prefix, () => mkdtemp(prefix));
}

/** The owner that a folder's name tells; undefined for other folders and for owners whose pids mean nothing here. */
export function folderOwner(name: string): string | undefined {
  const [, namespace, pid, started] = /^wiregauge-(\d+)-(\d+)-(\d+)-\w+$/.exec(name) ?? [];
  return namespace === (pidNamespace('self') ?? '0') ? `${pid}:${started}` : undefined;
}

/** Where what was downloaded, built or copied for later starts is kept. */
export function cacheFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return join(environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache'), 'wiregauge');
}
