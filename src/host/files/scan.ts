import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, EnvironmentError, messageOf } from '../../foundation/index.ts';

const WANTED =
  /^(?:Dockerfile|(?:docker-)?compose\.ya?ml|.*\.(?:proto|graphqls?|gql)|[\w.-]*(?:openapi|swagger)[\w.-]*\.(?:json|ya?ml)|(?:[\w.-]*graphql[\w.-]*|introspection|schema)\.json|package(?:-lock)?\.json|pyproject\.toml|requirements\.txt|go\.mod|uv\.lock|pom\.xml|main\.(?:go|py)|(?:app|server)\.py)$/i;

/** The application of a package of Python; other packages have too many of these files. */
const WANTED_PATH = /(?:^|\/)(?:main|app)\/__init__\.py$/;

/** What others wrote, what is made, and what only tests use. */
const LEFT_OUT =
  /^(?:\..*|node_modules|vendor|third_party|target|dist|build|out|venv|site-packages|__pycache__|tests?|testdata|fixtures|examples?|docs)$/;

const DEEPEST = 8;

const MOST_FOLDERS = 5000;

const MOST_FILES = 500;

const MOST_BYTES = 2 ** 20;

/** What was found, and what could not be looked at. */
export interface Scan {
  readonly files: readonly RepositoryFile[];
  /** Paths with the reason, for the log. */
  readonly unread: readonly string[];
}

/**
 * The files of a repository that tell what it is made of, with their texts; links are not followed, and lists that are too long end early.
 * Throws ConfigError where there is no such folder.
 */
export function scanRepository(root: string): Scan {
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ConfigError(`${root} is no folder`, { next: 'Give the folder of your repository.' });
  }
  const unread: string[] = [];
  const paths = pathsIn(root, unread);
  return { files: paths.flatMap((path) => readIn(root, path, unread)), unread };
}

/** What is near to the root comes first. */
function pathsIn(root: string, unread: string[]): readonly string[] {
  const paths: string[] = [];
  // Grows while it is walked.
  const folders = [''];
  for (const folder of folders) {
    const below = folder === '' ? '' : `${folder}/`;
    const entries = entriesOf(root, folder, unread);
    const found = entries.filter((entry) => entry.isDirectory() && isEntered(`${below}${entry.name}`, entry.name));
    folders.push(...found.slice(0, MOST_FOLDERS - folders.length).map(({ name }) => `${below}${name}`));
    const wanted = entries.filter((entry) => entry.isFile() && isWanted(below, entry.name));
    paths.push(...wanted.slice(0, MOST_FILES - paths.length).map(({ name }) => `${below}${name}`));
  }
  return paths;
}

function isWanted(below: string, name: string): boolean {
  return WANTED.test(name) || WANTED_PATH.test(`${below}${name}`);
}

function isEntered(path: string, name: string): boolean {
  return !LEFT_OUT.test(name) && path.split('/').length <= DEEPEST;
}

function entriesOf(root: string, folder: string, unread: string[]): readonly Dirent[] {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    if (folder === '') {
      throw new EnvironmentError(`${root} cannot be read: ${messageOf(cause)}`, {
        cause,
        next: 'Fix its permissions.',
      });
    }
    unread.push(`${folder}: ${messageOf(cause)}`);
    return [];
  }
}

/** A lock file counts by being there. */
function readIn(root: string, path: string, unread: string[]): readonly RepositoryFile[] {
  const whole = join(root, path);
  try {
    if (path.endsWith('package-lock.json') || path.endsWith('uv.lock')) {
      return [{ path, text: '' }];
    }
    const { size } = statSync(whole);
    if (size <= MOST_BYTES) {
      return [{ path, text: readFileSync(whole, 'utf8').replace(/^\uFEFF/, '') }];
    }
    unread.push(`${path}: has ${size} bytes, and ${MOST_BYTES} are the most`);
  } catch (cause) {
    unread.push(`${path}: ${messageOf(cause)}`);
  }
  return [];
}

/** A file of somebody's repository: its path from the root, with slashes, and its text, both from outside. */
export interface RepositoryFile {
  readonly path: string;
  readonly text: string;
}
