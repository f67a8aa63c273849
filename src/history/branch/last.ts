import type { ScratchRepository } from './repository.ts';
import { type BranchPlace, REMOTE } from './settings.ts';

const OURS = 'refs/wiregauge/last';

/**
 * Refspec of the commits that were last written to histories, which is fetched in addition to a branch. They are no branches, so
 * force-pushing or recreating a branch does not affect them. A pattern may match nothing.
 */
export const LAST_COMMITS = `+refs/wiregauge/history/*:${OURS}/*`;

/** Commit that was last written to the history of a place, as fetched; undefined if there is none. */
export async function lastCommit(repository: ScratchRepository, place: BranchPlace): Promise<string | undefined> {
  const argv = ['rev-parse', '--verify', '--quiet', `${OURS}/${nameOf(place)}^{commit}`];
  const { exitCode, bytes } = await repository.run({ argv });
  return exitCode === 0 ? bytes.toString('utf8').trim() : undefined;
}

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
