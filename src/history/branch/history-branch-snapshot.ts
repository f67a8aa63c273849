import { EnvironmentError } from '../../foundation/errors.ts';
import { quoted } from '../../host/git/git.ts';
import type { ReadHistory } from '../ports.ts';
import { fetchObjects, readObjects } from './history-branch-objects.ts';
import type { BranchPlace } from './history-branch-place.ts';
import { branchRefusalOf, gitEndingOf } from './history-branch-refusal.ts';
import type { ScratchRepository } from './history-branch-repository.ts';

/** A file of a branch. */
interface BranchFile {
  readonly mode: string;
  readonly object: string;
}

/** The files of a branch at one commit. */
export interface BranchSnapshot {
  /** Undefined for a branch that is not there yet. */
  readonly commit: string | undefined;
  /** By their path from the root of the branch. */
  readonly files: ReadonlyMap<string, BranchFile>;
  /** Whether what is in the files is yet to be fetched. */
  readonly isPartial: boolean;
}

export const NO_BRANCH: BranchSnapshot = { commit: undefined, files: new Map(), isPartial: false };

/** What files a commit has. */
export async function filesOf(repository: ScratchRepository, commit: string): Promise<BranchSnapshot['files']> {
  const listed = await repository.text(['ls-tree', '-r', '-z', '--full-tree', commit]);
  const rows = listed.matchAll(/(\d+) \w+ ([0-9a-f]+)\t([^\0]+)/g);
  return new Map([...rows].map(([, mode = '', object = '', path = '']) => [path, { mode, object }]));
}

/** The names of the files in a folder below that of a place, sorted. */
export function namesInSnapshot({ files }: BranchSnapshot, place: BranchPlace, folder: string): readonly string[] {
  const start = `${place.folder}/${folder}/`;
  return [...files.keys()]
    .filter((path) => path.startsWith(start) && !path.slice(start.length).includes('/'))
    .map((path) => path.slice(start.length))
    .sort();
}

/**
 * Reads files below the folder of a place, each once, and those that are asked for at one time in one request. Throws
 * EnvironmentError where a path is no plain file, is no UTF-8, or cannot be got: only what the branch does not have is undefined.
 */
export function readerOf(repository: ScratchRepository, snapshot: BranchSnapshot, place: BranchPlace): ReadHistory {
  const bytesOf = inBatches((objects) => bytesOfObjects({ repository, snapshot, place }, objects));
  const texts = new Map<string, Promise<string>>();
  return async (path) => {
    const whole = `${place.folder}/${path}`;
    const file = snapshot.files.get(whole);
    if (file === undefined) {
      return undefined;
    }
    const text = texts.get(whole) ?? textOf(whole, file, bytesOf);
    texts.set(whole, text);
    return await text;
  };
}

type BytesOf = (object: string) => Promise<Buffer | undefined>;

async function textOf(path: string, { mode, object }: BranchFile, bytesOf: BytesOf): Promise<string> {
  if (!mode.startsWith('100')) {
    throw unreadable(path, 'is a link or a submodule, and no file');
  }
  const bytes = await bytesOf(object);
  if (bytes === undefined) {
    throw unreadable(path, 'is not there, although the branch has it');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw unreadable(path, 'is no UTF-8', cause);
  }
}

function unreadable(path: string, why: string, cause?: unknown): EnvironmentError {
  return new EnvironmentError(`${quoted(path)} on the branch ${why}`, {
    cause,
    next: 'Nothing was written. Take the last good version of the file from the history of its branch.',
  });
}

interface Source {
  readonly repository: ScratchRepository;
  readonly snapshot: BranchSnapshot;
  readonly place: BranchPlace;
}

async function bytesOfObjects(
  { repository, snapshot, place }: Source,
  objects: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const lost = snapshot.isPartial ? await fetchObjects(repository, objects) : '';
  const { bytes, complaint } =
    lost === '' ? await readObjects(repository, objects) : { bytes: undefined, complaint: lost };
  if (bytes === undefined || (bytes.size === 0 && complaint !== '')) {
    const ending = gitEndingOf(complaint);
    throw branchRefusalOf({ ...place, doing: 'read' }, ending === 'raced' ? 'other' : ending, complaint);
  }
  return bytes;
}

/** Asks for all that is wanted in one turn at once. */
function inBatches(get: (objects: readonly string[]) => Promise<ReadonlyMap<string, Buffer>>): BytesOf {
  let wanted: string[] = [];
  let next: Promise<ReadonlyMap<string, Buffer>> | undefined;
  const begin = async () => {
    await Promise.resolve();
    const objects = [...new Set(wanted)];
    wanted = [];
    next = undefined;
    return await get(objects);
  };
  return async (object) => {
    wanted.push(object);
    next ??= begin();
    return (await next).get(object);
  };
}
