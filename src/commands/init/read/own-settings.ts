import type { RepositoryFile } from '../../../host/files/scan.ts';
import type { Environment } from '../services/proposal.ts';
import { baseName, fileIn, filesBelow, folderOf, type RepositoryFolder } from './places.ts';

/** Databases for the JVM that run inside the program. */
const EMBEDDED = /com\.h2database|org\.hsqldb|org\.apache\.derby/;

const FOR_TESTS =
  /<artifactId>(?:h2|hsqldb|derby)<\/artifactId>(?:(?!<\/dependency>)[\s\S]){0,500}?<scope>test<|\btest\w{0,30}\s?\(?\s?['"](?:com\.h2database|org\.hsqldb|org\.apache\.derby)/;

const ELSEWHERE = /jdbc:(?!h2\b|hsqldb\b|derby\b)/;

/**
 * True if a program uses an embedded database or one in a file by default. If so, the databases of a compose file that does not name the
 * program are not for it.
 */
export function hasOwnDatabase({ folder, files }: RepositoryFolder): boolean {
  const own = filesBelow({ folder, files });
  const builds = ['pom.xml', 'build.gradle', 'build.gradle.kts'].flatMap((name) => fileIn(files, folder, name) ?? []);
  const isEmbedded = builds.some(({ text }) => EMBEDDED.test(text) && !FOR_TESTS.test(text));
  const settings = own.filter(({ path }) => /(?:^|\/)application\.(?:properties|ya?ml)$/.test(path));
  return (isEmbedded && !settings.some(({ text }) => ELSEWHERE.test(text))) || usesSqlite(own);
}

/** True if the Django settings name a database in a file. */
export function usesSqlite(files: readonly RepositoryFile[]): boolean {
  return files.some(
    ({ path, text }) =>
      path.includes('settings') && path.endsWith('.py') && /backends\.sqlite3|sqlite:\/\/\//.test(text),
  );
}

const EXAMPLE = /^\.?(?:env(?:\.\w{1,30}){0,2}[._-](?:example|sample|template|dist)|(?:example|sample)[._-]env)$/i;

/**
 * Example file with the environment of the program in a folder, which users copy to `.env`, or the `.env` itself if it is in git; undefined if
 * neither exists, or if the folder has a `.env` that is not in git.
 */
export function exampleFile({ folder, files }: RepositoryFolder): RepositoryFile | undefined {
  const filled = fileIn(files, folder, '.env');
  return filled === undefined ? exampleIn({ folder, files }) : filled.text === '' ? undefined : filled;
}

/** Example file of a folder; of several, the one for a file with that name, as `.env.dev-sample` is for `.env.dev`. */
function exampleIn({ folder, files }: RepositoryFolder, name = '.env'): RepositoryFile | undefined {
  const found = files.filter(({ path }) => folderOf(path) === folder && EXAMPLE.test(baseName(path)));
  const named = found.find(({ path }) => /^[._-]\w+$/.test(baseName(path).replace(name, '')));
  return named ?? found[0];
}

/** The file with environment values at a path; if the repository does not have it, the example of the same name. */
export function environmentFile(path: string, files: readonly RepositoryFile[]): RepositoryFile | undefined {
  const own = files.find((file) => file.path === path && file.text !== '');
  return own ?? exampleIn({ folder: folderOf(path), files }, baseName(path));
}

/** Value for a variable without one: the same in a service and its needs, so that they agree. */
export const MADE_UP = 'example';

/** Variables that a measurement sets itself, or that should not affect it. */
const NOT_TAKEN = /^(?:HOST|PORT|PATH|HOME|NODE_ENV)$/;

const SETTING =
  /^[\t ]*(?:export[\t ]+)?([A-Za-z_][\w.]*)[\t ]*=[\t ]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\n#]*))[\t ]*(?:#.*)?$/gm;

/** Placeholders: `{password}`, `<your key>`, `changeme`, `your-secret`, `xxx`. */
const PLACEHOLDER = /[{<][a-z][\w .-]{0,60}[>}]|^(?:change[-_ ]?(?:me|it|this)|your[-_ ].*|x{3,}|todo|\.{3})$/i;

/** Values of a file for an environment, except empty ones and those that refer to other variables. Placeholders only for secrets, where any value works. */
export function settingsIn(file: RepositoryFile | undefined): Environment {
  const found = linesIn(file).filter(([, value]) => value !== '' && !/[$\p{Cc}]/u.test(value));
  return Object.fromEntries(
    found
      .filter(([name, value]) => SECRET.test(name) || !PLACEHOLDER.test(value))
      .map(([name, value]) => [name, /[{<]/.test(value) && PLACEHOLDER.test(value) ? MADE_UP : value]),
  );
}

/** Keys for signing, which unlike passwords must not be empty. */
const SIGNING = /(?:^|_)(?:JWT_\w*SECRET|SECRET_KEY|JWT_KEY|SALT)$/i;

const SECRET = /PASS(?:WORD|WD)?$|SECRET|SALT|TOKEN|_KEY$/i;

export function placeholdersIn(
  file: RepositoryFile | undefined,
): Readonly<Record<'secrets' | 'others', readonly string[]>> {
  const names = linesIn(file).flatMap(([name, value]) => (PLACEHOLDER.test(value) ? [name] : []));
  return { secrets: names.filter((name) => SECRET.test(name)), others: names.filter((name) => !SECRET.test(name)) };
}

function linesIn(file: RepositoryFile | undefined): readonly (readonly [name: string, value: string])[] {
  const text = file?.text.replace(/\r/g, '') ?? '';
  return [...text.matchAll(SETTING)]
    .map(([, name = '', twice, once, plain]) => [name, (twice ?? once ?? plain ?? '').trim()] as const)
    .filter(([name]) => !NOT_TAKEN.test(name))
    .map(([name, value]) => [name, value === '' && SIGNING.test(name) ? '<secret>' : value] as const);
}
