import { resolve } from 'node:path';
import { ConfigError, EnvironmentError, KnownError } from '../../foundation/errors.ts';
import { isInWorkflow } from '../workflow.ts';
import { git, gitError, quoted, runGit } from './git.ts';

/** A checkout, and the folder in it that is measured. */
export interface Checkout {
  /** The folder of the checkout. */
  readonly checkout: string;
  /** The measured folder, relative to it; empty for the checkout itself. */
  readonly prefix: string;
  /** What git keeps for all worktrees of the repository. */
  readonly gitFolder: string;
}

/** The repository that a folder belongs to; throws ConfigError if there is none with files. */
export async function findRepository(folder: string): Promise<Checkout> {
  const argv = ['rev-parse', '--show-toplevel'];
  const { ok, output, complaint } = await runGit(folder, argv);
  if (!ok) {
    const refusal = REFUSALS.find(([pattern]) => pattern.test(complaint));
    throw refusal === undefined
      ? gitError(folder, argv, complaint)
      : new ConfigError(`${folder} ${refusal[1]}`, { code: 'WG-211', next: refusal[2] });
  }
  return {
    checkout: output,
    prefix: (await git(folder, ['rev-parse', '--show-prefix'])).replace(/\/$/, ''),
    gitFolder: resolve(folder, await git(folder, ['rev-parse', '--git-common-dir'])),
  };
}

const REFUSALS: readonly (readonly [RegExp, string, string])[] = [
  [/cannot change to/, 'is not an accessible folder', 'Use the folder of a git repository.'],
  [/not a git repository/, 'is not in a git repository', 'Change to the folder of a clone.'],
  [
    /must be run in a work tree/,
    'is in a bare repository or a .git folder, which has no working tree',
    'Clone it with `git clone`, and change to the new folder.',
  ],
];

/**
 * The full sha of the commit that a ref names. Throws EnvironmentError if a shallow clone lacks it and ConfigError if it is
 * unknown, with what would get it.
 */
export async function resolveCommit({ checkout }: Checkout, ref: string): Promise<string> {
  const commit = await commitNamed(checkout, ref);
  if (commit === undefined) {
    throw await missing(checkout, ref);
  }
  return commit;
}

