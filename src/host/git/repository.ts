import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError, EnvironmentError, type KnownError, withFallback } from '../../foundation/errors.ts';
import { isInWorkflow } from '../workflow.ts';
import { git, gitError, quoted, runGit } from './git.ts';

export interface Checkout {
  /** Root folder of the checkout. */
  readonly checkout: string;
  /** Measured folder, relative to the root; empty for the root itself. */
  readonly prefix: string;
  /** Git folder shared by all worktrees of the repository. */
  readonly gitFolder: string;
}

/** Repository of a folder; throws ConfigError if there is none with a working tree. */
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

/** Full SHA of the commit of a ref. Throws EnvironmentError if a shallow clone lacks it, ConfigError if it is unknown. */
export async function resolveCommit({ checkout }: Checkout, ref: string): Promise<string> {
  const commit = await commitNamed(checkout, ref);
  if (commit === undefined) {
    throw await missing(checkout, ref);
  }
  return commit;
}

async function commitNamed(checkout: string, ref: string): Promise<string | undefined> {
  // Names must not be parsed as options; no branch or tag begins with a dash. Arguments cannot contain NUL.
  const isName = !ref.startsWith('-') && !ref.includes('\0');
  const argv = ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`];
  const { output } = isName ? await runGit(checkout, argv) : { output: '' };
  // "^main" prints a SHA with a prefix.
  return /^[0-9a-f]{40,64}$/.test(output) ? output : undefined;
}

/** Merge base of two refs, or of a ref and the working tree if `head` is undefined; ignores later merges. Throws like resolveCommit. */
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
      ? 'Set a version that it is based on: `with: { args: --base <branch, tag or commit> }`.'
      : 'Compare with a branch that it is based on: `--base <ref>`.',
  });
}

/** Merge base with the former tip of a branch; with the current branch of the remote, and `lacksTip`, after a force-push. */
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

export async function isShallow(checkout: string): Promise<boolean> {
  return (await git(checkout, ['rev-parse', '--is-shallow-repository'])) === 'true';
}

const USUAL_BASES = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'];

/** Merge base with the default branch. Throws ConfigError if there is none, or if nothing has changed since. */
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
  // Untracked files are measured, too.
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

// "main" only exists as "origin/main" if it was never checked out.
async function trackingBranch(checkout: string, ref: string): Promise<string | undefined> {
  if (!/^[\w./-]+$/.test(ref)) {
    return undefined;
  }
  return await lineOf(checkout, ['for-each-ref', '--count=1', '--format=%(refname:short)', `refs/remotes/*/${ref}`]);
}

function deepen(): string {
  return isInWorkflow()
    ? 'Fetch all branches with their history: set `with: { fetch-depth: 0 }` below `- uses: actions/checkout@v7`.'
    : 'Fetch the history with `git fetch --unshallow`, or part of it with `git fetch --deepen=100`; a clone of one branch also needs `git fetch origin <branch>:refs/remotes/origin/<branch>`.';
}

export async function gitFacts(folder: string) {
  return await withFallback(
    async () => {
      const { checkout } = await findRepository(folder);
      return {
        kind: 'clone' as const,
        checkout,
        isShallow: await isShallow(checkout),
        hasCommit: (await commitNamed(checkout, 'HEAD')) !== undefined,
        origin: await lineOf(checkout, ['remote', 'get-url', 'origin']),
      };
    },
    ({ message, next }) => ({ kind: 'none' as const, why: message, next }),
  );
}

export interface CommitFacts {
  readonly subject?: string;
  readonly committedAt?: string;
  readonly tags: readonly string[];
  /** Default branch if it contains the commit, else the checked-out or the only one that does; undefined if ambiguous. */
  readonly branch?: string;
  readonly defaultBranch?: string;
}

interface CommitRemote {
  readonly remote: string;
  readonly defaultBranch?: string | undefined;
}

export async function commitFacts(
  folder: string,
  commit: string | undefined,
  { remote, defaultBranch }: CommitRemote,
): Promise<CommitFacts> {
  const head = await lineOf(folder, ['symbolic-ref', '--quiet', '--short', `refs/remotes/${remote}/HEAD`]);
  const main = head?.slice(remote.length + 1) ?? defaultBranch;
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

/** Branch of a commit. A workflow checks out a detached commit, and the default branch takes precedence. */
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

/** Root of the checkout of a folder, as an absolute path; undefined outside a checkout. Does not run git. */
export function checkoutRoot(folder: string): string | undefined {
  const path = resolve(folder);
  if (existsSync(join(path, '.git'))) {
    return path;
  }
  return dirname(path) === path ? undefined : checkoutRoot(dirname(path));
}
