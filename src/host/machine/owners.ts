import { existsSync, readlinkSync } from 'node:fs';
import { allProcesses, isOwnerAlive, isRunning, ownerPlace, pidNamespace } from './proc.ts';

/** The mark of an owner, and the place that it was made in. */
export interface OwnerMark {
  /** "<pid>:<start time>". */
  readonly owner: string;
  /** What `ownerPlace` gave there. */
  readonly place: string;
}

/** What can be told of an owner; of that of another boot, no process of this one can be it, but it may be another machine's. */
export type OwnerState = 'alive' | 'gone' | 'of another boot' | 'unknown';

/** What an owner is looked for with. */
export interface OwnerSearch {
  readonly place: string;
  readonly isAlive: (owner: string) => boolean;
  /** The pid namespaces of all processes of this machine; undefined if some cannot be seen. */
  readonly namespaces: () => ReadonlySet<string> | undefined;
}

/** Looks at this machine, from here. */
export function searchHere(isAlive: (owner: string) => boolean = isOwnerAlive): OwnerSearch {
  return { place: ownerPlace(), isAlive, namespaces: allNamespaces };
}

/** Whether the process that a mark names still runs. It is this user's, or nothing is told of it. */
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

/** The numbers that the kernel gives the first namespaces of a machine. */
const FIRST = { pid: 'pid:[4026531836]', user: 'user:[4026531837]' };

/** Only root in the first namespaces sees all processes: one that is hidden could be the owner. */
function allNamespaces(): ReadonlySet<string> | undefined {
  const isFirst = linkOf('pid') === FIRST.pid && linkOf('user') === FIRST.user && process.getuid?.() === 0;
  if (!isFirst) {
    return undefined;
  }
  // Process 1 is in the namespace that it is seen from, also if not even root may read that.
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
  try {
    return readlinkSync(`/proc/self/ns/${kind}`);
  } catch {
    return undefined;
  }
}
