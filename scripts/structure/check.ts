/** Checks the structure rules of the source: `npm run check:structure`. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import {
  crowdedFolders,
  detours,
  emptyNames,
  longFiles,
  type Mistake,
  REPORTED_LINES,
  repeatedExports,
  sharedPrefixes,
  type TextFile,
} from './rules.ts';

const CODE = /^(src|studies|site|scripts|bench)\/.*\.ts$/;
/** Files that git tracks or would track. */
function repositoryFiles(): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return [...new Set(listed.split('\0'))].filter((path) => path !== '' && existsSync(path)).toSorted();
}

const readFiles = (paths: readonly string[]): readonly TextFile[] =>
  paths.map((path) => ({ path, text: readFileSync(path, 'utf8') }));

const paths = repositoryFiles();
const code = readFiles(paths.filter((path) => CODE.test(path)));
const mistakes: readonly Mistake[] = [
  ...crowdedFolders(paths),
  ...emptyNames(paths),
  ...sharedPrefixes(paths),
  ...detours(code.filter(({ path }) => path.startsWith('src/'))),
  ...repeatedExports(code.filter(({ path }) => path.startsWith('src/'))),
];
for (const { place, line, what, fix } of mistakes) {
  console.error(`${line === undefined ? place : `${place}:${line}`}: ${what}. ${fix}.`);
}
if (mistakes.length > 0) {
  console.error(`\n${mistakes.length} mistakes in the structure.`);
  process.exitCode = 1;
}

const long = longFiles(code);
if (long.length > 0) {
  console.log(
    `${long.length} files have more than ${REPORTED_LINES} lines; the longest: ${long.slice(0, 8).join(', ')}`,
  );
}
