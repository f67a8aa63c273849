import { EnvironmentError } from '../../foundation/errors.ts';
import { quoted } from '../../host/git/git.ts';
import type { ReadHistory } from '../store/changes.ts';
import { branchRefusalOf, gitEndingOf } from './refusal.ts';
import type { ScratchRepository } from './repository.ts';
import { type BranchPlace, REMOTE } from './settings.ts';

interface BranchFile {
  readonly mode: string;
  readonly object: string;
}

/** Files of a branch at one commit. */
export interface BranchSnapshot {
  /** Undefined if the branch does not exist yet. */
  readonly commit: string | undefined;
  /** Files by path from the root of the branch. */
  readonly files: ReadonlyMap<string, BranchFile>;
  /** True if contents of files must still be fetched. */
  readonly isPartial: boolean;
  /** State that Wiregauge last wrote, if it differs. */
  readonly last?: BranchSnapshot;
}

async function filesOf(repository: ScratchRepository, commit: string): Promise<BranchSnapshot['files']> {
  const listed = await repository.text(['ls-tree', '-r', '-z', '--full-tree', commit]);
  const rows = listed.matchAll(/(?<!\d)(\d+) \w+ ([0-9a-f]+)\t([^\0]+)/g);
  return new Map([...rows].map(([, mode = '', object = '', path = '']) => [path, { mode, object }]));
}

/** Sorted names of the files in a folder below that of a place. */
export function namesInSnapshot({ files }: BranchSnapshot, place: BranchPlace, folder: string): readonly string[] {
  const start = `${place.folder}/${folder}/`;
  return [...files.keys()]
    .filter((path) => path.startsWith(start) && !path.slice(start.length).includes('/'))
    .map((path) => path.slice(start.length))
    .sort();
}

/**
 * Reader of files below the folder of a place, which reads each file once and batches simultaneous requests. Throws EnvironmentError if a
 * path is not a regular file, is not UTF-8, or cannot be fetched; only a file that the branch lacks is undefined.
 */
