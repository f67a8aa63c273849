import type { BranchPlace } from './history-branch-place.ts';
import { branchRefusalOf, gitEndingOf } from './history-branch-refusal.ts';
import type { ScratchRepository } from './history-branch-repository.ts';
import { REMOTE } from './history-branch-settings.ts';
import { type BranchSnapshot, filesOf, NO_BRANCH } from './history-branch-snapshot.ts';

const TIP = 'refs/wiregauge/tip';

/** git's exit code where a remote answers and has no such branch. */
const NOTHING_THERE = 2;

/**
 * The newest commit of a branch, without what is in its files where the remote can leave that out. Of a branch that is missing,
 * NO_BRANCH where it may be. Throws BranchRefusal.
 */
export async function fetchBranch(
  repository: ScratchRepository,
  place: BranchPlace,
  mayBeMissing: boolean,
): Promise<BranchSnapshot> {
  const ref = `refs/heads/${place.branch}`;
  const { exitCode, complaint } = await repository.run({
    argv: [
      ...['fetch', '--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--depth=1', '--filter=blob:none'],
      ...[REMOTE, `+${ref}:${TIP}`],
    ],
  });
  if (exitCode === 0) {
    const commit = await repository.text(['rev-parse', '--verify', `${TIP}^{commit}`]);
    const isPartial = !complaint.includes('filtering not recognized');
    return { commit, files: await filesOf(repository, commit), isPartial };
  }
  const errand = { ...place, doing: 'read' } as const;
  const ending = gitEndingOf(complaint);
  if (ending !== 'branch-missing') {
    throw branchRefusalOf(errand, ending === 'raced' ? 'other' : ending, complaint);
  }
  const asked = await repository.run({ argv: ['ls-remote', '--exit-code', '--heads', REMOTE, ref] });
  if (asked.exitCode === NOTHING_THERE && mayBeMissing) {
    return NO_BRANCH;
  }
  // It may have been made in between: that is worth another try.
  throw branchRefusalOf(errand, asked.exitCode === NOTHING_THERE ? 'branch-missing' : 'contended', '');
}

/**
 * Pushes a commit to a branch, by no force. Throws BranchRefusal: `contended` where the branch is no longer at the commit's parent.
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
