/**
 * Checks the rules that keep the source easy to walk through, and the words of what is printed and documented: `npm run
 * check:structure`. With `--words` it lowers the recorded number of phrases to avoid instead: `npm run words`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  crowdedFolders,
  emptyNames,
  longFiles,
  type Mistake,
  repeatedExports,
  sharedPrefixes,
  type TextFile,
} from './rules.ts';
import { BASELINE_PATH, loweredBaseline, type WordsBaseline, wordMistakes } from './words.ts';

const CODE = /^(src|site|scripts|bench)\/.*\.ts$/;
/** What has words for people; of services in comments. */
const WORDED = [
  /^(src|site)\/.*\.ts$/,
  /^(?!tests\/).*\.md$/,
  /^(action|\.github\/workflows\/.*|examples\/.*|suites\/.*)\.ya?ml$/,
  /^services\/.*\.(py|go|ts|js|java|rs)$/,
];

/** The files that git tracks or would track. */
function repositoryFiles(): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return [...new Set(listed.split('\0'))].filter((path) => path !== '' && existsSync(path)).toSorted();
}

const readFiles = (paths: readonly string[]): readonly TextFile[] =>
  paths.map((path) => ({ path, text: readFileSync(path, 'utf8') }));

const readWorded = (paths: readonly string[]): readonly TextFile[] =>
  readFiles(paths.filter((path) => WORDED.some((pattern) => pattern.test(path))));

function readBaseline(): WordsBaseline | undefined {
  return existsSync(BASELINE_PATH) ? JSON.parse(readFileSync(BASELINE_PATH, 'utf8')) : undefined;
}

function allMistakes(paths: readonly string[]): readonly Mistake[] {
  const code = readFiles(paths.filter((path) => CODE.test(path)));
  return [
    ...crowdedFolders(paths),
    ...emptyNames(paths),
    ...sharedPrefixes(paths),
    ...longFiles(code),
    ...repeatedExports(code.filter(({ path }) => path.startsWith('src/'))),
    ...wordMistakes(readWorded(paths), readBaseline() ?? {}),
  ];
}

function lowerBaseline(paths: readonly string[]): void {
  const baseline = loweredBaseline(readWorded(paths), readBaseline());
  writeFileSync(BASELINE_PATH, `${JSON.stringify(baseline, null, 2)}\n`);
  const total = Object.values(baseline).reduce((sum, count) => sum + count, 0);
  console.log(`${BASELINE_PATH}: ${total} phrases to avoid in ${Object.keys(baseline).length} files`);
}

function check(paths: readonly string[]): void {
  const mistakes = allMistakes(paths);
  for (const { place, line, what, fix } of mistakes) {
    console.error(`${line === undefined ? place : `${place}:${line}`}: ${what}. ${fix}.`);
  }
  if (mistakes.length > 0) {
    console.error(`\n${mistakes.length} mistakes in the structure or the words.`);
    process.exitCode = 1;
  }
}

const { values } = parseArgs({ options: { words: { type: 'boolean', default: false } } });
const paths = repositoryFiles();
if (values.words) {
  lowerBaseline(paths);
} else {
  check(paths);
}