export function readerOf(repository: ScratchRepository, snapshot: BranchSnapshot, place: BranchPlace): ReadHistory {
  const bytesOf = inBatches((objects) => bytesOfObjects(repository, snapshot, place, objects));
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

async function bytesOfObjects(
  repository: ScratchRepository,
  snapshot: BranchSnapshot,
  place: BranchPlace,
  objects: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const refuse = (complaint: string) => branchRefusalOf({ ...place, doing: 'read' }, gitEndingOf(complaint), complaint);
  const lost = snapshot.isPartial ? await fetchObjects(repository, objects) : '';
  if (lost !== '') {
    throw refuse(lost);
  }
  const read = await repository.run({ argv: ['cat-file', '--batch'], input: linesOf(objects) });
  const found = read.exitCode === 0 ? objectsIn(read.bytes) : new Map<string, Buffer>();
  if (found.size === 0 && read.complaint !== '') {
    throw refuse(read.complaint);
  }
  return found;
}

/** Batches all requests of one turn of the event loop. */
function inBatches(get: (objects: readonly string[]) => Promise<ReadonlyMap<string, Buffer>>): BytesOf {
  let pending: string[] = [];
  let next: Promise<ReadonlyMap<string, Buffer>> | undefined;
  const begin = async () => {
    await Promise.resolve();
    const objects = [...new Set(pending)];
    pending = [];
    next = undefined;
    return await get(objects);
  };
  return async (object) => {
    pending.push(object);
    next ??= begin();
    return (await next).get(object);
  };
}

/** Fetches objects by their names in one request. Returns git's error message, empty on success. */
async function fetchObjects(repository: ScratchRepository, names: readonly string[]): Promise<string> {
  const argv = [
    // Otherwise git would send the server its own objects, which are unrelated.
    ...['-c', 'fetch.negotiationAlgorithm=noop'],
    ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--filter=blob:none'],
    ...['--stdin', REMOTE],
  ];
  const { exitCode, complaint } = await repository.run({ argv, input: linesOf(names) });
  return exitCode === 0 ? '' : complaint;
}

/**
 * Output of `git cat-file --batch`: per object a line "<name> blob <bytes>", its bytes, and a line break. Missing objects only have a line.
 */
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

/** Exit code of `git ls-remote --exit-code` if there is no such branch. */
const NOTHING_THERE = 2;

/**
 * Newest commit of a branch, without file contents if the remote supports that, and with the state that was last written, if it differs.
 * Without a commit for a missing branch if `mayBeMissing`. Throws BranchRefusal.
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
    throw branchRefusalOf(errand, ending, complaint);
  }
  const listed = await repository.run({ argv: ['ls-remote', '--exit-code', '--heads', REMOTE, ref] });
  if (listed.exitCode === NOTHING_THERE && mayBeMissing) {
    await repository.run({ argv: [...FETCH, LAST_COMMITS] });
    return await withLast(repository, place, { commit: undefined, files: new Map(), isPartial });
  }
  // It may have been created in between, so it is worth another attempt.
  throw branchRefusalOf(errand, listed.exitCode === NOTHING_THERE ? 'branch-missing' : 'contended', '');
}

async function withLast(
  repository: ScratchRepository,
  place: BranchPlace,
  snapshot: BranchSnapshot,
): Promise<BranchSnapshot> {
  // As fetched; there may be none.
  const argv = ['rev-parse', '--verify', '--quiet', `${OURS}/${nameOf(place)}^{commit}`];
  const { exitCode, bytes } = await repository.run({ argv });
  const commit = exitCode === 0 ? bytes.toString('utf8').trim() : undefined;
  return commit === undefined || commit === snapshot.commit
    ? snapshot
    : { ...snapshot, last: { commit, files: await filesOf(repository, commit), isPartial: snapshot.isPartial } };
}

/** Pushes a commit to a branch without force. Throws BranchRefusal: `contended` if the branch is no longer at the parent of the commit. */
export async function pushCommit(repository: ScratchRepository, place: BranchPlace, commit: string): Promise<void> {
  const { exitCode, bytes, complaint } = await repository.run({
    argv: [
      ...['push', '--porcelain', '--no-signed', '--no-follow-tags', '--recurse-submodules=no', '--no-verify'],
      ...[REMOTE, `${commit}:refs/heads/${place.branch}`],
    ],
  });
  const rows = bytes.toString('utf8').split('\n');
  if (rows.some((row) => row.startsWith('=\t'))) {
    // Another job pushed an identical commit in the same second, so the one on the branch is theirs.
    throw branchRefusalOf({ ...place, doing: 'push' }, 'contended', '');
  }
  if (exitCode === 0) {
    return;
  }
  const reason = rows.flatMap((row) => /^!\t[^\t]*\t(.*)$/.exec(row)?.[1] ?? []).join('\n');
  const said = `${complaint}\n${reason}`;
  throw branchRefusalOf({ ...place, doing: 'push' }, gitEndingOf(said), said);
}

const OURS = 'refs/wiregauge/last';

/**
 * Refspec of the commits that were last written to histories, which is fetched in addition to a branch. They are no branches, so
 * force-pushing or recreating a branch does not affect them. A pattern may match nothing.
 */
const LAST_COMMITS = `+refs/wiregauge/history/*:${OURS}/*`;

/** Records the last written commit. Failures are ignored: the history was published even if a server rejects such refs. */
export async function noteCommit(repository: ScratchRepository, place: BranchPlace, commit: string): Promise<void> {
  await repository.run({
    argv: [
      ...['push', '--quiet', '--no-signed', '--no-follow-tags', '--recurse-submodules=no', '--no-verify'],
      ...[REMOTE, `+${commit}:refs/wiregauge/history/${nameOf(place)}`],
    ],
  });
}

/** One path segment, so that no ref is a parent of another. */
function nameOf({ branch, folder }: BranchPlace): string {
  return `${branch}/${folder}`.replaceAll('/', '-');
}
