import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DRIVER_SUMS } from '../src/runtime/index.ts';

/**
 * Paths of the files that a release has: those that the committed checksums name, in a folder where another job has built them, and
 * the checksums themselves. Ends the program with code 2, after saying why, where one is missing or is not the file that was committed to.
 */
export function releaseAssets(folder: string): readonly string[] {
  const lines = read(DRIVER_SUMS)?.toString('utf8').split('\n').filter(Boolean) ?? [];
  const problems = lines.flatMap((line) => problemOf(line, folder));
  if (lines.length === 0) {
    problems.push(`${DRIVER_SUMS} names no files.`);
  }
  if (problems.length > 0) {
    console.error(`No release can be made:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    process.exit(2);
  }
  return [...lines.map((line) => join(folder, nameIn(line))), DRIVER_SUMS];
}

function problemOf(line: string, folder: string): readonly string[] {
  const content = read(join(folder, nameIn(line)));
  if (content === undefined) {
    return [`${nameIn(line)} is not in "${folder}": \`npx tsx scripts/release-driver.ts <folder>\` builds it.`];
  }
  const sha256 = createHash('sha256').update(content).digest('hex');
  return line.startsWith(`${sha256}  `)
    ? []
    : [`${nameIn(line)} has the SHA-256 ${sha256}: that is not in ${DRIVER_SUMS}.`];
}

function nameIn(line: string): string {
  return line.replace(/^\S+ +/, '');
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
