import { EnvironmentError } from '../../foundation/errors.ts';
import { quoted } from '../../host/git/git.ts';
import type { ReadHistory } from '../reader.ts';
import { LAST_COMMITS, lastCommit } from './last.ts';
import { branchRefusalOf, gitEndingOf } from './refusal.ts';
import type { ScratchRepository } from './repository.ts';
import { type BranchPlace, REMOTE } from './settings.ts';

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
  /** The state that Wiregauge last wrote, if that is another one. */
  readonly last?: BranchSnapshot;
}

export const NO_BRANCH: BranchSnapshot = { commit: undefined, files: new Map(), isPartial: false };

/** What files a commit has. */
export async function filesOf(repository: ScratchRepository, commit: string): Promise<BranchSnapshot['files']> {
  const listed = await repository.text(['ls-tree', '-r', '-z', '--full-tree', commit]);
  const rows = listed.matchAll(/(?<!\d)(\d+) \w+ ([0-9a-f]+)\t([^\0]+)/g);
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
 * EnvironmentError if a path is no plain file, is no UTF-8, or cannot be got: only what the branch does not have is undefined.
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
    throw unreadable(path, 'is a link or a submodule, not a file');
  }
  const bytes = await bytesOf(object);
  if (bytes === undefined) {
    throw unreadable(path, 'is missing, although the branch lists it');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw unreadable(path, 'is not valid UTF-8', cause);
  }
}

function unreadable(path: string, why: string, cause?: unknown): EnvironmentError {
  return new EnvironmentError(`${quoted(path)} on the branch ${why}`, {
    code: 'WG-601',
    cause,
    next: 'Nothing was written. Restore the last good version of the file from the history of its branch.',
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

/** Objects of a repository that has not fetched all of them; git's complaint if they cannot be got. */
export interface GotObjects {
  readonly bytes: ReadonlyMap<string, Buffer>;
  readonly complaint: string;
}

/** Fetches objects by their names, all in one request. Gives git's complaint, empty if they have come. */
export async function fetchObjects(repository: ScratchRepository, names: readonly string[]): Promise<string> {
  const argv = [
    // Else git would tell the server what it has, of which nothing is an object like these.
    ...['-c', 'fetch.negotiationAlgorithm=noop'],
    ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--filter=blob:none'],
    ...['--stdin', REMOTE],
  ];
  const { exitCode, complaint } = await repository.run({ argv, input: linesOf(names) });
  return exitCode === 0 ? '' : complaint;
}

/** Reads objects that are there. */
export async function readObjects(repository: ScratchRepository, names: readonly string[]): Promise<GotObjects> {
  const { exitCode, bytes, complaint } = await repository.run({ argv: ['cat-file', '--batch'], input: linesOf(names) });
  return exitCode === 0 ? { bytes: objectsIn(bytes), complaint } : { bytes: new Map(), complaint };
}

/** For each object a line, "<name> blob <bytes>", its bytes, and a line break; those that are missing have only a line. */
function objectsIn(printed: Buffer): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  let place = 0;
  while (place < printed.length) {
    const end = printed.indexOf(10, place);
    const [name = '', , size] = printed.toString('utf8', place, end).split(' ');
    place = end + 1;
    if (size !== undefined) {
      found.set(name, printed.subarray(place, place + Number(size)));
      place += Number(size) + 1;
    }
  }
  return found;
}

function linesOf(names: readonly string[]): string {
  return names.map((name) => `${name}\n`).join('');
}

const TIP = 'refs/wiregauge/tip';

const FETCH = [
  ...['fetch', '--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--depth=1', '--filter=blob:none'],
  REMOTE,
];

/** git's exit code if a remote answers and has no such branch. */
const NOTHING_THERE = 2;

/**
 * The newest commit of a branch, without what is in its files if the remote can leave that out. Of a branch that is missing,
 * NO_BRANCH if it may be. With the state that was last written, if it is another. Throws BranchRefusal.
 */
export async function fetchBranch(
  repository: ScratchRepository,
  place: BranchPlace,
  mayBeMissing: boolean,
): Promise<BranchSnapshot> {
  const ref = `refs/heads/${place.branch}`;
  const { exitCode, complaint } = await repository.run({ argv: [...FETCH, `+${ref}:${TIP}`, LAST_COMMITS] });
  const isPartial = !complaint.includes('filtering not recognized');
  if (exitCode === 0) {
    const commit = await repository.text(['rev-parse', '--verify', `${TIP}^{commit}`]);
    const snapshot = { commit, files: await filesOf(repository, commit), isPartial };
    return await withLast(repository, place, snapshot);
  }
  const errand = { ...place, doing: 'read' } as const;
  const ending = gitEndingOf(complaint);
  if (ending !== 'branch-missing') {
    throw branchRefusalOf(errand, ending === 'raced' ? 'other' : ending, complaint);
  }
  const asked = await repository.run({ argv: ['ls-remote', '--exit-code', '--heads', REMOTE, ref] });
  if (asked.exitCode === NOTHING_THERE && mayBeMissing) {
    await repository.run({ argv: [...FETCH, LAST_COMMITS] });
    return await withLast(repository, place, { ...NO_BRANCH, isPartial });
  }
  // It may have been made in between: that is worth another try.
  throw branchRefusalOf(errand, asked.exitCode === NOTHING_THERE ? 'branch-missing' : 'contended', '');
}

async function withLast(
  repository: ScratchRepository,
  place: BranchPlace,
  snapshot: BranchSnapshot,
): Promise<BranchSnapshot> {
  const commit = await lastCommit(repository, place);
  return commit === undefined || commit === snapshot.commit
    ? snapshot
    : { ...snapshot, last: { commit, files: await filesOf(repository, commit), isPartial: snapshot.isPartial } };
}

/**
 * Pushes a commit to a branch, by no force. Throws BranchRefusal: `contended` if the branch is no longer at the commit's parent.
 */
export async function pushCommit(repository: ScratchRepository, place: BranchPlace, commit: string): Promise<void> {
  const { exitCode, bytes, complaint } = await repository.run({
    argv: [
      ...['push', '--porcelain', '--no-signed', '--no-follow-tags', '--recurse-submodules=no', '--no-verify'],
      ...[REMOTE, `${commit}:refs/heads/${place.branch}`],
    ],
  });
  const rows = bytes.toString('utf8').split('\n');
  if (rows.some((row) => row.startsWith('=\t'))) {
    // Somebody else made the very same commit in the same second, so it is theirs that stands there.
    throw branchRefusalOf({ ...place, doing: 'push' }, 'contended', '');
  }
  if (exitCode === 0) {
    return;
  }
  const reason = rows.flatMap((row) => /^!\t[^\t]*\t(.*)$/.exec(row)?.[1] ?? []).join('\n');
  const said = `${complaint}\n${reason}`;
  const ending = gitEndingOf(said);
  throw branchRefusalOf({ ...place, doing: 'push' }, ending === 'raced' ? 'contended' : ending, said);
}
