// Makes the release that VERSION names, from the commit that is checked out: tag, moving major tag, release on GitHub. Its files are those in the
// folder that ASSETS names. Uses `git push` and `gh` with their current logins. Checks everything again: another release may have come first.
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { git, plannedRelease, releaseAssets } from './inputs.ts';

const { tag, majorTag, isPrerelease, isLatest, channel, notes } = plannedRelease(process.env);
const assets = releaseAssets(process.env['ASSETS'] ?? '');
const commit = git('rev-parse', 'HEAD');

// The remote refuses a tag that another user has pushed in the meantime: nothing is forced here.
git('push', '--quiet', 'origin', `${commit}:refs/tags/${tag}`);
try {
  const kind = isPrerelease ? '--prerelease' : `--latest=${isLatest}`;
  const argv = ['release', 'create', tag, ...assets, '--verify-tag', '--title', tag, '--notes-file', '-', kind];
  execFileSync('gh', argv, { input: notes, stdio: ['pipe', 'inherit', 'inherit'] });
} catch {
  // gh has printed the reason. A tag without a release would block the next attempt.
  git('push', '--quiet', 'origin', '--delete', `refs/tags/${tag}`);
  console.error(`${tag} is not released, and its tag is taken back: fix what gh names above and start again.`);
  process.exit(2);
}
if (majorTag !== undefined) {
  // Comes last, so that users of the major tag never get a version without a release.
  git('push', '--quiet', '--force', 'origin', `${commit}:refs/tags/${majorTag}`);
}
const output = process.env['GITHUB_OUTPUT'];
if (output !== undefined) {
  // For the jobs that publish its package and image.
  appendFileSync(output, `channel=${channel}\n`);
}
console.log(`released ${tag} of ${commit}${majorTag === undefined ? '' : `; ${majorTag} is moved to it`}`);
