import type { RepositoryFile } from '../../../host/files/repository-file.ts';
import { baseName } from './places.ts';

/** Where runs leave their results. */
const RESULTS = 'out/';

/** What the tools of a language make beside the sources, by the file that tells of the language. */
const MADE: Readonly<Record<string, readonly string[]>> = {
  'package.json': ['node_modules/'],
  'pom.xml': ['target/'],
  'pyproject.toml': ['.venv/', '__pycache__/'],
  'requirements.txt': ['.venv/', '__pycache__/'],
};

/**
 * Lines that a `.gitignore` lacks: for the results of runs, and for what builds leave, which would else be a part of the working tree that
 * is measured.
 */
export function missingIgnores(gitignore: string, files: readonly RepositoryFile[]): readonly string[] {
  const known = new Set(gitignore.split('\n').map(plainPattern));
  const made = files.flatMap(({ path }) => MADE[baseName(path)] ?? []);
  return [...new Set([RESULTS, ...made])].filter((line) => !known.has(plainPattern(line)));
}

/** The text of a `.gitignore` with these lines at its end. */
export function withIgnores(gitignore: string, lines: readonly string[]): string {
  const before = gitignore === '' || gitignore.endsWith('\n') ? gitignore : `${gitignore}\n`;
  return `${before}${lines.map((line) => `${line}\n`).join('')}`;
}

// "out" stands for "/out", "out/" and "out/*", too.
function plainPattern(line: string): string {
  return line
    .trim()
    .replace(/^(?:\*\*)?\//, '')
    .replace(/\/(?:\*{1,2})?$/, '');
}
