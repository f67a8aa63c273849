import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import type { Run } from '../../model/run/run.ts';

/** Where and by whom a run was measured, as far as a workflow tells; all undefined outside of one. */
export interface RunOrigin {
  readonly repository: string | undefined;
  readonly branch: string | undefined;
  readonly defaultBranch: string | undefined;
  /** The page of the workflow's run. */
  readonly runUrl: string | undefined;
}

/** Only what runs for commits that are in the repository; anything else may be for a pull request, or a fork. */
const EVENTS = ['push', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'release'];

/**
 * Reads a workflow's variables. Throws ConfigError where its event is none that a run may enter a history for, and outside of a
 * workflow for a run of uncommitted changes, unless they are allowed.
 */
export function publishOriginOf(
  run: Run,
  allowDirty: boolean,
  environment: NodeJS.ProcessEnv = process.env,
): RunOrigin {
  const read = (name: string): string | undefined => environment[name] || undefined;
  if (read('GITHUB_ACTIONS') !== 'true') {
    requireCommitted(run, allowDirty);
    return NOWHERE;
  }
  const event = read('GITHUB_EVENT_NAME') ?? '';
  if (!EVENTS.includes(event)) {
    throw new ConfigError(`a run for the event "${event}" does not enter the history`, {
      next: 'Publish from `on: push` with `branches: [<default branch>]`: what pull requests and forks measure is no baseline.',
    });
  }
  const server = read('GITHUB_SERVER_URL') ?? 'https://github.com';
  const repository = `${server}/${read('GITHUB_REPOSITORY') ?? ''}`;
  const id = read('GITHUB_RUN_ID');
  return {
    repository,
    // A tag may be of any branch, and a run without one would count as one of the default branch.
    branch: read('GITHUB_REF_TYPE') === 'tag' ? read('GITHUB_REF') : read('GITHUB_REF_NAME'),
    defaultBranch: defaultBranchIn(read('GITHUB_EVENT_PATH')),
    runUrl: id === undefined ? undefined : `${repository}/actions/runs/${id}`,
  };
}

const NOWHERE: RunOrigin = {
  repository: undefined,
  branch: undefined,
  defaultBranch: undefined,
  runUrl: undefined,
};

function requireCommitted({ commit, rounds }: Run, allowDirty: boolean): void {
  const isDirty = rounds === undefined ? commit.dirty : rounds.head.dirty;
  if (isDirty && !allowDirty) {
    throw new ConfigError('the run is of files with changes that are in no commit', {
      next: 'Commit them and measure again, or publish it all the same with `--allow-dirty`.',
    });
  }
}

const payloadSchema = z.object({ repository: z.object({ default_branch: z.string().min(1).max(300) }) });

function defaultBranchIn(path: string | undefined): string | undefined {
  try {
    return path === undefined
      ? undefined
      : payloadSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).repository.default_branch;
  } catch {
    // Not every event has it, and the history keeps what it knows.
    return undefined;
  }
}

/** The page of a repository by the address of its remote; undefined for a path, and where nobody can know. */
export function repositoryPage(address: string): string | undefined {
  const [, host, path] =
    /^https:\/\/(?:[^@/]*@)?([\w.-]+(?::\d+)?)\/([\w./-]+?)(?:\.git)?\/?$/.exec(address) ??
    /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)[:/]([\w./-]+?)(?:\.git)?\/?$/.exec(address) ??
    [];
  return host === undefined || path === undefined || !path.includes('/') ? undefined : `https://${host}/${path}`;
}

/** Where GitHub shows a folder of a repository's pages, unless they have an address of their own; undefined elsewhere. */
export function pagesUrl(repository: string | undefined, folder: string): string | undefined {
  const [, owner, name] = /^https:\/\/github\.com\/([A-Za-z0-9-]+)\/([\w.-]+)$/.exec(repository ?? '') ?? [];
  if (owner === undefined || name === undefined) {
    return undefined;
  }
  const host = `${owner.toLowerCase()}.github.io`;
  return `https://${host}/${name.toLowerCase() === host ? '' : `${name}/`}${folder}/`;
}
