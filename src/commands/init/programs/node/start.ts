import { mapIn, textIn } from '../../../../config/yaml/lines.ts';
import { exampleFile } from '../../proposal/own-settings.ts';
import { baseName, fileIn, pathBelow, type RepositoryFolder } from '../../proposal/places.ts';

/** Scripts that start the built program, without a compiler or a watcher. */
const PRODUCTION = ['start:prod', 'start:production', 'serve:prod'];

/** Scripts that start a server of a package that says no `start`, the most usual first. */
const OTHERS = ['serve', 'server', 'dev', 'develop'];

/**
 * The command that starts the program of a package: its script for production if that needs no shell and something is built for it, else
 * `start`; else, of what is a service, another script, what it installs (`bin`), or a file with a usual name.
 */
export function nodeCommand(
  manifest: Readonly<Record<string, unknown>>,
  place: RepositoryFolder,
  isService: boolean,
): readonly string[] | undefined {
  const scripts = mapIn(manifest['scripts']);
  const [start, build] = [textIn(scripts['start']), textIn(scripts['build'])];
  const { folder } = place;
  const built = build === undefined ? [] : PRODUCTION.map((name) => plainNode(textIn(scripts[name]) ?? '', place));
  const production = built.find((command) => command !== undefined);
  if (start !== undefined) {
    const at = folder === '' ? [] : ['--prefix', folder];
    return production ?? startAtPort(start, folder) ?? plainNode(start, place) ?? ['npm', ...at, 'start'];
  }
  if (!isService) {
    return undefined;
  }
  const others = OTHERS.map((name) => withoutWatcher(textIn(scripts[name]) ?? '')).map(
    (script) => startAtPort(script, folder) ?? withBuilt(withEntry(plainNode(script, place), place), manifest, folder),
  );
  return (
    production ??
    others.find((command) => command !== undefined) ??
    binOf(manifest['bin'], folder) ??
    entryOf(textIn(manifest['main']), place)
  );
}

/** Command of a development script, if the file that it starts exists. */
function withEntry(
  command: readonly string[] | undefined,
  { folder, files }: RepositoryFolder,
): readonly string[] | undefined {
  const entry = command?.find((part) => /\.[cm]?[jt]s$/.test(part));
  const path = entry === undefined ? undefined : pathBelow(folder, entry);
  return files.some((file) => file.path === path) ? command : undefined;
}

/**
 * In the place of a source in TypeScript, the program of the same name that the package installs and its build makes, with the arguments of
 * the script: it needs no Node.js that reads types.
 */
function withBuilt(
  command: readonly string[] | undefined,
  manifest: Readonly<Record<string, unknown>>,
  folder: string,
): readonly string[] | undefined {
  const [entry = '', ...others] = command?.slice(command.findIndex((part) => TYPED.test(part))) ?? [];
  const built = textIn(mapIn(manifest['scripts'])['build']) === undefined ? undefined : binOf(manifest['bin'], folder);
  const isSame = TYPED.test(entry) && stemOf(built?.at(-1) ?? '') === stemOf(entry);
  return built !== undefined && isSame ? [...built, ...others] : command;
}

const TYPED = /\.[cm]?ts$/;

/** The name of a file without its ending. */
function stemOf(path: string): string {
  return baseName(path).replace(/\.\w+$/, '');
}

const WITH_VALUE = /^(?:-w|--watch|-e|--ext|-i|--ignore|-d|--delay|--watch-path)$/;

/** Turns a script that restarts a program whenever its sources change into one that starts it once; returns others unchanged. */
function withoutWatcher(script: string): string {
  const [program = '', ...words] = script.split(' ').filter((word) => word !== '');
  if (program === 'node') {
    const kept = words.filter((word, index) => !/^--watch/.test(word) && words[index - 1] !== '--watch-path');
    return ['node', ...kept].join(' ');
  }
  if (program !== 'nodemon' || words.some((word) => /^(?:-x|--exec|--)$/.test(word))) {
    return script;
  }
  const first = words.findIndex((word, index) => !word.startsWith('-') && !WITH_VALUE.test(words[index - 1] ?? ''));
  return /\.[cm]?js$/.test(words[first] ?? '') ? ['node', ...words.slice(first)].join(' ') : script;
}

/** Names of the file that starts a server, the most usual first. */
const ENTRIES = ['server', 'app', 'index', 'src/server', 'src/app', 'src/index'];

/** The program of a package that says no `start`: its `main`, else a file with a usual name. */
function entryOf(main: string | undefined, { folder, files }: RepositoryFolder): readonly string[] | undefined {
  const names = [...(main === undefined ? [] : [main]), ...ENTRIES].flatMap((name) => [name, `${name}.js`]);
  const paths = names.map((name) => pathBelow(folder, name));
  const path = paths.find((one) => /\.[cm]?js$/.test(one ?? '') && files.some((file) => file.path === one));
  return path === undefined ? undefined : ['node', path];
}

/** The program that a package installs, of one that says no `start`. */
function binOf(bin: unknown, folder: string): readonly string[] | undefined {
  const [path] = [textIn(bin), ...Object.values(mapIn(bin)).map(textIn)].filter((one) => one !== undefined);
  const below = path === undefined ? undefined : pathBelow(folder, path);
  return below === undefined ? undefined : ['node', below];
}

/** A start script that a shell adds nothing to, without npm around it: that would count as CPU time and memory of the service. */
function plainNode(script: string, place: RepositoryFolder): readonly string[] | undefined {
  return place.folder === '' && /^node( [\w./:=@-]+)+$/.test(script)
    ? script.split(' ').map((word) => withExample(word, place))
    : undefined;
}

/** A file of variables that is not there gives way to its example, without which Node.js would not start. */
function withExample(word: string, place: RepositoryFolder): string {
  const [, flag, path = ''] = /^(--env-file=)([\w./-]+)$/.exec(word) ?? [];
  const example = exampleFile(place);
  const isMissing = flag !== undefined && path === '.env' && fileIn(place.files, '', '.env') === undefined;
  return isMissing && example !== undefined ? `${flag}${example.path}` : word;
}

/** A start script that names its port, with that of the measurement in its place: no variable would move it. */
function startAtPort(script: string, folder: string): readonly string[] | undefined {
  const isPlain = /^[\w./:@=-]+( [\w./:@=-]+)*$/.test(script) && !script.startsWith('-') && /^[\w./-]*$/.test(folder);
  const moved = script.replace(/( --(?:[\w.-]+[.-])?port[ =]| -p )\d+(?= |$)/, '$1"$PORT"');
  if (!isPlain || moved === script || /^\w+=/.test(script)) {
    return undefined;
  }
  const inFolder = folder === '' ? '' : `cd ${folder} && `;
  return ['sh', '-c', `${inFolder}PATH="$PWD/node_modules/.bin:$PATH" exec ${moved}`];
}
