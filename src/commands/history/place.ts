import { ConfigError } from '../../foundation/errors.ts';
import { cleanText, documentAddress } from '../../foundation/text.ts';
import type { GitHub } from '../../github/api/github.ts';
import { openHistoryBranch } from '../../history/branch/branch.ts';
import { historyFolder } from '../../history/folder.ts';
import { type HistoryStore, historyIndex } from '../../history/reader.ts';
import type { HistoryIndex, LostRuns } from '../../history/store/index-file.ts';
import { lostText } from '../../history/store/segments.ts';
import { machineOwner } from '../../host/machine/proc.ts';
import { type OutputOptions, printLine } from '../../host/terminal/output.ts';
import { OPTIONS } from '../program/options.ts';

/** Place of a history: a folder, or a branch of a remote. */
export interface HistoryPlaceFlags extends Pick<OutputOptions, 'json'> {
  /** Checkout or copy of the branch's folder. */
  readonly folder?: string | undefined;
  readonly remote: string;
  readonly branch: string;
  readonly branchFolder: string;
  readonly createBranch?: boolean | undefined;
}

/** Default place of `wiregauge publish`. */
export const USUAL_PLACE: HistoryPlaceFlags = {
  remote: OPTIONS.remote.usual,
  branch: OPTIONS.branch.usual,
  branchFolder: OPTIONS['branch-folder'].usual,
};

export type PlacedHistory = HistoryStore & { readonly address?: string };

export async function withHistory<Result>(
  flags: HistoryPlaceFlags,
  use: (store: PlacedHistory) => Promise<Result>,
): Promise<Result> {
  const log = (line: string): void => printLine(line, 'err');
  if (flags.folder !== undefined) {
    return await use(historyFolder(flags.folder, log));
  }
  const { remote, branch, branchFolder, createBranch } = flags;
  await using store = await openHistoryBranch({
    checkout: process.cwd(),
    remote,
    branch,
    folder: branchFolder,
    folderFlag: '--branch-folder',
    createBranch: createBranch === true,
    owner: machineOwner(),
    log,
  });
  return await use(store);
}

/** Index of a history; throws ConfigError if there is none. */
export async function requiredIndex(store: HistoryStore): Promise<HistoryIndex> {
  const index = await historyIndex(store.read);
  if (index === undefined) {
    throw new ConfigError(`there is no history in ${store.name}`, {
      code: 'WG-604',
      next: 'Start one with `wiregauge publish out/run.json`, or set another location with `--folder` or `--branch-folder`.',
    });
  }
  return index;
}

export function lostLine(lost: LostRuns): string {
  const commit = cleanText(lost.commit, 64);
  return `${lostText(lost)}. They are in commit ${commit}: ${documentAddress('docs/history.md#runs-that-are-gone')} explains how to restore them, and how to accept the loss.`;
}

/** Address of a repository's page by that of its remote; undefined for a path or an unknown host. */
export function repositoryPage(address: string): string | undefined {
  const [, host, path] =
    /^https:\/\/(?:[^@/]*@)?([\w.-]+(?::\d+)?)\/([\w./-]+?)(?:\.git)?\/?$/.exec(address) ??
    /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)[:/]([\w./-]+?)(?:\.git)?\/?$/.exec(address) ??
    [];
  return host === undefined || path === undefined || !path.includes('/') ? undefined : `https://${host}/${path}`;
}

/** Address at which GitHub Pages shows a folder by default; undefined for other hosts. */
export function pagesUrl(repository: string | undefined, folder: string): string | undefined {
  const [, owner, name] = /^https:\/\/github\.com\/([A-Za-z0-9-]+)\/([\w.-]+)$/.exec(repository ?? '') ?? [];
  if (owner === undefined || name === undefined) {
    return undefined;
  }
  const host = `${owner.toLowerCase()}.github.io`;
  return `https://${host}/${name.toLowerCase() === host ? '' : `${name}/`}${folder}/`;
}

/**
 * Trend page of a repository, "owner/name", if a history was published to the default place and GitHub shows it; else undefined. Never rejects: a
 * missing link must not prevent a comment.
 */
export async function trendPage(github: Pick<GitHub, 'hasFile'>, repository: string): Promise<string | undefined> {
  const { branch, branchFolder } = USUAL_PLACE;
  const server = process.env['GITHUB_SERVER_URL'] || 'https://github.com';
  const url = pagesUrl(`${server}/${repository}`, branchFolder);
  try {
    const path = `${branchFolder}/history/index.json`;
    return url !== undefined && (await github.hasFile({ branch, path })) ? url : undefined;
  } catch {
    return undefined;
  }
}
