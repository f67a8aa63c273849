import { posix } from 'node:path';
import { contentOf, listIn, mapIn, textIn } from '../../../config/yaml/lines.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import type { Proposal, ProposedImage, ProposedProgram } from '../services/proposal.ts';
import { argumentsOf } from './dockerfile.ts';
import { environmentFile, exampleFile, MADE_UP, placeholdersIn, settingsIn } from './own-settings.ts';
import { baseName, depthOf, folderOf, isBelow, pathBelow, portFrom } from './places.ts';

/** Service of a compose file, as far as init uses it. */
export interface ComposeService extends ProposedProgram, Pick<Proposal, 'settingsFrom' | 'madeUp' | 'leftOut'> {
  /** Names by which others reach it. */
  readonly hosts: readonly string[];
  /** Source of its image; undefined without one. */
  readonly build: ProposedImage | undefined;
  readonly image: string | undefined;
  /** The ports that it listens on inside its container. */
  readonly ports: readonly number[];
  /** Files that only a database without a container has. */
  readonly plainFiles?: Readonly<Record<string, string>>;
  readonly dependsOn: readonly string[];
  /** Folder of the sources that it answers with, if they are not those of its image. */
  readonly sources?: string;
  /** True if it is started only when one of its profiles is selected. */
  readonly isOptional: boolean;
}

/** Names in the order in which `docker compose` looks for them. */
const NAMES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];

/** Compose files for developers, read in a repository without the usual ones. */
const FOR_DEVELOPERS = /^(?:docker-)?compose[._-](?:dev|develop|development|local)\.ya?ml$/;

const OVERRIDE = /^((?:docker-)?compose)\.override(\.ya?ml)$/;

/** True if a repository has something at a path. */
export type HasPath = (path: string) => boolean;

type Entry = Readonly<Record<string, unknown>>;

interface ComposePlace {
  readonly folder: string;
  readonly files: readonly RepositoryFile[];
  readonly has: HasPath;
  readonly values: Readonly<Record<string, string>>;
  /** Secrets and configurations of the file, by their names. */
  readonly given: Readonly<Record<'secret' | 'config', Entry>>;
}

/**
 * The services of the compose file nearest to the root, with its override file; none if there is no such file, or it cannot be read. `others` are the
 * paths of compose files that are not read.
 */
export function composeFile(files: readonly RepositoryFile[], has: HasPath) {
  const all = files.filter(({ path }) => /^(?:docker-)?compose\b[\w.-]*\.ya?ml$/.test(baseName(path)));
  const usual = all.filter(({ path }) => NAMES.includes(baseName(path)));
  const [file] = (usual.length > 0 ? usual : all.filter(({ path }) => FOR_DEVELOPERS.test(baseName(path)))).toSorted(
    (a, b) => depthOf(a.path) - depthOf(b.path) || NAMES.indexOf(baseName(a.path)) - NAMES.indexOf(baseName(b.path)),
  );
  const folder = folderOf(file?.path ?? '');
  const override = all.find(({ path }) => folderOf(path) === folder && OVERRIDE.test(baseName(path)));
  const contents = [file, override].map((one) => mapIn(contentOf(one?.text ?? '')));
  const parts = (key: string): readonly Entry[] => contents.map((content) => mapIn(content[key]));
  const services = parts('services');
  const place: ComposePlace = {
    folder,
    files,
    has,
    values: settingsIn(exampleFile({ folder, files })),
    given: { secret: Object.assign({}, ...parts('secrets')), config: Object.assign({}, ...parts('configs')) },
  };
  const names = new Set(services.flatMap((one) => Object.keys(one)));
  return {
    services: [...names].map((name) => {
      const entries = services.filter((one) => name in one).map((one) => mapIn(one[name]));
      return serviceOf(name, entries, place);
    }),
    others: all.map(({ path }) => path).filter((path) => path !== file?.path && path !== override?.path),
  };
}

