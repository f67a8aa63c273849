import { runGit } from './git.ts';

/** What git knows of a commit. Texts are from outside. */
export interface CommitFacts {
  readonly subject?: string;
  /** ISO 8601. */
  readonly committedAt?: string;
  readonly tags: readonly string[];
  /** The branch that is checked out, where it is at this commit. */
  readonly branch?: string;
  /** The default branch of the remote, where git was told. */
  readonly defaultBranch?: string;
}

/** Reads what a repository has of a commit; a clone that lacks the commit knows nothing of it. */
export async function commitFacts(folder: string, commit: string | undefined, remote: string): Promise<CommitFacts> {
  const defaultBranch = await lineOf(folder, ['symbolic-ref', '--quiet', '--short', `refs/remotes/${remote}/HEAD`]);
  const known = defaultBranch === undefined ? {} : { defaultBranch: defaultBranch.slice(remote.length + 1) };
  if (commit === undefined || !/^[0-9a-f]{40,64}$/.test(commit)) {
    return { tags: [], ...known };
  }
  const { output } = await runGit(folder, ['log', '-1', '--no-show-signature', '--format=%cI%n%s', commit]);
  const [committedAt = '', subject = ''] = output.split('\n');
  const tags = await lineOf(folder, ['tag', '--points-at', commit]);
  const head = await lineOf(folder, ['rev-parse', '--quiet', '--verify', 'HEAD']);
  const branch = head === commit ? await lineOf(folder, ['symbolic-ref', '--quiet', '--short', 'HEAD']) : undefined;
  return {
    ...(committedAt !== '' && { committedAt }),
    ...(subject !== '' && { subject }),
    tags: tags?.split('\n') ?? [],
    ...(branch !== undefined && { branch }),
    ...known,
  };
}

async function lineOf(folder: string, argv: readonly string[]): Promise<string | undefined> {
  const { ok, output } = await runGit(folder, argv);
  return ok && output !== '' ? output : undefined;
}
