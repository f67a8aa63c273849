import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { planRelease, type ReleasePlan } from './plan.ts';

/** Checksums of the drivers of a release. Repeated here, since this job has no packages, and `src` needs some. */
const DRIVER_SUMS = join('tools', 'load', 'SHA256SUMS');

/**
 * Plan of the release that VERSION names, from the files of the current folder and the tags of the remote `origin`. Prints the reason and exits with
 * code 2 if the release cannot be made.
 */
export function plannedRelease(environment: NodeJS.ProcessEnv): ReleasePlan {
  const planned = planRelease({
    version: environment['VERSION'] ?? '',
    changelog: readFileSync('CHANGELOG.md', 'utf8'),
    readme: readFileSync('README.md', 'utf8'),
    packageVersion: String(JSON.parse(readFileSync('package.json', 'utf8')).version),
    tags: remoteTags(),
    ref: environment['GITHUB_REF'],
    changes: git('status', '--porcelain'),
  });
  return planned.kind === 'planned' ? planned.plan : refuse(planned.problems);
}

/**
 * Paths of the files of a release: those in the committed checksums, in a folder in which another job has built them, and the checksums themselves.
 * Prints the reason and exits with code 2 if one is missing or differs from its checksum.
 */
export function releaseAssets(folder: string): readonly string[] {
  const sums = existsSync(DRIVER_SUMS) ? readFileSync(DRIVER_SUMS, 'utf8') : '';
  const files = sums
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ line, name: line.replace(/^\S+ +/, '') }));
  const problems = files.flatMap(({ line, name }) => {
    const path = join(folder, name);
    if (!existsSync(path)) {
      return [`${name} is not in "${folder}": \`npx tsx scripts/release/driver.ts <folder>\` builds it.`];
    }
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    return line === `${sha256}  ${name}` ? [] : [`${name} has the SHA-256 ${sha256}: that is not in ${DRIVER_SUMS}.`];
  });
  if (files.length === 0) {
    problems.push(`${DRIVER_SUMS} names no files.`);
  }
  return problems.length > 0 ? refuse(problems) : [...files.map(({ name }) => join(folder, name)), DRIVER_SUMS];
}

/** Runs git in the current folder and returns its output; throws, with git's own message on standard error, if it fails. */
export function git(...argv: readonly string[]): string {
  return execFileSync('git', argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trimEnd();
}

/** Tags of the remote, not the clone, which may be shallow, or older than the last release. */
function remoteTags(): readonly string[] {
  return tagLines().flatMap((line) => line.split('\trefs/tags/')[1] ?? []);
}

function tagLines(): readonly string[] {
  try {
    return git('ls-remote', '--tags', '--refs', 'origin').split('\n');
  } catch {
    return refuse(['The tags of the remote "origin" cannot be read; git says above why. `git remote -v` shows it.']);
  }
}

function refuse(problems: readonly string[]): never {
  console.error(`No release can be made:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
  process.exit(2);
}
