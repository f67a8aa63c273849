import type { RepositoryFile } from '../../../host/files/scan.ts';
import type { Environment, LeftOutService, ProposedProcess } from '../services/proposal.ts';
import { baseName, folderOf, isBelow, portFrom } from './places.ts';
import { portIn, shellLine } from './ports.ts';

/**
 * First port in EXPOSE of the last stage that has one, preferring ports without TLS; variables are resolved from ARG and ENV. Otherwise the port in a
 * variable; undefined without either.
 */
export function exposedPort(text: string): number | undefined {
  const variables = new Map(argumentsOf(text, 'ENV|ARG').flatMap(settingsIn));
  const exposed = stagesIn(text).map(({ stage }) =>
    argumentsOf(stage, 'EXPOSE').flatMap((words) =>
      words.split(/\s+/).flatMap((word) => portFrom(filledIn(word, variables)) ?? []),
    ),
  );
  const ports = exposed.findLast(({ length }) => length > 0) ?? [];
  return ports.find((port) => port !== 443 && port !== 8443) ?? ports[0] ?? portIn(Object.fromEntries(variables));
}

const STAGE = /^[\t ]*FROM[\t ]+(?:--\S+[\t ]+)?(\S+)(?:[\t ]+AS[\t ]+(\S+))?/i;

const MAX_STAGES = 20;

function stagesIn(text: string) {
  return text.split(/^(?=[\t ]*FROM[\t ])/im).map((stage) => {
    const [, base, name] = STAGE.exec(stage) ?? [];
    return { stage, base, name };
  });
}

/** Text of a stage, by default the last, after those of the stages that it is based on. */
export function stageText(text: string, target?: string): string {
  const stages = stagesIn(text);
  const found: string[] = [];
  let at = stages.findLastIndex(({ name }) => target === undefined || name === target);
  for (let one = stages[at]; one !== undefined && found.length < MAX_STAGES; one = stages[at]) {
    found.unshift(one.stage);
    const { base } = one;
    at = stages.slice(0, at).findLastIndex(({ name }) => name !== undefined && name === base);
  }
  return found.join('');
}

/** Stage for production instead of one for development, if there is one. */
export function productionStage(text: string, target: string | undefined): string | undefined {
  const names = stagesIn(text).map(({ name }) => name);
  const isOther = target !== undefined && /(?:^|[_-])(?:dev\w*|local|debug)$/i.test(target);
  return (
    (isOther && names.findLast((name) => /(?:^|[_-])(?:prod\w*|release|runtime|runner|final)$/i.test(name ?? ''))) ||
    target
  );
}

export function copiesFiles(text: string): boolean {
  return argumentsOf(text, 'COPY|ADD|RUN(?=\\s+--mount)').length > 0;
}

/** Variables of the image itself, not of the program in it. */
const OF_IMAGE =
  /^(?:PATH|HOST|HOME|USER|SHELL|TZ|LANG|LANGUAGE|DEBIAN_FRONTEND|JAVA_HOME|VIRTUAL_ENV)$|PORT$|VERSION$|^PYTHON|^GO(?:PATH|ROOT|OS|ARCH|PROXY|FLAGS|CACHE|BIN|111MODULE)$|^(?:LC|PIP|UV|POETRY|NPM|YARN|PNPM|CARGO|RUSTUP|MAVEN|GRADLE|CGO|DOTNET|ASPNETCORE|BUNDLE)_/;

/**
 * Variables that a stage of a Dockerfile, by default its last, sets for its program, to start it without a container. Ports and paths are left out,
 * since they are valid only inside the image.
 */
export function imageSettings(dockerfile: RepositoryFile | undefined, target?: string): Environment {
  const settings = argumentsOf(stageText(dockerfile?.text ?? '', target), 'ENV').flatMap(settingsIn);
  return Object.fromEntries(
    settings.filter(
      ([name, value]) => !OF_IMAGE.test(name) && /^[A-Za-z_]\w*$/.test(name) && /^[^/$\p{Cc}][^$\p{Cc}]*$/u.test(value),
    ),
  );
}

/** Values in which paths below the working directory of an image, such as `sqlite:////app/data/shop.db`, are relative to it, so that they also fit a plain process. */
export function relativeToImage(environment: Environment, dockerfile: RepositoryFile | undefined): Environment {
  const folder = workingFolder(dockerfile)?.replaceAll('.', '\\.');
  const below = new RegExp(`(?<=^|[/:=,])${folder}/(?=[\\w.])`, 'g');
  return folder === undefined
    ? environment
    : Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value.replace(below, './')]));
}

