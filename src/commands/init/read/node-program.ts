import { contentOf, type LooseMap, mapIn, textIn } from '../../../config/yaml/lines.ts';
import { NODE_SOURCES } from '../routes/node-routes.ts';
import type { Manifest, ProposedProcess } from '../services/proposal.ts';
import { exampleFile } from './own-settings.ts';
import { baseName, entering, fileIn, folderOf, pathBelow, type RepositoryFolder, textsBelow } from './places.ts';
import { fixedPort, portVariable } from './ports.ts';

const NODE_SERVERS = 'express fastify koa @hapi/hapi @nestjs/core next hono restify polka @tinyhttp/app h3'.split(' ');

/** Packages that listen on 4000 by default. */
const AT_4000 = ['apollo-server', '@apollo/server', 'graphql-yoga'];

const NODE_GRAPHQL = [
  ...AT_4000,
  ...'json-graphql-server apollo-server-express graphql-http express-graphql mercurius @nestjs/graphql'.split(' '),
];

const NODE_GRPC = ['@grpc/grpc-js', 'grpc', 'nice-grpc', '@connectrpc/connect-node'];

export function nodeManifest(text: string, place: RepositoryFolder): Manifest {
  const found = mapIn(contentOf(text));
  const packages = Object.keys(mapIn(found['dependencies']));
  const hasGraphql = packages.some((name) => NODE_GRAPHQL.includes(name));
  const graphqlPort = packages.some((name) => AT_4000.includes(name)) ? 4000 : 3000;
  const isServer = packages.some((name) => NODE_SERVERS.includes(name));
  const usualPort = isServer ? 3000 : hasGraphql ? graphqlPort : undefined;
  const hasGrpc = packages.some((name) => NODE_GRPC.includes(name));
  const tool = packageTool(found, place);
  const build = packages.length === 0 ? [] : [tool.install];
  const hasBuild = textIn(mapIn(found['scripts'])['build']) !== undefined;
  const compile = hasBuild ? [tool.script('build')] : tool.buildAll === undefined ? [] : [tool.buildAll];
  // A program of a library or a tool is not a service.
  const command = nodeCommand(found, place, usualPort !== undefined || hasGrpc);
  return {
    name: textIn(found['name'])?.replace(/^@[^/]*\//, ''),
    httpPort: usualPort,
    hasGrpc,
    hasGraphql,
    process: command && { build: [...build, ...compile], ...atItsPort(command, place) },
  };
}

/** Scripts of the package.json in a folder. */
export function scriptsIn({ folder, files }: RepositoryFolder): LooseMap {
  return mapIn(mapIn(contentOf(fileIn(files, folder, 'package.json')?.text ?? ''))['scripts']);
}

/** A command with the variable that the sources read the port from, if it is not PORT; or with the port that they name. */
function atItsPort(command: readonly string[], place: RepositoryFolder): Pick<ProposedProcess, 'command' | 'port'> {
  const sources = textsBelow(place, NODE_SOURCES);
  const variable = portVariable(sources);
  if (!command.every((part) => /^[\w./:=@-]+$/.test(part))) {
    return { command };
  }
  return variable === ''
    ? { command, port: fixedPort(sources) }
    : { command: ['sh', '-c', `${variable}exec ${command.join(' ')}`] };
}

interface PackageTool {
  readonly install: readonly string[];
  readonly script: (name: string) => readonly string[];
  /** Builds all packages of the workspace that the folder belongs to. */
  readonly buildAll?: readonly string[];
}

/**
 * Package manager of the nearest lock file: in the folder, or above it for a workspace; npm without a lock file. npm fetches the others, so that a
 * machine needs only Node.js.
 */
function packageTool(manifest: LooseMap, place: RepositoryFolder): PackageTool {
  const foldersUp = (folder: string): readonly string[] =>
    folder === '' ? [''] : [folder, ...foldersUp(folderOf(folder))];
  const tools = foldersUp(place.folder).map((at) => toolOf(manifest, place, at));
  return tools.find((tool) => tool !== undefined) ?? npmIn(place);
}

function toolOf(manifest: LooseMap, { folder, files }: RepositoryFolder, at: string): PackageTool | undefined {
  const [npm, pnpm, yarn] = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'].map(
    (name) => fileIn(files, at, name)?.text,
  );
  const whole = mapIn(contentOf(fileIn(files, at, 'package.json')?.text ?? ''));
  if (npm !== undefined) {
    const isWorkspace = at !== folder && whole['workspaces'] !== undefined;
    return isWorkspace ? npmWorkspace(whole, { folder, files }, at) : npmIn({ folder, files });
  }
  if (pnpm === undefined && yarn === undefined) {
    return undefined;
  }
  // "pnpm@9.1.0", as named by the package, or by its workspace.
  const named = [manifest, whole].map(
    (one) => /^(?:yarn|pnpm)@\d[\d.]*/.exec(textIn(one['packageManager']) ?? '')?.[0],
  );
  const usual = pnpm === undefined ? (yarn?.includes('yarn lockfile v1') ? 'yarn@1' : 'yarn@4') : pnpmOf(pnpm);
  return fetchedTool(named.find((one) => one !== undefined) ?? usual, folder, at);
}

function npmIn({ folder, files }: RepositoryFolder): PackageTool {
  const at = folder === '' ? [] : ['--prefix', folder];
  const lock = fileIn(files, folder, 'package-lock.json')?.text;
  // npm up to version 6, whose lock files have format 1, leaves out peer dependencies.
  const isOld = lock !== undefined && /"lockfileVersion":\s*1\b/.test(lock);
  const install = lock === undefined ? ['install'] : ['ci', ...(isOld ? ['--legacy-peer-deps'] : [])];
  return { install: ['npm', ...at, ...install], script: (name) => ['npm', ...at, 'run', name] };
}

