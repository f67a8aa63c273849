import { textIn } from '../../../config/yaml/lines.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import type { ProposedImage } from '../services/proposal.ts';
import type { ComposeService } from './compose.ts';
import { argumentsOf, stageText } from './dockerfile.ts';
import { scriptsIn } from './node-program.ts';
import { folderOf, isBelow, pathBelow, portFrom, type RepositoryFolder } from './places.ts';

/** Start files of compose services that share a source, such as `server.js` and `admin.js`. */
export interface SharedImage {
  /** File of the service; undefined if its command names none. */
  readonly own: string | undefined;
  readonly others: readonly string[];
  /** True if another service has the same source. */
  readonly isShared: boolean;
}

/** Start files of a service, and of the others with its source. */
export function sharedImage(
  compose: ComposeService | undefined,
  all: readonly ComposeService[],
  place: RepositoryFolder,
): SharedImage {
  const placeOf = ({ build }: ComposeService) => build && `${build.context} ${folderOf(build.dockerfile)}`;
  const isShared = (one: ComposeService) => one.name !== compose?.name && compose && placeOf(one) === placeOf(compose);
  const others = all.filter((one) => one.build !== undefined && isShared(one));
  const own = compose && startedFile(compose, place);
  // A command that names no file may start any of them, except from folders named after the others.
  const parts = own === undefined && compose?.command !== undefined ? partsOf(compose.name, others, place) : undefined;
  return {
    own,
    isShared: others.length > 0,
    others: parts ?? others.flatMap((one) => startedFile(one, place) ?? []).filter((path) => path !== own),
  };
}

/** Files in folders named after other services; none if the service has no such folder. */
function partsOf(own: string, others: readonly ComposeService[], { files }: RepositoryFolder): readonly string[] {
  const isIn = (path: string, name: string): boolean => folderOf(path).split('/').includes(name);
  const paths = files.map(({ path }) => path);
  const isPart = (path: string): boolean => !isIn(path, own) && others.some(({ name }) => isIn(path, name));
  return paths.some((path) => isIn(path, own)) ? paths.filter(isPart) : [];
}

function startedFile({ command, build }: ComposeService, { folder, files }: RepositoryFolder): string | undefined {
  const [runner = '', ...rest] = command ?? imageCommand(files, build);
  const script = /^(?:npm|yarn|pnpm)$/.test(runner) ? rest.find((word) => word !== 'run') : undefined;
  const words = script === undefined ? rest : (textIn(scriptsIn({ folder, files })[script]) ?? '').split(/\s+/);
  const named = words
    .flatMap((word) => [word, `${word.replace(/:.*/, '').replaceAll('.', '/')}.py`])
    .map((name) => pathBelow(folder, name));
  return named.find((path) => files.some((file) => file.path === path && isBelow(path, folder)));
}

export function imageCommand(files: readonly RepositoryFile[], image: ProposedImage | undefined): readonly string[] {
  const text = stageText(files.find(({ path }) => path === image?.dockerfile)?.text ?? '', image?.target);
  return ['ENTRYPOINT', 'CMD'].flatMap(
    (one) =>
      argumentsOf(text, one)
        .at(-1)
        ?.match(/[\w./:-]+/g) ?? [],
  );
}

/** Programs that a plain process can also run. */
const PROGRAMS = /^(?:node|npm|yarn|pnpm|python3?|uvicorn|gunicorn|hypercorn|flask|bun|deno)$/;

/** Command of a container, for a plain process at HOST and PORT, in the form of another command of its folder; undefined if it needs the container. */
export function plainCommand(
  command: readonly string[],
  { port, folder, like }: { readonly port: number; readonly folder: string; readonly like: readonly string[] },
): readonly string[] | undefined {
  const [, before = folder === '' ? 'exec ' : `cd ${folder} && exec `] =
    (like[0] === 'sh' && /^(.*\bexec )/.exec(like[2] ?? '')) || [];
  const isPlain = PROGRAMS.test(command[0] ?? '') && [folder, ...command].every((word) => /^[\w./:=@-]*$/.test(word));
  const words = command.map((word) =>
    portFrom(word) === port
      ? '"$PORT"'
      : word === '0.0.0.0'
        ? '"$HOST"'
        : word.replace(`0.0.0.0:${port}`, '"$HOST:$PORT"'),
  );
  const line = `${before}${words.join(' ')}`;
  return isPlain ? (line === `exec ${command.join(' ')}` ? command : ['sh', '-c', line]) : undefined;
}
