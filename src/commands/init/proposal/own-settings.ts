import type { RepositoryFile } from '../../../host/index.ts';
import { baseName, fileIn, folderOf, isBelow, type RepositoryFolder } from './places.ts';

/** Of the JVM: databases that are a part of the program. */
const EMBEDDED = /com\.h2database|org\.hsqldb|org\.apache\.derby/;

const FOR_TESTS =
  /<artifactId>(?:h2|hsqldb|derby)<\/artifactId>(?:(?!<\/dependency>)[\s\S]){0,500}?<scope>test<|\btest\w{0,30}\s?\(?\s?['"](?:com\.h2database|org\.hsqldb|org\.apache\.derby)/;

const ELSEWHERE = /jdbc:(?!h2\b|hsqldb\b|derby\b)/;

/**
 * Whether a program has its database within itself, or in a file, unless it is told otherwise: then those of a compose file that does not
 * name it are for other occasions.
 */
export function hasOwnDatabase({ folder, files }: RepositoryFolder): boolean {
  const own = files.filter(({ path }) => isBelow(path, folder));
  const builds = ['pom.xml', 'build.gradle', 'build.gradle.kts'].flatMap((name) => fileIn(files, folder, name) ?? []);
  const isEmbedded = builds.some(({ text }) => EMBEDDED.test(text) && !FOR_TESTS.test(text));
  const settings = own.filter(({ path }) => /(?:^|\/)application\.(?:properties|ya?ml)$/.test(path));
  return (isEmbedded && !settings.some(({ text }) => ELSEWHERE.test(text))) || usesSqlite(own);
}

/** Whether settings of Django name a database in a file. */
export function usesSqlite(files: readonly RepositoryFile[]): boolean {
  return files.some(({ path, text }) => /settings.*\.py$/.test(path) && /backends\.sqlite3|sqlite:\/\/\//.test(text));
}

const EXAMPLE = /^\.?(?:env[._-](?:example|sample|template|dist)|(?:example|sample)[._-]env)$/i;

/**
 * The file of example values for the environment of the program in a folder, which is copied to `.env` before it is started; undefined if
 * there is none, or somebody has a `.env` already.
 */
export function exampleFile({ folder, files }: RepositoryFolder): RepositoryFile | undefined {
  const isFilled = fileIn(files, folder, '.env') !== undefined;
  return isFilled ? undefined : files.find(({ path }) => folderOf(path) === folder && EXAMPLE.test(baseName(path)));
}

/** What a measurement sets itself, or should not be played in. */
const NOT_TAKEN = /^(?:HOST|PORT|PATH|HOME|NODE_ENV)$/;

const SETTING =
  /^[\t ]*(?:export[\t ]+)?([A-Za-z_]\w*)[\t ]*=[\t ]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\n#]*))[\t ]*(?:#.*)?$/gm;

/** The example values for the environment of the program in a folder; values that are empty, or made of others, are left out. */
export function exampleSettings(place: RepositoryFolder): Readonly<Record<string, string>> {
  const text = exampleFile(place)?.text.replace(/\r/g, '') ?? '';
  const found = [...text.matchAll(SETTING)].map(
    ([, name = '', twice, once, plain]) => [name, (twice ?? once ?? plain ?? '').trim()] as const,
  );
  return Object.fromEntries(
    found.filter(([name, value]) => !NOT_TAKEN.test(name) && value !== '' && !/[$\p{Cc}]/u.test(value)),
  );
}
