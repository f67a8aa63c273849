import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { FileRefusal, readBytes } from './reader.ts';

const RELEVANT =
  /^(?:Dockerfile(?:\.[\w-]{1,40})?|[\w-]{1,40}\.Dockerfile|(?:docker-)?compose[\w.-]*\.ya?ml|.*\.(?:proto|graphqls?|gql)|[\w.-]*(?:openapi|swagger)[\w.-]*\.(?:json|ya?ml)|(?:[\w.-]*graphql[\w.-]*|introspection|schema)\.json|package(?:-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|\.env|\.?env(?:\.\w{1,30}){0,2}[._-](?:example|sample|template|dist)|\.?(?:example|sample)[._-]env|pyproject\.toml|requirements\.txt|alembic\.ini|Procfile|Makefile|README\.md|[\w-]{0,60}(?:boot|entry-?point|start|run|server?|init)[\w-]{0,60}\.sh|buf\.yaml|go\.mod|uv\.lock|pom\.xml|main\.(?:go|py)|(?:app|server)\.py|build\.gradle(?:\.kts)?|gradlew|mvnw|(?:maven|gradle)-wrapper\.(?:jar|properties)|Cargo\.toml|.*\.csproj|Gemfile|mix\.exs|config\.ru|composer\.json|application\.(?:properties|ya?ml)|[^/]*\.(?:har|http|rest)|[^/]*postman_collection\.json|bruno\.json)$/i;

const SOURCE = /\.(?:m?js|cjs|m?ts|cts|py|go|java|kt|rs|cs|rb|ex|php)$/;

const TEST_SOURCE =
  /(?:[._-](?:test|spec|d)\.\w+|_test\.(?:go|py)|Tests?\.(?:java|kt|cs|php)|\.min\.js|\.blade\.php)$|^(?:test_|conftest)/;

/** Files that are only read at these paths. */
const RELEVANT_PATH =
  /(?:^|\/)(?:(?:main|app)\/__init__\.py|requirements\/\w+\.txt|config\/rout(?:es|ing)(?:\/[\w-]{1,60})?\.ya?ml)$/;

const LEFT_OUT =
  /^(?:\.(?!mvn$).*|node_modules|_build|vendor|third_party|target|dist|out|venv|site-packages|__pycache__|tests?|testdata|fixtures|examples?|docs)$/;

/** Packages of Java are deep. */
const DEEPEST = 16;

const MAX_FOLDERS = 5000;

const MAX_FILES = 500;

const MAX_SOURCES = 3000;

/** Limit of the listed migrations; a repository with more has some that are not listed. */
export const MAX_MIGRATIONS = 500;

const MIGRATION = /(?:^|\.)up\.sql$/;

const MAX_BYTES = 2 ** 20;

/** Longer sources are generated. */
const MAX_SOURCE_BYTES = 2 ** 18;

const ENVIRONMENT = /(?:^|\/)(?:\.env(?:\.[\w-]+)*|[\w-]+\.env)$/;

const MAX_ENVIRONMENTS = 100;

/**
 * Files of a repository that describe its services, and unreadable paths with the reason, for the log. Files with values of an environment
 * are read only if they are `tracked`.
 */
export function scanRepository(root: string, tracked: readonly string[] = []) {
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ConfigError(`${root} is not a folder`, { code: 'WG-107', next: 'Use the folder of your repository.' });
  }
  const unread: string[] = [];
  const values = tracked.filter((path) => ENVIRONMENT.test(path)).slice(0, MAX_ENVIRONMENTS);
  const paths = pathsIn(root, unread).filter((path) => !values.includes(path));
  return {
    files: [
      ...paths.flatMap((path) => (BY_BEING_THERE.test(path) ? [{ path, text: '' }] : textIn(root, path, unread))),
      ...values.flatMap((path) => textIn(root, path, unread)),
    ],
    unread,
  };
}