/** Service from its entries in several files, merged as `docker compose` does: lists are joined; otherwise the last value wins. */
function serviceOf(name: string, entries: readonly Entry[], place: ComposePlace): ComposeService {
  const all = (key: string): readonly unknown[] => entries.flatMap((entry) => listIn(entry[key]));
  const last = (key: string): unknown => entries.map((entry) => entry[key]).findLast((value) => value !== undefined);
  const built = entries.map(({ build }) => (typeof build === 'string' ? { context: build } : mapIn(build)));
  const image = interpolated(textIn(last('image')) ?? '', place.values).text || undefined;
  const isMounted = last('build') === undefined && image !== undefined && RUNTIMES.test(image);
  const mounted = isMounted ? all('volumes').flatMap((one) => mountedBuild(one, place)) : [];
  const build = last('build') === undefined ? mounted[0] : buildOf(Object.assign({}, ...built), place);
  const mounts = all('volumes').flatMap((one) => mountOf(one, place, build));
  const given = (['secret', 'config'] as const).flatMap((what) =>
    all(`${what}s`).map((one) => givenFile(what, one, place)),
  );
  const folders = [
    ...all('volumes').flatMap((one) => emptyFolder(one, place)),
    ...entries.flatMap(({ tmpfs }) => tmpfs).flatMap(memoryFolder),
  ];
  const carried = [...mounts, ...given].filter(({ why }) => why === undefined);
  const files = Object.fromEntries(carried.map(({ target, path }) => [target, path]));
  const { notSet, ...variables } = variablesOf(entries, files, place);
  const dependsOn = entries.map((entry) => entry['depends_on']);
  const started = commandOf(last('entrypoint'), place.values);
  // The command of a runtime image with mounted sources is for development.
  const own = mounted.length > 0 ? undefined : commandOf(last('command'), place.values);
  // A service cannot replace the entrypoint of its image, but if the image has none, its command is everything that is started.
  const startsAlone = started !== undefined && hasNoEntrypoint(build, place);
  const command = startsAlone ? [...started, ...(own ?? [])] : own;
  return {
    name,
    hosts: [name, ...entries.flatMap((entry) => aliasesOf(entry, place.values))],
    build,
    image,
    ports: [...proxiedPorts(entries), ...all('ports'), ...all('expose')].flatMap((port) => {
      const text = textIn(port) ?? textIn(mapIn(port)['target']) ?? '';
      return portFrom(interpolated(text, place.values).text.split(':').at(-1)) ?? [];
    }),
    ...variables,
    command,
    files,
    dependsOn: dependsOn.flatMap((one) =>
      Array.isArray(one) ? one.flatMap((name) => textIn(name) ?? []) : Object.keys(mapIn(one)),
    ),
    tmpfs: build === undefined ? [] : writableFolders(folders),
    isOptional: all('profiles').length > 0,
    leftOut: [
      ...[...mounts, ...given, ...(build === undefined ? [] : folders)].flatMap(({ what, path, why }) =>
        why === undefined ? [] : [{ name: `${what} ${path} of ${name}`, why }],
      ),
      ...notSet.map((one) => ({ ...one, name: `${one.name} of ${name}` })),
      ...(last('command') !== undefined && command === undefined && mounted.length === 0
        ? [{ name: `command of ${name}`, why: 'it has variables' }]
        : []),
      ...(last('entrypoint') === undefined || startsAlone
        ? []
        : [{ name: `entrypoint of ${name}`, why: 'services use the one of their image' }]),
    ],
  };
}

/** Ports that labels give to Traefik: those that a service publishes for developers may be others. */
function proxiedPorts(entries: readonly Entry[]): readonly string[] {
  const labels = entries.flatMap(({ labels: one }) =>
    Array.isArray(one) ? one.map(textIn) : Object.entries(mapIn(one)).map(([key, value]) => `${key}=${textIn(value)}`),
  );
  return labels.flatMap((label) => /\.loadbalancer\.server\.port=(\d+)$/.exec(label ?? '')?.[1] ?? []);
}

