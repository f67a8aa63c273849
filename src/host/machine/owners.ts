import { existsSync, readlinkSync } from 'node:fs';
import { ifPossible } from '../../foundation/errors.ts';
import { allProcesses, isOwnerAlive, isRunning, ownerPlace, pidNamespace } from './proc.ts';

export interface OwnerMark {
  /** "<pid>:<start time>". */
  readonly owner: string;
  /** Result of `ownerPlace` there. */
  readonly place: string;
}

/** State of an owner. A process of another boot does not run here, but it may be another machine's. */
export type OwnerState = 'alive' | 'gone' | 'of another boot' | 'unknown';

export interface OwnerSearch {
  readonly place: string;
  readonly isAlive: (owner: string) => boolean;
  /** Pid namespaces of all processes of this machine; undefined if some are hidden. */
  readonly namespaces: () => ReadonlySet<string> | undefined;
}

export function searchHere(isAlive: (owner: string) => boolean = isOwnerAlive): OwnerSearch {
  return { place: ownerPlace(), isAlive, namespaces: allNamespaces };
}

export function ownerState({ owner, place }: OwnerMark, search: OwnerSearch): OwnerState {
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
