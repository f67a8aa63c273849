import { runGit } from './git.ts';

/** What git knows of a commit. Texts are from outside. */
export interface CommitFacts {
  readonly subject?: string;
  /** ISO 8601. */
  readonly committedAt?: string;
  readonly tags: readonly string[];
  /**
   * The default branch, where it has the commit; else the one that is checked out there, or another one that has it. Undefined
   * where the clone does not say: where it knows no default branch, several branches may be meant.
   */
  readonly branch?: string;
  /** The default branch of the remote, where git was told. */
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
