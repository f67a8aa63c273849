import { ConfigError, EnvironmentError } from '../../foundation/errors.ts';
import { git, quoted, runGit } from './git.ts';
import { findRepository, isShallow, resolveCommit } from './repository.ts';

/** Commit between two refs. Its subject is untrusted text. */
export interface LineCommit {
  readonly commit: string;
  readonly subject: string;
}

export interface CommitLine {
  readonly good: string;
  /** After the good one up to the bad one, the oldest first, along first parents, so that a merge is one commit. */
  readonly commits: readonly LineCommit[];
}

/** Commits after a good one up to a bad one. Throws ConfigError if the good one is no ancestor of the bad one. */
export async function commitsBetween(folder: string, good: string, bad: string): Promise<CommitLine> {
  const repository = await findRepository(folder);
  const { checkout } = repository;
  const ends = { good: await resolveCommit(repository, good), bad: await resolveCommit(repository, bad) };
  const { ok } = await runGit(checkout, ['merge-base', '--is-ancestor', ends.good, ends.bad]);
  if (!ok || ends.good === ends.bad) {
    throw await notBefore(checkout, good, bad);
  }
  const range = ['--first-parent', '--reverse', '--no-show-signature', '--format=%H %s', `${ends.good}..${ends.bad}`];
  const lines = (await git(checkout, ['log', ...range])).split('\n');
  return {
    good: ends.good,
    commits: lines.map((line) => {
      const [commit = '', ...subject] = line.split(' ');
      return { commit, subject: subject.join(' ') };
    }),
  };
}

async function notBefore(checkout: string, good: string, bad: string): Promise<Error> {
  return (await isShallow(checkout))
    ? new EnvironmentError(
        `the shallow clone in ${checkout} does not reach from ${quoted(bad)} back to ${quoted(good)}`,
        { code: 'WG-210', next: 'Fetch the rest: `git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout.' },
      )
    : new ConfigError(`${quoted(good)} is not an ancestor of ${quoted(bad)}`, {
        code: 'WG-211',
        next: 'Use a good commit that is an ancestor of the bad one: `git merge-base <good> <bad>` prints one.',
      });
}

/** Release tag, optionally with a prefix: "v1.4.0", "1.4", "shop-v1.4.0", "shop@1.4.0"; no pre-release such as "v1.4.0-rc.1". */
const RELEASE = /^(?:[\w.@/-]*[@/-])?v?\d+\.\d+(?:\.\d+)*$/;

/** Tag of the newest release among the ancestors of `head`, a ref, by default HEAD; undefined without one. */
export async function latestRelease(folder: string, head: string | undefined): Promise<string | undefined> {
  const repository = await findRepository(folder);
  const { checkout } = repository;
  const commit = await resolveCommit(repository, head ?? 'HEAD');
  const argv = ['tag', `--merged=${commit}`, `--no-contains=${commit}`, '--sort=-version:refname'];
  const tags = (await git(checkout, argv)).split('\n');
  return tags.find((tag) => RELEASE.test(tag));
}

export async function commitOf(folder: string, ref: string): Promise<string> {
  return await resolveCommit(await findRepository(folder), ref);
}