/** Working directory of an image; undefined if its Dockerfile does not set it. */
export function workingFolder(dockerfile: RepositoryFile | undefined): string | undefined {
  const folders = argumentsOf(dockerfile?.text ?? '', 'WORKDIR');
  return folders.flatMap((folder) => /^"?(\/[\w./-]*\w)/.exec(folder)?.[1] ?? []).at(-1);
}

/**
 * Dockerfile commands that create a key and a certificate, for a program that does not start without them. Commands that write outside of their
 * working directory are left out, and all commands if the program starts in a folder other than the root.
 */
export function certificateCommands(
  dockerfile: RepositoryFile | undefined,
  folder = '',
): readonly (readonly string[])[] {
  const runs = argumentsOf((folder === '' && dockerfile?.text) || '', 'RUN');
  const commands = runs.flatMap((line) => line.split(/&&|;|\|/));
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

/** Arguments of each instruction of a kind, in one line, without the comments that may be between its lines. */
export function argumentsOf(text: string, instruction: string): readonly string[] {
  const start = new RegExp(`^\\s*(?:${instruction})\\s+(.*)$`, 'i');
  const lines = text
    .replace(/^[\t ]*#.*(?:\r?\n|$)/gm, '')
    .replace(/\\[\t ]*\r?\n/g, ' ')
    .split(/\r?\n/);
  return lines.flatMap((line) => start.exec(line)?.[1] ?? []);
}

function settingsIn(words: string): readonly (readonly [string, string])[] {
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

/** Commands that a Dockerfile runs before its server, such as migrations and seeds; `leftOut` is a script whose steps depend on conditions. */
interface EntrySteps {
  readonly steps: readonly string[];
  readonly leftOut: readonly LeftOutService[];
}

/** Steps of the script, or of the shell line, that a Dockerfile starts. */
export function entrySteps(dockerfile: RepositoryFile | undefined, files: readonly RepositoryFile[]): EntrySteps {
  const last = stagesIn(dockerfile?.text ?? '').at(-1)?.stage ?? '';
  const commands = argumentsOf(last, 'CMD');
  const starts = [...argumentsOf(last, 'ENTRYPOINT'), ...commands];
  const name = starts.map((line) => /(?<![\w.-])([\w.-]+\.sh)\b/.exec(line)?.[1]).find((found) => found !== undefined);
  const own = folderOf(dockerfile?.path ?? '');
  const script = files.find(({ path }) => baseName(path) === name && isBelow(path, own));
  if (script !== undefined) {
    const text = script.text.replace(/\\\r?\n/g, ' ').replaceAll('\r', '');
    const left = WAITS.reduce((rest, wait) => rest.replace(wait, (found) => (WORKS.test(found) ? found : '')), text);
    return stepsOf(script.path, left.split(/\n|&&|;/));
  }
  const inline = [
    ...starts.flatMap((line) => /-c",?\s*"([^"]*)"/.exec(line)?.[1] ?? []),
    ...commands.filter((line) => !line.startsWith('[')),
  ];
  return stepsOf('the Dockerfile', inline.find((line) => line.includes('&&'))?.split('&&') ?? []);
}

/** Loops that only wait, and conditions that do nothing else: needs are ready before the service starts. */
const WAITS = [
  /^[\t ]*(?:while|until)\b[^\n]*?[;\n][\t ]*do\b(?:[\t ]*(?:(?:echo|printf|sleep)\b[^\n;]*)?[;\n])*[\t ]*done\b[^\n;&|]*/gm,
  /^[\t ]*if\b[^\n]*?[;\n][\t ]*then\b(?:[\t ]*(?:(?:echo|printf|sleep)\b[^\n;]*)?[;\n])*[\t ]*fi\b[^\n;&|]*/gm,
];

/** Commands that do more than wait, also in the condition of a loop that tries them again. */
const WORKS = /alembic|aerich|migrat|upgrade|seed|create|\bdb:[a-z]|\bdb push\b|\.\/(?!wait)/i;

/** Lines that matter only inside the container, or only print. */
const PASSED_OVER =
  /^(?:#.*|set .*|cd .*|echo .*|export .*|sleep .*|chmod .*|chown .*|mkdir .*|printf .*|.*wait.for.*|:|)$/i;

const CONDITION = /^(?:if|for|while|until|case|function)\b|\(\)\s*\{|\|\||\$/;

const PLAIN = /^[A-Za-z][\w./:=@%+, -]*$/;

function stepsOf(name: string, all: readonly string[]): EntrySteps {
  const lines = all.map((line) => line.trim()).filter((line) => !PASSED_OVER.test(line));
  const server = lines.findIndex((line) => line.startsWith('exec '));
  const before = lines.slice(0, server === -1 ? -1 : server);
  const why = 'it has conditions: add the steps that the service needs to `process.command`';
  return before.some((line) => CONDITION.test(line) || !PLAIN.test(line))
    ? { steps: [], leftOut: [{ name: `what ${name} runs before the server`, why }] }
    : { steps: before, leftOut: [] };
}

/** A process that runs steps before its server; unchanged if its command cannot be extended, or already has them. */
export function withSteps({ command, ...process }: ProposedProcess, steps: readonly string[]): ProposedProcess {
  const line = shellLine(command);
  const missing = steps.filter((step) => !line.includes(step.replace(/^python3? /, '')));
  if (missing.length === 0 || !(command[0] === 'sh' || PLAIN.test(line))) {
    return { ...process, command };
  }
  const [enter = ''] = /^cd \S+ && (?:export \S+ && )?/.exec(line) ?? [];
  return { ...process, command: ['sh', '-c', `${enter}${missing.join(' && ')} && ${line.slice(enter.length)}`] };
}