/** Names by which other services reach this one, in addition to its own; empty and made-up ones are left out, since they would match other values. */
function aliasesOf(entry: Entry, values: ComposePlace['values']): readonly string[] {
  const networks = Object.values(mapIn(entry['networks'])).flatMap((one) => listIn(mapIn(one)['aliases']));
  return [entry['container_name'], entry['hostname'], ...networks].flatMap((alias) => {
    const { text, madeUp } = interpolated(textIn(alias) ?? '', values);
    return text === '' || madeUp.length > 0 ? [] : [text];
  });
}

function variablesOf(entries: readonly Entry[], files: ComposeService['files'], place: ComposePlace) {
  const outside = entries
    .flatMap(({ env_file: paths }) => paths)
    .flatMap((one) => textIn(one) ?? textIn(mapIn(one)['path']) ?? [])
    .map((path) => valuesAt(path, place));
  // The last value of a variable wins, even if it cannot be carried over.
  const all = [
    ...new Map([
      ...outside.flatMap(({ values }) => values),
      ...entries.flatMap(({ environment }) => settings(environment, place.values)),
    ]),
  ];
  const carried = all.filter(isCarried).map((setting) => withoutSecretFile(setting, files));
  return {
    environment: Object.fromEntries(carried.map(([key, { text }]) => [key, text])),
    settingsFrom: outside.flatMap(({ from }) => from ?? []),
    madeUp: [...new Set(carried.flatMap(([, { madeUp }]) => madeUp))],
    notSet: [
      ...outside.flatMap(({ path, from }) =>
        from === undefined
          ? [
              {
                name: `env_file ${path}`,
                why: 'it is not in git: add the variables that the service needs to `environment`',
              },
            ]
          : [],
      ),
      ...all
        .filter((setting) => !isCarried(setting))
        .map(([key]) => ({ name: `variable ${key}`, why: 'a configuration cannot have its name or its value' })),
    ],
  };
}

/** Language images, in which developers run mounted sources. */
const RUNTIMES =
  /^(?:docker\.io\/)?(?:library\/)?(?:node|python|golang|rust|openjdk|eclipse-temurin|maven|gradle|oven\/bun)(?::|$)/;

/** Image built from a mounted folder that has a Dockerfile, since that builds the same sources. */
function mountedBuild(volume: unknown, place: ComposePlace): readonly ProposedImage[] {
  const from = textIn(volume)?.split(':')[0] ?? textIn(mapIn(volume)['source']) ?? '';
  const build = from.startsWith('.') ? buildOf({ context: from }, place) : undefined;
  return place.files.some(({ path }) => path === build?.dockerfile) && build !== undefined ? [build] : [];
}

export function hasNoEntrypoint(build: ProposedImage | undefined, { files }: Pick<ComposePlace, 'files'>): boolean {
  const file = files.find(({ path }) => path === build?.dockerfile);
  return file !== undefined && argumentsOf(file.text, 'ENTRYPOINT').length === 0;
}

/** Values of a file; `from` is its path, or that of its example, and undefined if the repository has neither. */
function valuesAt(path: string, { folder, files }: ComposePlace) {
  const file = environmentFile(pathBelow(folder, path) ?? path, files);
  const { secrets } = placeholdersIn(file);
  const values = Object.entries(settingsIn(file)).map(
    ([key, text]): Setting => [key, { text, madeUp: secrets.includes(key) ? [key] : [] }],
  );
  return { path, from: file?.path, values };
}

/** Names of folders with persistent data. */
const KEEPING =
  /(?:^|[/_-])(?:data\w*|db|database|uploads?|storage|store|media|logs?|cache|tmp|files)$|^\/var\/lib\/[\w-]+$/i;

/**
 * A writable folder that is empty at first: a bind mount of a folder that the repository does not have, which Docker creates, or a volume with a
 * name, if the image itself has nothing there.
 */
