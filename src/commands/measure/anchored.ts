import { ConfigError, EnvironmentError, KnownError } from '../../foundation/errors.ts';
import { shortCommit } from '../../foundation/text.ts';
import { anchoredRuns, chainLinks } from '../../history/anchored.ts';
import { commitOf, latestRelease } from '../../host/git/commits.ts';
import type { MeasureFlags } from '../../measure/session/runtime.ts';
import type { AnchorRecord } from '../../model/run/anchor.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { ANCHOR_FILE, type PinnedAnchor, pinnedAnchor } from '../../project/anchor.ts';
import { readSuite } from '../../project/suite.ts';
import { USUAL_PLACE, withHistory } from '../history/place.ts';

/**
 * The anchor of a repository: the commit that `.wiregauge/anchor.yml` names, else that of the latest release tag before the head; undefined
 * without either. Throws ConfigError for a file that cannot be read, and as git does if the clone lacks the commit.
 */
export async function anchorFor(root: string, head: string | undefined): Promise<PinnedAnchor | undefined> {
  const pinned = pinnedAnchor(root);
  if (pinned !== undefined) {
    return { ...pinned, commit: await commitOf(root, pinned.commit) };
  }
  const tag = await latestRelease(root, head);
  return tag === undefined ? undefined : { name: tag.slice(0, 100), commit: await commitOf(root, `refs/tags/${tag}`) };
}

/** Fix for a missing anchor. */
export const NO_ANCHOR = `Tag a release like v1.0.0, or pin a commit with \`wiregauge baseline pin <ref>\`, which writes ${ANCHOR_FILE}.`;

/** The same, but throws ConfigError if there is none. */
export async function requiredAnchor(head: string | undefined): Promise<PinnedAnchor> {
  const anchor = await anchorFor(process.cwd(), head);
  if (anchor === undefined) {
    throw new ConfigError('there is no release tag before this commit, and no pinned commit to compare with', {
      code: 'WG-406',
      next: NO_ANCHOR,
    });
  }
  return anchor;
}

/**
 * Compares with the anchor. If the anchor no longer builds or starts, or has another suite, the comparison continues from the commit of the default
 * branch that the history last compared with it: the first of `links` that can be compared. Throws the error of the last comparison if none succeeds.
 */
export async function againstAnchor(
  anchor: PinnedAnchor,
  measure: (anchor: AnchorRecord) => Promise<RunInRounds>,
  links: () => Promise<readonly NonNullable<AnchorRecord['through']>[]>,
  log: (line: string) => void,
): Promise<RunInRounds> {
  log(`anchor: ${anchor.name}, commit ${shortCommit(anchor.commit)}`);
  let failure: KnownError;
  try {
    return await measure(anchor);
  } catch (thrown) {
    failure = refuseOthers(thrown);
  }
  for (const through of await links()) {
    const base = shortCommit(through.commit);
    log(
      `${anchor.name} can no longer be compared (${failure.brief}): continuing from ${base}, whose ratio to it is stored`,
    );
    try {
      return await measure({ ...anchor, through });
    } catch (thrown) {
      failure = refuseOthers(thrown);
    }
  }
  throw failure;
}

/** Rethrows errors that another base would not fix: a machine that cannot measure, and unknown errors. */
function refuseOthers(thrown: unknown): KnownError {
  if (thrown instanceof KnownError && !(thrown instanceof EnvironmentError)) {
    return thrown;
  }
  throw thrown;
}

/** Commits of the default branch that a chain to an anchor can continue from, from the published history. */
export async function linksTo(
  { commit }: PinnedAnchor,
  { head, suite, services }: Pick<MeasureFlags, 'suite' | 'services'> & { readonly head?: string | undefined },
) {
  const root = process.cwd();
  const { name, wasNamed } = readSuite(root, suite, services).suite;
  const place = { ...USUAL_PLACE, createBranch: true };
  const runs = await withHistory(place, async ({ read }) => await anchoredRuns(read, name, wasNamed));
  return chainLinks(runs, { commit, head: await commitOf(root, head ?? 'HEAD') });
}
