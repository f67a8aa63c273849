import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm, stat, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EnvironmentError } from '../../foundation/errors.ts';
import { ifThere } from '../files/output.ts';
import { git, quoted, runGit } from './git.ts';

const IDENTITY = { name: 'Wiregauge', email: 'wiregauge@localhost' };

/** Commit of the working tree, on no branch, from a copy of the index; HEAD if nothing differs. */
export async function commitOfWorkingTree(checkout: string, scratch: string): Promise<string> {
  await copyIndex(resolve(checkout, await git(checkout, ['rev-parse', '--git-path', 'index'])), scratch);
  const head = await git(checkout, ['rev-parse', 'HEAD']);
  const variables = { GIT_INDEX_FILE: scratch };
  await git(checkout, ['add', '--all'], variables);
  const tree = await git(checkout, ['write-tree'], variables);
  if (tree === (await git(checkout, ['rev-parse', 'HEAD^{tree}']))) {
    return head;
  }
  const date = await git(checkout, ['log', '-1', '--format=%cI']);
  return await git(checkout, ['commit-tree', tree, '-p', head, '-m', 'Working tree'], {
    GIT_AUTHOR_NAME: IDENTITY.name,
    GIT_AUTHOR_EMAIL: IDENTITY.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: IDENTITY.name,
    GIT_COMMITTER_EMAIL: IDENTITY.email,
    GIT_COMMITTER_DATE: date,
  });
}

/**
 * git considers a file unchanged by size and time, unless it is as new as the index. So the copy keeps the time of the original, otherwise
 * changes within the same second would be missed.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  const index = await ifThere(stat(from));
  // Without an index git reads every file.
  if (index !== undefined) {
    const seconds = Math.floor(index.mtimeMs / 1000);
    await copyFile(from, to);
    await utimes(to, seconds, seconds);
  }
}

/** Commit whose submodules are checked out to a folder. */
export interface Superproject {
  /** Git folder of the user's checkout. */
  readonly gitFolder: string;
  /** User's checkout, which may be missing for a submodule that was moved. */
  readonly checkout: string;
  readonly commit: string;
  readonly tree: string;
  /** True if submodules include their uncommitted changes, instead of the commit in the superproject. */
  readonly asTheyAre: boolean;
  readonly scratch: string;
}

/** Checks out the submodules of a commit from local objects. Returns whether any has uncommitted changes. */
export async function layOutSubmodules(project: Superproject): Promise<boolean> {
  let isDirty = false;
  for (const submodule of await submodulesOf(project)) {
    const { path } = submodule;
    const checkout = join(project.checkout, path);
    const gitFolder = await gitFolderOf(project, path);
    if (gitFolder !== undefined) {
      const asTheyAre = project.asTheyAre && existsSync(join(checkout, '.git'));
      const commit = asTheyAre ? await commitOfWorkingTree(checkout, project.scratch) : submodule.commit;
      const inner = { ...project, gitFolder, checkout, commit, asTheyAre, tree: join(project.tree, path) };
      await layOut(inner, path);
      const isChanged = asTheyAre && commit !== (await git(checkout, ['rev-parse', 'HEAD']));
      isDirty = (await layOutSubmodules(inner)) || isChanged || isDirty;
    }
  }
  return isDirty;
}

async function submodulesOf(
  project: Superproject,
): Promise<readonly { readonly path: string; readonly commit: string }[]> {
  const entries = await git(project.tree, ['ls-tree', '-r', '-z', '--full-tree', project.commit], placeOf(project));
  return [...entries.matchAll(/160000 commit ([0-9a-f]+)\t([^\0]+)/g)].map(([, sha = '', path = '']) => ({
    path,
    commit: sha,
  }));
}

// If the submodule was moved or removed in the user's checkout, git still stores it under its name.
async function gitFolderOf(project: Superproject, path: string): Promise<string | undefined> {
  const checkout = join(project.checkout, path);
  if (existsSync(join(checkout, '.git'))) {
    return await git(checkout, ['rev-parse', '--absolute-git-dir']);
  }
  const name = await nameOf(project, path);
  // Names are untrusted text.
  if (name === undefined || name.split('/').includes('..')) {
    return undefined;
  }
  const kept = join(project.gitFolder, 'modules', name);
  return existsSync(kept) ? kept : undefined;
}

async function nameOf(project: Superproject, path: string): Promise<string | undefined> {
  const file = `${project.commit}:.gitmodules`;
  const argv = ['config', '--null', '--blob', file, '--get-regexp', '^submodule\\..*\\.path$'];
  const { output } = await runGit(project.tree, argv, placeOf(project));
  const entries = output.split('\0').map((entry) => /^submodule\.(.+)\.path\n(.*)$/s.exec(entry));
  return entries.find((entry) => entry?.[2] === path)?.[1];
}

async function layOut(project: Superproject, path: string): Promise<void> {
  const { commit, tree, scratch } = project;
  await mkdir(tree, { recursive: true });
  if (!(await runGit(tree, ['cat-file', '-e', `${commit}^{commit}`], placeOf(project))).ok) {
    throw new EnvironmentError(`the submodule ${quoted(path)} lacks the commit ${commit}`, {
      code: 'WG-210',
      next: 'Fetch it: `git submodule foreach git fetch origin` (in a shallow clone with `--unshallow`).',
    });
  }
  await rm(scratch, { force: true });
  await git(tree, ['read-tree', '--reset', '-u', commit], { ...placeOf(project), GIT_INDEX_FILE: scratch });
}

// The settings of a submodule refer to the user's checkout, so each command overrides them.
function placeOf({ gitFolder, tree }: Superproject): Record<string, string> {
  return { GIT_DIR: gitFolder, GIT_WORK_TREE: tree };
}
