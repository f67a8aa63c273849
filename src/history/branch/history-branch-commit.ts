import { EnvironmentError } from '../../foundation/errors.ts';
import { quoted } from '../../host/git/git.ts';
import type { FileChange } from '../store/file-change.ts';
import type { ScratchRepository } from './history-branch-repository.ts';
import type { BranchSnapshot } from './history-branch-snapshot.ts';

const FILE = '100644';
const NAME = 'wiregauge';
const ADDRESS = 'noreply@wiregauge.invalid';

/** A change of a branch's files. */
export interface BranchChange {
  readonly snapshot: BranchSnapshot;
  /** Paths are from the root of the branch. */
  readonly changes: readonly FileChange[];
  readonly message: string;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Makes a commit with the changes upon that of the snapshot; undefined where nothing would differ. Throws EnvironmentError where a
 * folder or a link is in the way of a file, or a file in that of a folder.
 */
export async function commitChange(repository: ScratchRepository, change: BranchChange): Promise<string | undefined> {
  for (const { path } of change.changes) {
    requireRoom(change.snapshot, path);
  }
  const lines = await differences(repository, change);
  if (lines.length === 0) {
    return undefined;
  }
  const { commit: parent } = change.snapshot;
  await repository.text(['read-tree', ...(parent === undefined ? ['--empty'] : [parent])]);
  await repository.text(['update-index', '--add', '--index-info'], { input: lines.join('') });
  // What others have on the branch was never fetched.
  const tree = await repository.text(['write-tree', '--missing-ok']);
  const parents = parent === undefined ? [] : ['-p', parent];
  return await repository.text(['commit-tree', tree, ...parents, '-m', change.message], {
    variables: identity(change.environment),
  });
}

/** git's index would take a file for a folder, or the other way round, without a word. */
function requireRoom({ files }: BranchSnapshot, path: string): void {
  const parts = path.split('/');
  const folders = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
  const mode = files.get(path)?.mode ?? FILE;
  const inTheWay =
    folders.find((folder) => files.has(folder)) ??
    (!mode.startsWith('100') || [...files.keys()].some((known) => known.startsWith(`${path}/`)) ? path : undefined);
  if (inTheWay !== undefined) {
    throw new EnvironmentError(`${quoted(inTheWay)} on the branch is in the way of ${quoted(path)}`, {
      next: 'Nothing was written. Remove or rename it on the branch, or choose another folder.',
    });
  }
}

/** Lines for git's index: of files that are new, other or gone. */
async function differences(repository: ScratchRepository, { snapshot, changes }: BranchChange) {
  const written = changes.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]));
  const objects = await repository.write(written.map(({ text }) => text));
  const gone = changes.filter(({ path, text }) => text === undefined && snapshot.files.has(path));
  const nothing = '0'.repeat(snapshot.commit?.length ?? 40);
  return [
    ...written
      .map(({ path }, index) => ({ path, object: objects[index] ?? '' }))
      .filter(({ path, object }) => snapshot.files.get(path)?.object !== object)
      .map(({ path, object }) => `${FILE} ${object}\t${path}\n`),
    ...gone.map(({ path }) => `0 ${nothing}\t${path}\n`),
  ];
}

/** git's usual variables come first, its settings do not: whoever publishes is a program. */
function identity(environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const of = (who: 'AUTHOR' | 'COMMITTER') => ({
    [`GIT_${who}_NAME`]: environment[`GIT_${who}_NAME`] || NAME,
    [`GIT_${who}_EMAIL`]: environment[`GIT_${who}_EMAIL`] || ADDRESS,
  });
  return { ...of('AUTHOR'), ...of('COMMITTER') };
}
