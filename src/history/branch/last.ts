import type { ScratchRepository } from './repository.ts';
import { type BranchPlace, REMOTE } from './settings.ts';

const OURS = 'refs/wiregauge/last';

/**
 * What is fetched beside a branch: the commits that were last written to histories. They are refs that are no branch, so a branch that is
 * forced back or made anew does not take them along. A pattern fits none, too.
 */
export const LAST_COMMITS = `+refs/wiregauge/history/*:${OURS}/*`;

/** The commit that was last written to the history of a place, as it was fetched; undefined if there is none. */
export async function lastCommit(repository: ScratchRepository, place: BranchPlace): Promise<string | undefined> {
  const argv = ['rev-parse', '--verify', '--quiet', `${OURS}/${nameOf(place)}^{commit}`];
  const { exitCode, bytes } = await repository.run({ argv });
  return exitCode === 0 ? bytes.toString('utf8').trim() : undefined;
}

/** Notes which commit was last written. A server that takes no such ref takes the history all the same, so nothing is said then. */
export async function noteCommit(repository: ScratchRepository, place: BranchPlace, commit: string): Promise<void> {
  await repository.run({
    argv: [
      ...['push', '--quiet', '--no-signed', '--no-follow-tags', '--recurse-submodules=no', '--no-verify'],
      ...[REMOTE, `+${commit}:refs/wiregauge/history/${nameOf(place)}`],
    ],
  });
}

/** One part, so that no name is a folder of another. */
function nameOf({ branch, folder }: BranchPlace): string {
  return `${branch}/${folder}`.replaceAll('/', '-');
}
