import type { RepositoryFile } from '../../../host/index.ts';
import { portFrom } from './places.ts';

/** The port of the last EXPOSE of a Dockerfile, with its variables as ARG and ENV set them; undefined if there is none. */
export function exposedPort(text: string): number | undefined {
  const variables = new Map<string, string>();
  let port: number | undefined;
  for (const line of instructionsIn(text)) {
    for (const [name, value] of settingsIn(line)) {
      variables.set(name, value);
    }
    const [, words = ''] = /^\s*EXPOSE\s+(.*)$/i.exec(line) ?? [];
    const ports = words.split(/\s+/).map((word) => portFrom(filledIn(word, variables)));
    port = ports.find((one) => one !== undefined) ?? port;
  }
  return port ?? portFrom(variables.get('PORT'));
}

/** What belongs to the image, and not to the program in it. */
const OF_IMAGE =
  /^(?:PATH|HOST|HOME|USER|SHELL|TZ|LANG|LANGUAGE|DEBIAN_FRONTEND|JAVA_HOME|VIRTUAL_ENV)$|PORT$|VERSION$|^PYTHON|^GO(?:PATH|ROOT|OS|ARCH|PROXY|FLAGS|CACHE|BIN|111MODULE)$|^(?:LC|PIP|UV|POETRY|NPM|YARN|PNPM|CARGO|RUSTUP|MAVEN|GRADLE|CGO|DOTNET|ASPNETCORE)_/;

/**
 * The variables that the last stage of a Dockerfile gives its program, for when that is started without a container. Ports and paths are
 * left out, since they lead somewhere inside the image only.
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

/**
 * The commands by which a Dockerfile makes a key and a certificate of its own, for a program that does not start without them. Those that
 * write elsewhere than below the folder that they are played in are left out.
 */
export function certificateCommands(dockerfile: RepositoryFile | undefined): readonly (readonly string[])[] {
  const runs = instructionsIn(dockerfile?.text ?? '').filter((line) => /^\s*RUN\s/i.test(line));
  const commands = runs.flatMap((line) => line.replace(/^\s*RUN\s+/i, '').split(/&&|;|\|/));
  return commands.map((command) => wordsOf(command.trim())).filter(isCertificateCommand);
}

function isCertificateCommand(words: readonly string[]): boolean {
  const isSigned = words[0] === 'openssl' && words[1] === 'req' && words.includes('-x509');
  const isWithoutPassword = words.includes('-nodes') || words.includes('-noenc');
  const files = ['-keyout', '-out'].map((flag) => words[words.indexOf(flag, 1) + 1] ?? '');
  const isPlain = words.includes('-keyout') && words.includes('-out') && words.every((word) => !/[$`]/.test(word));
  return isSigned && isWithoutPassword && isPlain && files.every(isBelowHere);
}

function isBelowHere(path: string): boolean {
  return /^\w[\w.-]*(?:\/\w[\w.-]*)*$/.test(path);
}

/** As a shell reads them, without what it would fill in. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, twice, once, plain]) => twice ?? once ?? plain ?? '',
  );
}

/** One line each, without comments, which may stand between the lines of one instruction. */
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
    ? [[name, value]]
    : pairs.map(([, key = '', quoted, plain]) => [key, quoted ?? plain ?? '']);
}

function filledIn(word: string, variables: ReadonlyMap<string, string>): string {
  return word.replace(/\$(?:\w+|\{\w+(?::-[^}]*)?\})/g, (found) => {
    const [, name = '', otherwise = ''] = /^\$\{?(\w+)(?::-([^}]*))?/.exec(found) ?? [];
    return variables.get(name) ?? otherwise;
  });
}
