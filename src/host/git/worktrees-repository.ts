import { resolve } from 'node:path';
import { ConfigError, EnvironmentError, type KnownError } from '../../foundation/errors.ts';
import { isInWorkflow } from '../workflow-command.ts';
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

/** The repository that a folder belongs to; throws ConfigError where there is none with files. */
export async function findRepository(folder: string): Promise<Checkout> {
  const argv = ['rev-parse', '--show-toplevel'];
  const { ok, output, complaint } = await runGit(folder, argv);
  if (!ok) {
    const refusal = REFUSALS.find(([pattern]) => pattern.test(complaint));
    throw refusal === undefined
      ? gitError(folder, argv, complaint)
      : new ConfigError(`${folder} ${refusal[1]}`, { next: refusal[2] });
  }
  return {
    checkout: output,
    prefix: (await git(folder, ['rev-parse', '--show-prefix'])).replace(/\/$/, ''),
    gitFolder: resolve(folder, await git(folder, ['rev-parse', '--git-common-dir'])),
  };
}

const REFUSALS: readonly (readonly [RegExp, string, string])[] = [
  [/cannot change to/, 'is no folder that can be entered', 'Give the folder of a git repository.'],
  [/not a git repository/, 'is in no git repository', 'Versions are compared in a clone: change to its folder.'],
  [
    /must be run in a work tree/,
    'is in a bare repository or a .git folder, which have no files',
    'Make a clone of it with `git clone`, and change to that folder.',
  ],
];

/**
 * The full sha of the commit that a ref names. Throws EnvironmentError where a shallow clone lacks it and ConfigError where it is
 * unknown, with what would get it.
 */
export async function resolveCommit({ checkout }: Checkout, ref: string): Promise<string> {
  // What looks like an option is none of git's, and no branch or tag can have such a name. Arguments cannot have a NUL.
  const asked = !ref.startsWith('-') && !ref.includes('\0');
  const argv = ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`];
  const { output } = asked ? await runGit(checkout, argv) : { output: '' };
  // "^main" has a sha too, with a sign before it.
  if (/^[0-9a-f]{40,64}$/.test(output)) {
    return output;
  }
  throw await missing(checkout, ref);
}

/**
 * The newest commit that two refs have in common: what a branch is to be compared with, whatever was merged to the other since.
 * `head` is a ref; undefined for the working tree. Throws what resolveCommit throws, EnvironmentError where a shallow clone does not
 * reach back so far, and ConfigError where there is none.
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
  if ((await git(checkout, ['rev-parse', '--is-shallow-repository'])) === 'true') {
    throw new EnvironmentError(`the shallow clone in ${checkout} does not reach back to where ${names} parted`, {
      next: deepen(),
    });
  }
  throw new ConfigError(`${names} have no commit in common in ${checkout}`, {
    next: isInWorkflow()
      ? 'Name a version that it came from: `with: { base: <branch, tag or commit> }`.'
      : 'Compare with a branch that it came from: `--base <ref>`.',
  });
}

async function missing(checkout: string, ref: string): Promise<KnownError> {
  const { output: commits } = await runGit(checkout, ['rev-list', '-n', '1', '--all']);
  if (commits === '') {
    return new ConfigError(`${checkout} has no commit yet`, { next: 'Commit the version to compare with first.' });
  }
  const name = quoted(ref);
  const tracked = await trackingBranch(checkout, ref);
  if (tracked !== undefined) {
    return new ConfigError(`there is no ${name} in ${checkout}`, { next: `Did you mean ${tracked}?` });
  }
  if ((await git(checkout, ['rev-parse', '--is-shallow-repository'])) === 'true') {
    return new EnvironmentError(`the shallow clone in ${checkout} lacks ${name}`, { next: deepen() });
  }
  return new ConfigError(`there is no commit ${name} in ${checkout}`, {
    next: 'Give a branch, a tag or a commit: `git branch --all` and `git tag` list them, `git fetch` gets new ones.',
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
    ? 'Let the checkout fetch every branch with its history, with `fetch-depth: 0`: `- uses: actions/checkout@v5` and, below it, `with: { fetch-depth: 0 }`.'
    : 'Get the history with `git fetch --unshallow`, or a part of it with `git fetch --deepen=100`; a clone of one branch also needs `git fetch origin <branch>:refs/remotes/origin/<branch>`.';
}