async function commitNamed(checkout: string, ref: string): Promise<string | undefined> {
  // What looks like an option is none of git's, and no branch or tag can have such a name. Arguments cannot have a NUL.
  const asked = !ref.startsWith('-') && !ref.includes('\0');
  const argv = ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`];
  const { output } = asked ? await runGit(checkout, argv) : { output: '' };
  // "^main" has a sha too, with a sign before it.
  return /^[0-9a-f]{40,64}$/.test(output) ? output : undefined;
}

/** Throws what resolveCommit throws for a ref that names no commit of the repository that a folder belongs to. */
export async function requireCommits(folder: string, refs: readonly string[]): Promise<void> {
  const repository = await findRepository(folder);
  for (const ref of refs) {
    await resolveCommit(repository, ref);
  }
}

/**
 * The newest commit that two refs have in common: what a branch is to be compared with, whatever was merged to the other since.
 * `head` is a ref; undefined for the working tree. Throws what resolveCommit throws, EnvironmentError if a shallow clone does not
 * reach back so far, and ConfigError if there is none.
 */
export async function mergeBase(folder: string, base: string, head: string | undefined): Promise<string> {
  const repository = await findRepository(folder);
  const { checkout } = repository;
  const commits = [await resolveCommit(repository, base), await resolveCommit(repository, head ?? 'HEAD')];
  const { output } = await runGit(checkout, ['merge-base', ...commits]);
  if (/^[0-9a-f]{40,64}$/.test(output)) {
    return output;
  }
  const names = `${quoted(base)} and ${quoted(head ?? 'HEAD')}`;
  if (await isShallow(checkout)) {
    throw new EnvironmentError(`the shallow clone in ${checkout} does not contain the merge base of ${names}`, {
      code: 'WG-210',
      next: deepen(),
    });
  }
  throw new ConfigError(`${names} have no common commit in ${checkout}`, {
    code: 'WG-211',
    next: isInWorkflow()
      ? 'Set a version that it is based on: `with: { base: <branch, tag or commit> }`.'
      : 'Compare with a branch that it is based on: `--base <ref>`.',
  });
}

/**
 * Merge base with a commit that was the tip of a branch. After a force-push no branch contains it, and a clone has only the branch as the
 * remote has it now: then it is the merge base with that, and `lacksTip`. Throws EnvironmentError if a shallow clone lacks the commit, or
 * if that merge base is the head, which must not be compared with itself.
 */
export async function mergeBaseOfTip(
  folder: string,
  { tip, branch }: { readonly tip: string; readonly branch: string },
  head: string | undefined,
) {
  const { checkout } = await findRepository(folder);
  const remote = `refs/remotes/origin/${branch}`;
  const isThere = (await commitNamed(checkout, tip)) !== undefined;
  const lacksTip = !isThere && !(await isShallow(checkout)) && (await commitNamed(checkout, remote)) !== undefined;
  const commit = await mergeBase(folder, lacksTip ? remote : tip, head);
  if (lacksTip && commit === (await commitNamed(checkout, head ?? 'HEAD'))) {
    throw new EnvironmentError(`the base commit ${tip} is not in ${checkout}, and origin/${branch} contains the head`, {
      code: 'WG-210',
      next: 'Rebase the pull request on its base branch, or close it if its commits are merged.',
    });
  }
  return { commit, lacksTip };
}

async function isShallow(checkout: string): Promise<boolean> {
  return (await git(checkout, ['rev-parse', '--is-shallow-repository'])) === 'true';
}

/** What a change usually begins from, the default branch of the remote first. */
const USUAL_BASES = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'];

/**
 * The commit to compare a head with if nobody names one: where it parted from the default branch. `head` is a ref; undefined for the
 * working tree. Throws ConfigError if there is no such branch, or if nothing has changed since, and what mergeBase throws.
 */
export async function usualBase(folder: string, head: string | undefined): Promise<string> {
  const { checkout } = await findRepository(folder);
  for (const branch of USUAL_BASES) {
    if ((await commitNamed(checkout, branch)) !== undefined) {
      const base = await mergeBase(folder, branch, head);
      if (await isUnchanged(checkout, base, head)) {
        throw new ConfigError(`nothing has changed since ${branch}`, {
          code: 'WG-406',
          next: `${branch} has this commit already. ${NAME_A_BASE} The commit before is \`--base HEAD~1\`.`,
        });
      }
      return base;
    }
  }
  throw new ConfigError(`${checkout} has none of the branches ${USUAL_BASES.join(', ')}`, {
    code: 'WG-406',
    next: `${NAME_A_BASE} A clone of a tag or of one branch has no other: \`git fetch origin <branch>:refs/remotes/origin/<branch>\` gets one.`,
  });
}

const NAME_A_BASE = 'Set a branch, a tag or a commit to compare with: `--base <ref>`.';

async function isUnchanged(checkout: string, base: string, head: string | undefined): Promise<boolean> {
  const commit = await git(checkout, ['rev-parse', `${head ?? 'HEAD'}^{commit}`]);
  // Files that git does not know yet are measured, too.
  const isClean = head !== undefined || (await git(checkout, ['status', '--porcelain'])) === '';
  return commit === base && isClean;
}

async function missing(checkout: string, ref: string): Promise<KnownError> {
  const { output: commits } = await runGit(checkout, ['rev-list', '-n', '1', '--all']);
  if (commits === '') {
    return new ConfigError(`${checkout} has no commits yet`, {
      code: 'WG-211',
      next: 'First commit the version to compare with.',
    });
  }
  const name = quoted(ref);
  const tracked = await trackingBranch(checkout, ref);
  if (tracked !== undefined) {
    return new ConfigError(`there is no ${name} in ${checkout}`, { code: 'WG-211', next: `Did you mean ${tracked}?` });
  }
  if (await isShallow(checkout)) {
    return new EnvironmentError(`the shallow clone in ${checkout} lacks ${name}`, { code: 'WG-210', next: deepen() });
  }
  return new ConfigError(`there is no commit ${name} in ${checkout}`, {
    code: 'WG-211',
    next: 'Use a branch, a tag or a commit: `git branch --all` and `git tag` list them, `git fetch` gets new ones.',
  });
}

// "main" is there as "origin/main" only wherever nobody has checked it out.
async function trackingBranch(checkout: string, ref: string): Promise<string | undefined> {
  if (!/^[\w./-]+$/.test(ref)) {
    return undefined;
  }
  const argv = ['for-each-ref', '--count=1', '--format=%(refname:short)', `refs/remotes/*/${ref}`];
  const { output } = await runGit(checkout, argv);
  return output === '' ? undefined : output;
}