function emptyFolder(volume: unknown, place: ComposePlace): readonly Mounted[] {
  const { from, to } = partsOf(volume, place);
  if (!/^\/[\w./-]+$/.test(to)) {
    return [];
  }
  const mount = { what: 'volume', path: from, target: to } as const;
  if (isMissingFolder(from, place)) {
    return [mount];
  }
  if (!/^\w[\w.-]*$/.test(from)) {
    return [];
  }
  return [KEEPING.test(to) ? mount : { ...mount, why: `if the service writes to ${to}, add it to \`tmpfs\`` }];
}

/** Folders, each once; without `/tmp`, which every container has. */
function writableFolders(folders: readonly Mounted[]): readonly string[] {
  const found = folders.filter(({ why }) => why === undefined).map(({ target }) => posix.resolve('/', target));
  return [...new Set(found)].filter((target) => target !== '/tmp');
}

function memoryFolder(entry: unknown): readonly Mounted[] {
  const target = /^(\/[\w./-]+)(?::|$)/.exec(textIn(entry) ?? '')?.[1];
  return target === undefined ? [] : [{ what: 'volume', path: target, target }];
}

/** Source and target of a volume in either notation. */
function partsOf(volume: unknown, { values }: ComposePlace) {
  const { source, target } = mapIn(volume);
  const text = textIn(volume) ?? `${textIn(source) ?? ''}:${textIn(target) ?? ''}`;
  const [from = '', to = ''] = interpolated(text, values).text.split(':');
  return { from, to };
}

/** Folders that the build of an image creates. */
const BUILT = /(?:^|\/)(?:node_modules|vendor|dist|build|out|target|bin|obj|\.?venv)$/;

function isMissingFolder(from: string, { folder, has }: ComposePlace): boolean {
  const path = from.startsWith('.') ? pathBelow(folder, from) : undefined;
  return path !== undefined && path !== '' && !/\.\w+$/.test(path) && !BUILT.test(path) && !has(path);
}

/** File or folder of the repository that a container mounts, or the reason why it is left out. */
interface Mounted {
  readonly what: 'volume' | 'secret' | 'config';
  readonly path: string;
  readonly target: string;
  readonly why?: string;
}

/** Bind mount of an existing path; undefined for a volume. */
function mountOf(volume: unknown, place: ComposePlace, build: ProposedImage | undefined): readonly Mounted[] {
  const { from, to } = partsOf(volume, place);
  if (
    !/^[.~/]/.test(from) ||
    to === '' ||
    ((build !== undefined || KEEPING.test(to)) && isMissingFolder(from, place))
  ) {
    return [];
  }
  const mount = { what: 'volume', path: from, target: to } as const;
  const path = sourceOf(from, place.folder, build);
  if (path === undefined || !to.startsWith('/')) {
    return [{ ...mount, why: 'it is not a file of the repository' }];
  }
  const context = build?.context === '.' ? '' : build?.context;
  if (context !== undefined && (path === context || (isBelow(path, context) && !/\.\w+$/.test(path)))) {
    return [{ ...mount, why: 'the image has the sources' }];
  }
  return [
    path === '.' || (place.has(path) && path !== '')
      ? { ...mount, path }
      : { ...mount, why: 'the repository does not have it' },
  ];
}

/** Path in the repository; `.` for all of it, in a container whose image is not built from it. */
function sourceOf(from: string, folder: string, build: ProposedImage | undefined): string | undefined {
  const path = /^[~/]/.test(from) ? undefined : pathBelow(folder, from);
  return path === '' && build === undefined ? '.' : path;
}

function givenFile(what: 'secret' | 'config', entry: unknown, { folder, has, given, values }: ComposePlace): Mounted {
  const { source, target } = mapIn(entry);
  const name = textIn(entry) ?? textIn(source) ?? '';
  const file = interpolated(textIn(mapIn(given[what][name])['file']) ?? '', values).text;
  const path = file === '' ? undefined : pathBelow(folder, file);
  const at = textIn(target) ?? name;
  const mounted = { what, target: at.startsWith('/') ? at : `${what === 'secret' ? '/run/secrets' : ''}/${at}` };
  return path !== undefined && path !== '' && has(path)
    ? { ...mounted, path }
    : { ...mounted, path: name, why: 'the repository does not have its file' };
}