function pathsIn(root: string, unread: string[]): readonly string[] {
  const paths: string[] = [];
  const sources: string[] = [];
  const migrations: string[] = [];
  // Grows during the iteration.
  const folders = [''];
  for (const folder of folders) {
    const below = folder === '' ? '' : `${folder}/`;
    const entries = entriesOf(root, folder, unread);
    const found = entries.filter((entry) => entry.isDirectory() && isEntered(`${below}${entry.name}`, entry.name));
    folders.push(...found.slice(0, MAX_FOLDERS - folders.length).map(({ name }) => `${below}${name}`));
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const relevant = names.filter((name) => isRelevant(below, name));
    paths.push(...relevant.slice(0, MAX_FILES - paths.length).map((name) => `${below}${name}`));
    const isBuilding = BUILDING.test(below) && !PACKAGES.test(below);
    const further = isBuilding
      ? []
      : names.filter((name) => !isRelevant(below, name) && SOURCE.test(name) && !TEST_SOURCE.test(name));
    sources.push(...further.slice(0, MAX_SOURCES - sources.length).map((name) => `${below}${name}`));
    const scripts = isBuilding ? [] : names.filter((name) => MIGRATION.test(name));
    migrations.push(...scripts.slice(0, MAX_MIGRATIONS - migrations.length).map((name) => `${below}${name}`));
  }
  return [...paths, ...sources, ...migrations];
}

/** Folders of builds, of which only Dockerfiles are read. */
const BUILDING = /(?:^|\/)build\//;

function isRelevant(below: string, name: string): boolean {
  return BUILDING.test(below) && !PACKAGES.test(below)
    ? name === 'Dockerfile'
    : RELEVANT.test(name) || RELEVANT_PATH.test(`${below}${name}`);
}

/** Packages of Java and Kotlin, and programs of Go, whose names may be in LEFT_OUT: `com.example`, `cmd/example`. */
const PACKAGES = /(?:^|\/)(?:src\/main\/(?:java|kotlin)|cmd)\//;

function isEntered(path: string, name: string): boolean {
  return (PACKAGES.test(path) || !LEFT_OUT.test(name)) && path.split('/').length <= DEEPEST;
}

function entriesOf(root: string, folder: string, unread: string[]): readonly Dirent[] {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    if (folder === '') {
      throw new EnvironmentError(`${root} cannot be read: ${messageOf(cause)}`, {
        code: 'WG-107',
        cause,
        next: 'Fix its permissions.',
      });
    }
    unread.push(`${folder}: ${messageOf(cause)}`);
    return [];
  }
}

/** Files of which only the existence matters, such as lock files and private environment values. */
const BY_BEING_THERE =
  /(?:^|\/)(?:uv\.lock|gradlew|mvnw|(?:maven|gradle)-wrapper\.(?:jar|properties)|\.env|[^/]*\.(?:har|http|rest)|(?:[^/]*\.)?up\.sql|[^/]*postman_collection\.json|bruno\.json)$/;

/** Files whose beginning shows which tool wrote them. */
const BY_BEGINNING = /(?:^|\/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml)$/;

const BEGINNING_BYTES = 300;

function textIn(root: string, path: string, unread: string[]): readonly RepositoryFile[] {
  const whole = join(root, path);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const isNamed = isRelevant(path.slice(0, -name.length), name);
  const isCut = BY_BEGINNING.test(path);
  const most = isCut ? BEGINNING_BYTES : isNamed ? MAX_BYTES : MAX_SOURCE_BYTES;
  try {
    return [
      {
        path,
        text: readBytes(whole, { root, most, isCut })
          .toString('utf8')
          .replace(/^\uFEFF/, ''),
      },
    ];
  } catch (thrown) {
    if (!(thrown instanceof FileRefusal)) {
      throw thrown;
    }
    if (isNamed || thrown.kind !== 'too-large') {
      unread.push(`${path}: ${thrown.message}`);
    }
    return [];
  }
}

/** File of a scanned repository, with its path from the root and its text, both untrusted. */
export interface RepositoryFile {
  readonly path: string;
  readonly text: string;
}