function deepen(): string {
  return isInWorkflow()
    ? 'Fetch all branches with their history: set `with: { fetch-depth: 0 }` below `- uses: actions/checkout@v5`.'
    : 'Fetch the history with `git fetch --unshallow`, or part of it with `git fetch --deepen=100`; a clone of one branch also needs `git fetch origin <branch>:refs/remotes/origin/<branch>`.';
}

/** What can be said of the clone that a folder lies in, or why there is none. */
export async function gitFacts(folder: string) {
  try {
    const { checkout } = await findRepository(folder);
    const shallow = await runGit(checkout, ['rev-parse', '--is-shallow-repository']);
    const head = await runGit(checkout, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    const origin = await runGit(checkout, ['remote', 'get-url', 'origin']);
    return {
      kind: 'clone' as const,
      checkout,
      isShallow: shallow.output === 'true',
      hasCommit: head.ok,
      origin: origin.ok ? origin.output : undefined,
    };
  } catch (thrown) {
    if (thrown instanceof KnownError) {
      return { kind: 'none' as const, why: thrown.message, next: thrown.next };
    }
    throw thrown;
  }
}

/** What git knows of a commit. Texts are from outside. */
export interface CommitFacts {
  readonly subject?: string;
  /** ISO 8601. */
  readonly committedAt?: string;
  readonly tags: readonly string[];
  /**
   * The default branch, if it has the commit; else the one that is checked out there, or another one that has it. Undefined
   * if the clone does not say: if it knows no default branch, several branches may be meant.
   */
  readonly branch?: string;
  /** The default branch of the remote, if git was told. */
  readonly defaultBranch?: string;
}

/** What is known of a clone's remote. */
interface CommitRemote {
  readonly remote: string;
  /** Where git was not told. */
  readonly defaultBranch?: string | undefined;
}

/** Reads what a repository has of a commit; a clone that lacks the commit knows nothing of it. */
export async function commitFacts(
  folder: string,
  commit: string | undefined,
  { remote, defaultBranch }: CommitRemote,
): Promise<CommitFacts> {
  const told = await lineOf(folder, ['symbolic-ref', '--quiet', '--short', `refs/remotes/${remote}/HEAD`]);
  const main = told?.slice(remote.length + 1) ?? defaultBranch;
  const known = main === undefined ? {} : { defaultBranch: main };
  if (commit === undefined || !/^[0-9a-f]{40,64}$/.test(commit)) {
    return { tags: [], ...known };
  }
  const { output } = await runGit(folder, ['log', '-1', '--no-show-signature', '--format=%cI%n%s', commit]);
  const [committedAt = '', subject = ''] = output.split('\n');
  const tags = await lineOf(folder, ['tag', '--points-at', commit]);
  const branch = await branchOf(folder, commit, { remote, defaultBranch: main });
  return {
    ...(committedAt !== '' && { committedAt }),
    ...(subject !== '' && { subject }),
    tags: tags?.split('\n') ?? [],
    ...(branch !== undefined && { branch }),
    ...known,
  };
}

/** A workflow checks out a commit by itself, and any commit that the default branch has is one of it. */
async function branchOf(folder: string, commit: string, { remote, defaultBranch }: CommitRemote) {
  const names = await branchesWith(folder, commit, remote);
  if (defaultBranch !== undefined && names.includes(defaultBranch)) {
    return defaultBranch;
  }
  const head = await lineOf(folder, ['rev-parse', '--quiet', '--verify', 'HEAD']);
  const checkedOut = head === commit ? await lineOf(folder, ['symbolic-ref', '--quiet', '--short', 'HEAD']) : undefined;
  const isSure = defaultBranch !== undefined || names.length === 1;
  return checkedOut ?? (isSure ? names[0] : undefined);
}

/** Names of branches, of the clone and as it last saw those of the remote, that a commit is in. */
async function branchesWith(folder: string, commit: string, remote: string): Promise<readonly string[]> {
  const roots = ['refs/heads/', `refs/remotes/${remote}/`];
  const listed = await lineOf(folder, ['for-each-ref', `--contains=${commit}`, '--format=%(refname)', ...roots]);
  const names = (listed?.split('\n') ?? []).flatMap((ref) => {
    const root = roots.find((one) => ref.startsWith(one));
    return root === undefined || ref === `refs/remotes/${remote}/HEAD` ? [] : [ref.slice(root.length)];
  });
  return [...new Set(names)];
}

async function lineOf(folder: string, argv: readonly string[]): Promise<string | undefined> {
  const { ok, output } = await runGit(folder, argv);
  return ok && output !== '' ? output : undefined;
}
