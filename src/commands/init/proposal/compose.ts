import { contentOf, listIn, mapIn, textIn } from '../../../config/index.ts';
import type { RepositoryFile } from '../../../host/index.ts';
import { baseName, depthOf, folderOf, pathBelow, portFrom } from './places.ts';
import type { LeftOutService, ProposedImage } from './proposal.ts';

/** A service of a compose file, with what matters here. */
export interface ComposeService {
  readonly name: string;
  /** What it is built from; undefined if it is not, or from elsewhere. */
  readonly build: ProposedImage | undefined;
  readonly image: string | undefined;
  /** The ports that it listens on inside its container. */
  readonly ports: readonly number[];
  readonly environment: Readonly<Record<string, string>>;
  readonly dependsOn: readonly string[];
  /** Whether it is started only if somebody asks for one of its profiles. */
  readonly isOptional: boolean;
  /** Variables that its environment takes from somewhere else, and that were given a made-up value. */
  readonly madeUp: readonly string[];
  /** What the file says of it and init does not carry over. */
  readonly leftOut: readonly LeftOutService[];
}

/** In the order in which `docker compose` looks for them. */
const NAMES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];

/** The services of the compose file nearest to the root; none if there is no such file, or it cannot be read. */
export function composeServices(files: readonly RepositoryFile[]): readonly ComposeService[] {
  const [file] = files
    .filter(({ path }) => NAMES.includes(baseName(path)))
    .toSorted(
      (a, b) => depthOf(a.path) - depthOf(b.path) || NAMES.indexOf(baseName(a.path)) - NAMES.indexOf(baseName(b.path)),
    );
  const services = mapIn(mapIn(contentOf(file?.text ?? ''))['services']);
  const folder = folderOf(file?.path ?? '');
  return Object.entries(services).map(([name, entry]) => serviceOf(name, mapIn(entry), folder));
}

function serviceOf(name: string, entry: Readonly<Record<string, unknown>>, folder: string): ComposeService {
  const variables = settings(entry['environment']).filter(
    ([key, { text }]) => /^[A-Za-z_]\w*$/.test(key) && !text.includes('${'),
  );
  const dependsOn = entry['depends_on'];
  return {
    name,
    build: entry['build'] === undefined ? undefined : buildOf(entry['build'], folder),
    image: interpolated(textIn(entry['image']) ?? '').text || undefined,
    ports: [...listIn(entry['ports']), ...listIn(entry['expose'])].flatMap(containerPort),
    environment: Object.fromEntries(variables.map(([key, { text }]) => [key, text])),
    dependsOn: Array.isArray(dependsOn) ? dependsOn.flatMap((one) => textIn(one) ?? []) : Object.keys(mapIn(dependsOn)),
    isOptional: listIn(entry['profiles']).length > 0,
    madeUp: [...new Set(variables.flatMap(([, { madeUp }]) => madeUp))],
    leftOut: leftOutOf(name, entry),
  };
}

/** Keys that change what a program does when it starts, each with what it has there. */
function leftOutOf(name: string, entry: Readonly<Record<string, unknown>>): readonly LeftOutService[] {
  const names = (key: string) =>
    [entry[key]]
      .flat()
      .flatMap((one) => textIn(one) ?? textIn(mapIn(one)['source']) ?? textIn(mapIn(one)['path']) ?? []);
  const mounted = names('volumes').filter((text) => /^\.{0,2}\//.test(text));
  const found = { secrets: names('secrets'), volumes: mounted, command: names('command'), env_file: names('env_file') };
  return Object.entries(found).flatMap(([key, values]) =>
    values.length === 0 ? [] : [{ name: `${key} of ${name}`, why: `init does not carry over ${values.join(' ')}` }],
  );
}

function buildOf(build: unknown, folder: string): ProposedImage | undefined {
  const {
    context = '.',
    dockerfile = 'Dockerfile',
    target,
  } = typeof build === 'string' ? { context: build } : mapIn(build);
  const whole = pathBelow(folder, interpolated(textIn(context) ?? '.').text);
  const path = whole === undefined ? undefined : pathBelow(whole, interpolated(textIn(dockerfile) ?? '').text);
  const isElsewhere = /^\w+:\/\/|^git@/.test(String(context));
  return isElsewhere || whole === undefined || path === undefined || path === ''
    ? undefined
    : { context: whole || '.', dockerfile: path, target: /^[A-Za-z0-9][\w.-]{0,79}$/.exec(textIn(target) ?? '')?.[0] };
}

function containerPort(port: unknown): readonly number[] {
  const text = textIn(port) ?? textIn(mapIn(port)['target']) ?? '';
  const found = portFrom(interpolated(text).text.split(':').at(-1));
  return found === undefined ? [] : [found];
}

type Setting = readonly [key: string, value: Interpolated];

/** A list of NAME=value, or a map. */
function settings(environment: unknown): readonly Setting[] {
  const pairs = Array.isArray(environment)
    ? environment.flatMap((line) => pairOf(textIn(line) ?? ''))
    : Object.entries(mapIn(environment)).map(([key, value]) => [key, textIn(value)] as const);
  // A name alone takes its value from the environment of the user who starts it.
  return pairs.map(([key, value]) => [key, interpolated(value ?? `\${${key}}`)]);
}

function pairOf(line: string): readonly (readonly [string, string | undefined])[] {
  const at = line.indexOf('=');
  return at < 0 ? [[line, undefined]] : [[line.slice(0, at), line.slice(at + 1)]];
}

interface Interpolated {
  readonly text: string;
  readonly madeUp: readonly string[];
}

/** The value of a variable without a default: the same in the service and in its needs, so that they agree. */
const MADE_UP = 'example';

function interpolated(text: string): Interpolated {
  const madeUp: string[] = [];
  const filled = text.replace(VARIABLE, (found) => {
    const [, plain, braced, sign, otherwise = ''] = ONE_VARIABLE.exec(found) ?? [];
    if (found === '$$') {
      return '$';
    }
    if (sign === '-') {
      return otherwise;
    }
    madeUp.push(plain ?? braced ?? '');
    return MADE_UP;
  });
  return { text: filled, madeUp };
}

const VARIABLE = /\$(?:\$|[A-Za-z_]\w*|\{[A-Za-z_]\w*(?::?[-?+][^{}]*)?\})/g;

const ONE_VARIABLE = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::?([-?+])([^{}]*))?\})$/;