/** Packages of a workspace are installed together, in its root: they are not in the registry. */
function npmWorkspace(whole: LooseMap, place: RepositoryFolder, at: string): PackageTool {
  const { install, script } = npmIn({ ...place, folder: at });
  const hasBuild = textIn(mapIn(whole['scripts'])['build']) !== undefined;
  return { install, script: npmIn(place).script, ...(hasBuild && { buildAll: script('build') }) };
}

/** Version of pnpm by the format of its lock file, which differs between major versions. */
function pnpmOf(lock: string): string {
  const format = Number(/^lockfileVersion:\s*['"]?(\d+)/m.exec(lock)?.[1] ?? 9);
  return `pnpm@${format >= 9 ? 10 : format >= 6 ? 8 : 7}`;
}

/** pnpm, or Yarn, which since version 2 needs a setting to write `node_modules`, where plain `node` finds packages. */
function fetchedTool(tool: string, folder: string, at: string): PackageTool {
  const isModernYarn = tool.startsWith('yarn@') && !tool.startsWith('yarn@1');
  const program = isModernYarn
    ? ['env', 'YARN_NODE_LINKER=node-modules', 'npx', '--yes', tool.replace('yarn@', '@yarnpkg/cli-dist@')]
    : ['npx', '--yes', tool];
  const flag = tool.startsWith('pnpm@') ? '--dir' : '--cwd';
  const command = (where: string) => [...program, ...(where === '' ? [] : [flag, where])];
  return {
    install: [...command(at), 'install', isModernYarn ? '--immutable' : '--frozen-lockfile'],
    script: (name) => [...command(folder), 'run', name],
  };
}

/** Scripts that start the built program, without a compiler or a watcher. */
const PRODUCTION = ['start:prod', 'start:production', 'serve:prod'];

/** Scripts that start a server if there is no `start` script, the most usual first. */
const OTHERS = ['serve', 'server', 'dev', 'develop'];

/**
 * Start command of a package: its production script if that needs no shell and a build exists for it, else `start`. For a service also another
 * script, its `bin`, or a file with a usual name.
 */
function nodeCommand(manifest: LooseMap, place: RepositoryFolder, isService: boolean): readonly string[] | undefined {
  const scripts = mapIn(manifest['scripts']);
  const build = textIn(scripts['build']);
  const started = textIn(scripts['start']);
  const start = started && withoutWatcher(started);
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
 * Replaces a TypeScript source with the built program of the same name that the package installs, with the arguments of the script: it does not
 * depend on a Node.js that reads types.
 */
function withBuilt(
  command: readonly string[] | undefined,
  manifest: LooseMap,
  folder: string,
): readonly string[] | undefined {
  const [entry = '', ...others] = command?.slice(command.findIndex((part) => TYPED.test(part))) ?? [];
  const built = textIn(mapIn(manifest['scripts'])['build']) === undefined ? undefined : binOf(manifest['bin'], folder);
  const isSame = TYPED.test(entry) && stemOf(built?.at(-1) ?? '') === stemOf(entry);
  return built !== undefined && isSame ? [...built, ...others] : command;
}

const TYPED = /\.[cm]?ts$/;

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

/** Program of a package without a `start` script: its `main`, else a file with a usual name. */
function entryOf(main: string | undefined, { folder, files }: RepositoryFolder): readonly string[] | undefined {
  const names = [main ?? [], ENTRIES].flat().flatMap((name) => [name, `${name}.js`]);
  const paths = names.map((name) => pathBelow(folder, name));
  const path = paths.find((one) => /\.[cm]?js$/.test(one ?? '') && files.some((file) => file.path === one));
  return path === undefined ? undefined : ['node', path];
}

/** Program that a package without a `start` script installs. */
function binOf(bin: unknown, folder: string): readonly string[] | undefined {
  const [path] = [textIn(bin), ...Object.values(mapIn(bin)).map(textIn)].filter((one) => one !== undefined);
  const below = path === undefined ? undefined : pathBelow(folder, path);
  return below === undefined ? undefined : ['node', below];
}

/** Start script without npm, if it needs no shell: npm's process would count as CPU time and memory of the service. */
function plainNode(script: string, place: RepositoryFolder): readonly string[] | undefined {
  return place.folder === '' && /^node( [\w./:=@-]+)+$/.test(script)
    ? script.split(' ').map((word) => withExample(word, place))
    : undefined;
}

/** Replaces a missing file of variables with its example; without it, Node.js would not start. */
function withExample(word: string, place: RepositoryFolder): string {
  const [, flag, path = ''] = /^(--env-file=)([\w./-]+)$/.exec(word) ?? [];
  const example = exampleFile(place);
  const isMissing = flag !== undefined && path === '.env' && fileIn(place.files, '', '.env') === undefined;
  return isMissing && example !== undefined ? `${flag}${example.path}` : word;
}

/** Start script that sets its port, with the port of the measurement instead: no variable would change it. */
function startAtPort(script: string, folder: string): readonly string[] | undefined {
  const isPlain = /^[\w./:@=-]+( [\w./:@=-]+)*$/.test(script) && !script.startsWith('-') && /^[\w./-]*$/.test(folder);
  const moved = script.replace(/( --(?:[\w.-]+[.-])?port[ =]| -p )\d+(?= |$)/, '$1"$PORT"');
  if (!isPlain || moved === script || /^\w+=/.test(script)) {
    return undefined;
  }
  return ['sh', '-c', `${entering(folder)}PATH="$PWD/node_modules/.bin:$PATH" exec ${moved}`];
}