/** True if a configuration accepts the name and the value of a variable. */
function isCarried([key, { text }]: Setting): boolean {
  return /^[A-Za-z_][\w.]*$/.test(key) && !text.includes('${');
}

/** Replaces a variable with the path of a missing secret file by the one with its value, which images also read. */
function withoutSecretFile([key, value]: Setting, files: ComposeService['files']): Setting {
  return key.endsWith('_FILE') && value.text.startsWith('/run/secrets/') && !(value.text in files)
    ? [key.slice(0, -'_FILE'.length), { text: MADE_UP, madeUp: [key.slice(0, -'_FILE'.length)] }]
    : [key, value];
}

/** A list, or the words of a line as `docker compose` splits them; undefined if it contains variables. */
function commandOf(command: unknown, values: ComposePlace['values']): readonly string[] | undefined {
  const words = Array.isArray(command)
    ? command.flatMap((one) => textIn(one) ?? [])
    : ((textIn(command) ?? '').match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+/g) ?? []).map((word) =>
        word.replace(
          /"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
          (_, twice?: string, once?: string) => twice?.replace(/\\(.)/g, '$1') ?? once ?? '',
        ),
      );
  // A server that watches its sources is for development, and slower.
  const filled = words.filter((word) => word !== '--reload').map((word) => interpolated(word, values).text);
  return filled.length === 0 || filled.some((word) => word.includes('${') || /\p{Cc}/u.test(word)) ? undefined : filled;
}

function buildOf(build: Entry, { folder, values }: ComposePlace): ProposedImage | undefined {
  const { context = '.', dockerfile = 'Dockerfile', target } = build;
  const whole = pathBelow(folder, interpolated(textIn(context) ?? '.', values).text);
  const path = whole === undefined ? undefined : pathBelow(whole, interpolated(textIn(dockerfile) ?? '', values).text);
  const isElsewhere = /^\w+:\/\/|^git@/.test(String(context));
  return isElsewhere || whole === undefined || path === undefined || path === ''
    ? undefined
    : { context: whole || '.', dockerfile: path, target: /^[A-Za-z0-9][\w.-]{0,79}$/.exec(textIn(target) ?? '')?.[0] };
}

type Setting = readonly [key: string, value: Interpolated];

/** A list of NAME=value, or a map. */
function settings(environment: unknown, values: ComposePlace['values']): readonly Setting[] {
  const pairs = Array.isArray(environment)
    ? environment.map((line) => (textIn(line) ?? '').split(/=(.*)/s))
    : Object.entries(mapIn(environment)).map(([key, value]) => [key, textIn(value)] as const);
  // .NET reads `Shop__Key` as `Shop:Key`. A name without a value takes it from the user's environment.
  return pairs.flatMap(([key = '', value]): readonly Setting[] =>
    key === '' ? [] : [[key.replaceAll(':', '__'), interpolated(value ?? `\${${key}}`, values)]],
  );
}

interface Interpolated {
  readonly text: string;
  readonly madeUp: readonly string[];
}

function interpolated(text: string, values: ComposePlace['values']): Interpolated {
  const madeUp: string[] = [];
  const filled = text.replace(VARIABLE, (found) => {
    const [, plain, braced, sign, otherwise = ''] = ONE_VARIABLE.exec(found) ?? [];
    const name = plain ?? braced ?? '';
    if (found === '$$') {
      return '$';
    }
    const value = values[name] ?? (sign === '-' ? otherwise : undefined);
    if (value === undefined) {
      madeUp.push(name);
    }
    return value ?? MADE_UP;
  });
  return { text: filled, madeUp };
}

const VARIABLE = /\$(?:\$|[A-Za-z_]\w*|\{[A-Za-z_]\w*(?::?[-?+][^{}]*)?\})/g;

const ONE_VARIABLE = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::?([-?+])([^{}]*))?\})$/;
