import type { GitHub } from '../../github/api/github.ts';
import { USUAL_PLACE } from './history-place.ts';
import { pagesUrl } from './publish-origin.ts';

/**
 * The trend page of a repository, "owner/name", where a history was published to the usual place and GitHub shows it; undefined
 * elsewhere. Never rejects: a link is not worth a comment.
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
