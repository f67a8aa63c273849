import type { RepositoryFile } from '../../../host/files/scan.ts';
import { portFrom } from './places.ts';
import { portIn } from './port-variable.ts';

/**
 * First port in EXPOSE of the last stage that has one, preferring ports without TLS; variables are resolved from ARG and ENV. Otherwise the port in a
 * variable; undefined without either.
 */
export function exposedPort(text: string): number | undefined {
  const variables = new Map<string, string>();
  let ports: readonly number[] = [];
  let isNewStage = true;
  for (const line of instructionsIn(text)) {
    isNewStage ||= /^\s*FROM\s/i.test(line);
    for (const [name, value] of settingsIn(line)) {
      variables.set(name, value);
    }
    const [, words = ''] = /^\s*EXPOSE\s+(.*)$/i.exec(line) ?? [];
    const exposed = words.split(/\s+/).flatMap((word) => portFrom(filledIn(word, variables)) ?? []);
    if (exposed.length > 0) {
      ports = isNewStage ? exposed : [...ports, ...exposed];
      isNewStage = false;
    }
  }
  return ports.find((port) => port !== 443 && port !== 8443) ?? ports[0] ?? portIn(Object.fromEntries(variables));
}

/** True if a Dockerfile copies files of the repository. */
export function copiesFiles(text: string): boolean {
  return /^[\t ]*(?:(?:COPY|ADD)[\t ]|RUN[\t ]+--mount)/im.test(text);
}

/** Variables of the image itself, not of the program in it. */
const OF_IMAGE =
  /^(?:PATH|HOST|HOME|USER|SHELL|TZ|LANG|LANGUAGE|DEBIAN_FRONTEND|JAVA_HOME|VIRTUAL_ENV)$|PORT$|VERSION$|^PYTHON|^GO(?:PATH|ROOT|OS|ARCH|PROXY|FLAGS|CACHE|BIN|111MODULE)$|^(?:LC|PIP|UV|POETRY|NPM|YARN|PNPM|CARGO|RUSTUP|MAVEN|GRADLE|CGO|DOTNET|ASPNETCORE)_/;

/**
 * Variables that the last stage of a Dockerfile sets for its program, to start it without a container. Ports and paths are left out, since they are
 * valid only inside the image.
 */
export function imageSettings(dockerfile: RepositoryFile | undefined): Readonly<Record<string, string>> {
  const lines = instructionsIn(dockerfile?.text ?? '');
  const last = lines.slice(lines.findLastIndex((line) => /^\s*FROM\s/i.test(line)) + 1);
  const settings = last.filter((line) => /^\s*ENV\s/i.test(line)).flatMap(settingsIn);
  return Object.fromEntries(
    settings.filter(
      ([name, value]) => !OF_IMAGE.test(name) && /^[A-Za-z_]\w*$/.test(name) && /^[^/$\p{Cc}][^$\p{Cc}]*$/u.test(value),
    ),
  );
}

/** Values in which paths below the working directory of an image, such as `sqlite:////app/data/shop.db`, are relative to it, so that they also fit a plain process. */
export function relativeToImage(
  environment: Readonly<Record<string, string>>,
  dockerfile: RepositoryFile | undefined,
): Readonly<Record<string, string>> {
  const folder = workingFolder(dockerfile)?.replaceAll('.', '\\.');
  const below = new RegExp(`(?<=^|[/:=,])${folder}/(?=[\\w.])`, 'g');
  return folder === undefined
    ? environment
    : Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value.replace(below, './')]));
}

/** Working directory of an image; undefined if its Dockerfile does not set it. */
export function workingFolder(dockerfile: RepositoryFile | undefined): string | undefined {
  const folders = instructionsIn(dockerfile?.text ?? '').map(
    (line) => /^\s*WORKDIR\s+"?(\/[\w./-]*\w)/i.exec(line)?.[1],
  );
  return folders.findLast((one) => one !== undefined);
}

/**
 * Dockerfile commands that create a key and a certificate, for a program that does not start without them. Commands that write outside of their
 * working directory are left out, and all commands if the program starts in a folder other than the root.
 */
export function certificateCommands(
  dockerfile: RepositoryFile | undefined,
  folder = '',
): readonly (readonly string[])[] {
  const runs = instructionsIn((folder === '' && dockerfile?.text) || '').filter((line) => /^\s*RUN\s/i.test(line));
  const commands = runs.flatMap((line) => line.replace(/^\s*RUN\s+/i, '').split(/&&|;|\|/));
  // Words as a shell splits them, without expanding anything.
  const words = commands.map((command) =>
    [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, twice, once, plain]) => twice ?? once ?? plain ?? ''),
  );
  return words.filter(isCertificateCommand);
}

function isCertificateCommand(words: readonly string[]): boolean {
  const isSigned = words[0] === 'openssl' && words[1] === 'req' && words.includes('-x509');
  const isWithoutPassword = words.includes('-nodes') || words.includes('-noenc');
  const files = ['-keyout', '-out'].map((flag) => words[words.indexOf(flag, 1) + 1] ?? '');
  const isPlain = words.includes('-keyout') && words.includes('-out') && words.every((word) => !/[$`]/.test(word));
  return isSigned && isWithoutPassword && isPlain && files.every((path) => /^\w[\w.-]*(?:\/\w[\w.-]*)*$/.test(path));
}

/** Instructions, one per line, without the comments that may be between their lines. */
function instructionsIn(text: string): readonly string[] {
  return text
    .replace(/^[\t ]*#.*(?:\r?\n|$)/gm, '')
    .replace(/\\[\t ]*\r?\n/g, ' ')
    .split(/\r?\n/);
}

function settingsIn(line: string): readonly (readonly [string, string])[] {
  const [, words = ''] = /^\s*(?:ENV|ARG)\s+(.*)$/i.exec(line) ?? [];
  const [, name = '', value = ''] = /^(\w+)\s+(\S+)\s*$/.exec(words) ?? [];
  const pairs = [...words.matchAll(/(?<!\w)(\w+)=(?:"([^"]*)"|(\S*))/g)];
  return pairs.length === 0 && name !== ''
    ? [[name, value.replace(/^(["'])(.*)\1$/, '$2')]]
    : pairs.map(([, key = '', quoted, plain]) => [key, quoted ?? plain ?? '']);
}

function filledIn(word: string, variables: ReadonlyMap<string, string>): string {
  return word.replace(/\$(?:\w+|\{\w+(?::-[^}]*)?\})/g, (found) => {
    const [, name = '', otherwise = ''] = /^\$\{?(\w+)(?::-([^}]*))?/.exec(found) ?? [];
    return variables.get(name) ?? otherwise;
  });
}
