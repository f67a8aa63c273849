import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ReleasePlan } from './release-plan.ts';
import { planRelease } from './release-plan.ts';

/**
 * The plan of the release that VERSION names, from the files of the current folder and the tags of the remote `origin`.
 * Ends the program with code 2, after saying why, where the release cannot be made.
 */
export function plannedRelease(environment: NodeJS.ProcessEnv): ReleasePlan {
  const planned = planRelease({
    version: environment['VERSION'] ?? '',
    changelog: readFileSync('CHANGELOG.md', 'utf8'),
    packageVersion: packageVersion(),
    tags: remoteTags(),
    ref: environment['GITHUB_REF'],
    changes: git('status', '--porcelain'),
  });
  if (planned.kind === 'planned') {
    return planned.plan;
  }
  console.error(`No release can be made:\n${planned.problems.map((problem) => `- ${problem}`).join('\n')}`);
  process.exit(2);
}

/** Runs git in the current folder and gives what it printed; throws, with git's own words on standard error, where it fails. */
export function git(...argv: readonly string[]): string {
  return execFileSync('git', argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trimEnd();
}

function packageVersion(): string {
  const found: unknown = JSON.parse(readFileSync('package.json', 'utf8'));
  const isPackage = typeof found === 'object' && found !== null && 'version' in found;
  return isPackage ? String(found.version) : '';
}

/** The remote's, not the clone's: a clone may be shallow, or older than the last release. */
function remoteTags(): readonly string[] {
  const lines = git('ls-remote', '--tags', '--refs', 'origin').split('\n');
  return lines.flatMap((line) => line.split('\trefs/tags/')[1] ?? []);
}
