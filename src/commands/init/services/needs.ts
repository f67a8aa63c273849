import { withOwnNames } from '../../../config/operations/draft.ts';
import { MAX_MIGRATIONS, type RepositoryFile } from '../../../host/files/scan.ts';
import type { ComposeService } from '../read/compose.ts';
import { copiesFiles } from '../read/dockerfile.ts';
import { exampleFile, settingsIn } from '../read/own-settings.ts';
import { baseName, folderOf, hostNameFrom, isBelow, pathBelow } from '../read/places.ts';
import { FOREIGN } from '../read/ports.ts';
import type { Source } from '../read/sources.ts';
import { knownImage } from './known-images.ts';
import { SCRIPTS } from './plain-databases.ts';
import type { Environment, Proposal, ProposedMember, ProposedNeed } from './proposal.ts';

/** Needs of a service, the members of its system, the environment that points to them, and what init does not know or carry over. */
export type Needed = Pick<Proposal, 'needs' | 'members' | 'environment' | 'madeUp' | 'leftOut'>;

/**
 * Databases, caches and brokers of a compose file that a service depends on, and, as members, the services of the same repository that form one
 * system with it. If the service is not in that file, or depends on nothing: all databases, caches and brokers that start without a profile, and no
 * member.
 */
export function neededBy(
  service: ComposeService | undefined,
  all: readonly ComposeService[],
  portOf: (service: ComposeService) => number,
): Needed {
  const requested = reachedFrom(service, all);
  const others = all.filter(
    (other) => other.name !== service?.name && (requested.size === 0 ? !other.isOptional : requested.has(other.name)),
  );
  const found = others.flatMap((source) =>
    needOf(source).map((need) => ({ source, family: 'needs' as const, ...need })),
  );
  const unknown = others.filter((one) => one.build === undefined && one.image !== undefined && !isStore(one));
  const built = others.flatMap((source): readonly ReachableMember[] => {
    const name = hostNameFrom(source.name);
    const { build: image, command, files, tmpfs, user } = source;
    return name === undefined || image === undefined || !requested.has(source.name)
      ? []
      : [{ source, family: 'members', name, image, port: portOf(source), command, files, tmpfs, user }];
  });
  const named = withOwnNames<Reachable>([...found, ...built]);
  const needs = named.filter((one) => one.family === 'needs');
  const members = named.filter((one) => one.family === 'members');
  return {
    needs: needs.map(withoutSource),
    members: members.map((member) => {
      // Cyclic dependencies could not be started.
      const before = members.filter(
        ({ source }) =>
          member.source.dependsOn.includes(source.name) && !reachedFrom(source, all).has(member.source.name),
      );
      const environment = environmentOf(member.source, [...needs, ...before]);
      return { ...withoutSource(member), environment, dependsOn: before.map(({ name }) => name) };
    }),
    environment: environmentOf(service, named),
    leftOut: [
      ...unknown.map(({ name, image = '' }) => ({ name, why: `init does not know what its image ${image} needs` })),
      ...[service, ...named.map(({ source }) => source)].flatMap((one) => one?.leftOut ?? []),
    ],
    madeUp: [...new Set([service, ...named.map(({ source }) => source)].flatMap((one) => one?.madeUp ?? []))],
  };
}

/**
 * Service with an image build if its image is named after a folder with a Dockerfile: `acme/shop-orders` for `orders`. A Dockerfile that copies
 * nothing, or is based on that image, builds a third-party program.
 */
export function builtHere(
  service: ComposeService,
  files: readonly RepositoryFile[],
  repository: string,
): ComposeService {
  const { path, known } = knownImage(service.image ?? '');
  const isOwn = (folder: string): boolean =>
    folder === '' ? path === repository : path.includes('/') && `-${baseName(path)}`.endsWith(`-${baseName(folder)}`);
  const isBase = (text: string): boolean =>
    [...text.matchAll(/^FROM[ \t]+(?:--\S+[ \t]+)?(\S+)/gim)].some(([, base = '']) => knownImage(base).path === path);
  const dockerfiles = files
    .filter((file) => baseName(file.path) === 'Dockerfile' && isOwn(folderOf(file.path)))
    .filter(({ text }) => copiesFiles(text) && !isBase(text))
    .map((file) => file.path);
  const [dockerfile] = dockerfiles.toSorted((a, b) => baseName(folderOf(b)).length - baseName(folderOf(a)).length);
  return service.build !== undefined || known !== undefined || dockerfile === undefined
    ? service
    : { ...service, build: { context: folderOf(dockerfile) || '.', dockerfile } };
}

/** Known image plus the files that the Dockerfile adds, for a store that is built from a known image. */
export function asStore(service: ComposeService, files: readonly RepositoryFile[]): ComposeService {
  const { context = '.', dockerfile } = service.build ?? {};
  const text = files.find(({ path }) => path === dockerfile)?.text ?? '';
  const ending = (path: string): string | undefined => /\.\w+$/.exec(path)?.[0];
  const copied = [...text.matchAll(/^(?:ADD|COPY)[ \t]+([\w./-]+)[ \t]+(\/[\w./-]+)[ \t]*$/gim)].map(
    ([, from = '', to = '']) => [
      ending(from) === ending(to) ? to : `${to.replace(/\/$/, '')}/${baseName(from)}`,
      pathBelow(context, from),
    ],
  );
  const image = /^FROM[ \t]+(\S+)/im.exec(text)?.[1];
  const store = { ...service, build: undefined, image, files: { ...Object.fromEntries(copied), ...service.files } };
  return isStore(store) ? store : service;
}

/** Programs that run the migrations in a folder themselves. */
const MIGRATES =
  /golang-migrate\/migrate|uptrace\/bun\/migrate|go-pg\/migrations|\bmigrate!\(|\bembed_migrations!|\brun_pending_migrations\b|\bFileBasedMigrations\b|\bmigrate::Migrator\b|\bmigrate\b[^\n]{0,200}\bup\b|\bdiesel (?:setup|(?:migration|database) \w)/;

const MIGRATING_FILES = /\.(?:go|rs|sh)$|(?:^|\/)Dockerfile[^/]*$/;

/**
 * Services of a compose file; its only SQL database gets the migrations of a folder, unless a program runs them. Commands in the compose file do not
 * run for plain processes.
 */
export function withMigrations(
  all: readonly ComposeService[],
  files: readonly RepositoryFile[],
): readonly ComposeService[] {
  const paths = files.map(({ path }) => path).filter((path) => /[./]up\.sql$/.test(path));
  const [store, ...others] = all.filter((one) => needOf(one).some(({ port }) => port === 5432 || port === 3306));
  const isFilled = Object.keys(store?.files ?? {}).some((target) => isBelow(`${target}/`, SCRIPTS));
  // Each Diesel migration has its own folder.
  const folders = new Set(paths.map((path) => folderOf(path.replace(/\/up\.sql$/, ''))));
  const isRun = files.some(({ path, text }) => MIGRATING_FILES.test(path) && MIGRATES.test(text));
  const isCut = paths.length >= MAX_MIGRATIONS;
  if (store === undefined || others.length > 0 || isFilled || isRun || isCut || folders.size !== 1) {
    return all;
  }
  // Images run scripts in order of their names, so numbers are padded with zeros.
  const scripts = Object.fromEntries(
    paths
      .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
      .map((path, index) => [`${SCRIPTS}/${String(index + 1).padStart(4, '0')}_${baseName(path)}`, path]),
  );
  const isRunByCommand = all.some(({ build, command = [] }) => build !== undefined && MIGRATES.test(command.join(' ')));
  const [listed, why] = isRunByCommand
    ? [{ plainFiles: scripts }, 'the script of its `process` has the current ones: add each new one']
    : [{ files: { ...store.files, ...scripts } }, '`files` has the current ones: add each new one'];
  const leftOut = [...store.leftOut, { name: `later migrations of ${store.name}`, why }];
  return all.map((one) => (one === store ? { ...store, ...listed, leftOut } : one));
}

/** Service with variables that its program reads from a file, whose example names the programs of the compose file. */
export function withOwnSettings(source: Source, files: readonly RepositoryFile[]): Source {
  const { folder, compose } = source;
  const example = exampleFile({ folder, files });
  const reads = files.some(({ path, text }) => isBelow(path, folder) && /dotenv\b/.test(text));
  if (compose === undefined || compose.settingsFrom.length > 0 || example === undefined || !reads) {
    return source;
  }
  const environment = { ...settingsIn(example), ...compose.environment };
  return { ...source, compose: { ...compose, environment, settingsFrom: [example.path] } };
}

function withoutSource<Named extends Reachable>({ source: _, family: __, ...rest }: Named) {
  return rest;
}

function environmentOf(service: ComposeService | undefined, named: readonly Reachable[]): Environment {
  const own = Object.entries(service?.environment ?? {}).filter(([key]) => key !== 'PORT' && key !== 'HOST');
  return Object.fromEntries(own.map(([key, value]) => [key, leadingTo(named, key, value)]));
}

/** Names of all direct and indirect dependencies of a service. */
function reachedFrom(service: ComposeService | undefined, all: readonly ComposeService[]): ReadonlySet<string> {
  const reached = new Set(nextFrom(service, all));
  // The set grows during the iteration.
  for (const name of reached) {
    const next = all.find((one) => one.name === name);
    for (const further of nextFrom(next, all)) {
      reached.add(further);
    }
  }
  return reached;
}

/** Names in `depends_on`, and of stores that only the environment names. */
function nextFrom(service: ComposeService | undefined, all: readonly ComposeService[]): readonly string[] {
  const { dependsOn = [], environment = {} } = service ?? {};
  const values = Object.values(environment);
  const named = all.filter((other) => isStore(other) && values.some((value) => addressOf(other).test(value)));
  return dependsOn.length === 0 ? [] : [...dependsOn, ...named.map(({ name }) => name)];
}

/** Matches only the host of an address: a path, such as the name of a database, may be the same word. */
function addressOf({ hosts }: ComposeService): RegExp {
  return new RegExp(`(^|//|@|,|\\btcp\\()${oneOf(hosts)}(:\\d+)?(?=$|[/?,;)])`, 'g');
}

function oneOf(texts: readonly string[]): string {
  return `(?:${texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`;
}

/** True if a service is a known database, cache or broker. */
export function isStore(service: ComposeService): boolean {
  return needOf(service).length > 0;
}

/** Bitnami containers use other folders and users, so their programs start only as plain processes. */
const BITNAMI = /(?:^|\/)bitnami(?:legacy)?\//;

/** Proposal in which needs start in containers where their program is not installed. */
export function withInstalled(proposal: Proposal, isInstalled: (program: string) => boolean): Proposal {
  const isMissing = ({ image, process }: ProposedNeed): boolean => {
    const { path, known } = knownImage(image);
    const { plain, programs = [String(plain).split(' ')[0] ?? ''] } = known ?? {};
    return process !== undefined && !BITNAMI.test(path) && !programs.some(isInstalled);
  };
  const needs = proposal.needs.map((need) => (isMissing(need) ? { ...need, process: undefined } : need));
  return proposal.needs.some(isMissing) ? { ...proposal, needs } : proposal;
}

function needOf({
  name,
  image = '',
  environment,
  command,
  files,
  plainFiles,
}: ComposeService): readonly ProposedNeed[] {
  const { path, known } = knownImage(image);
  const host = hostNameFrom(name);
  const isOther = BITNAMI.test(path) && known?.plain === undefined;
  if (
    known === undefined ||
    isOther ||
    host === undefined ||
    !/^[a-z0-9][\w.:/-]{0,254}(@sha256:[0-9a-f]{64})?$/.test(image)
  ) {
    return [];
  }
  const { port, user, alpineUser = user, tmpfs = [], ready, settings = {}, password, plain, command: usual } = known;
  const folders = typeof tmpfs === 'function' ? tmpfs(image) : tmpfs;
  const hasPassword = Object.keys(environment).some((key) => password?.test(key));
  const script = typeof plain === 'function' ? plain({ ...files, ...plainFiles }) : plain && `exec ${plain}`;
  return [
    {
      name: host,
      image,
      port,
      user: image.includes('alpine') ? alpineUser : user,
      tmpfs: folders,
      ready: hasPassword && ready !== undefined && 'path' in ready ? undefined : ready,
      command: command ?? usual,
      files: Object.fromEntries(
        Object.entries(files).filter(([target]) => !folders.some((one) => isBelow(`${target}/`, one))),
      ),
      environment: hasPassword ? environment : { ...environment, ...settings, ...environment },
      process: script === undefined ? undefined : { command: ['sh', '-c', script] },
    },
  ];
}

type Reachable = (ProposedNeed & { readonly source: ComposeService; readonly family: 'needs' }) | ReachableMember;

interface ReachableMember extends Omit<ProposedMember, 'environment' | 'dependsOn' | 'process'> {
  readonly source: ComposeService;
  readonly family: 'members';
}

/**
 * Environment for a program on the same machine as its databases, with the addresses of its needs: `localhost:5432` in an address, the `DB_HOST` that
 * goes with a `DB_PORT`.
 */
export function leadingFromHere(environment: Environment, needs: readonly ProposedNeed[]): Environment {
  const ofPort = (port: string | undefined): ProposedNeed | undefined => {
    const [only, ...others] = needs.filter((need) =>
      [String(need.port), `\${needs.${need.name}.port}`].includes(port ?? ''),
    );
    return others.length === 0 ? only : undefined;
  };
  return Object.fromEntries(
    Object.entries(environment).map(([key, value]) => {
      const prefix = key.replace(/_?(?:HOST(?:NAME)?|SERVER|ADDRESS|PORT)$/i, '');
      const port = environment[`${prefix}_PORT`];
      // Without a port variable, `REDIS_HOST` refers to the need with that name.
      const paired = port === undefined ? needs.find(({ name }) => name === prefix.toLowerCase()) : ofPort(port);
      if (paired !== undefined && prefix !== key && /^(?:localhost|127\.0\.0\.1)$/.test(value)) {
        return [key, `\${needs.${paired.name}.host}`];
      }
      if (paired !== undefined && key === `${prefix}_PORT` && isHere(environment, prefix)) {
        return [key, `\${needs.${paired.name}.port}`];
      }
      const filled = value.replace(/\b(?:localhost|127\.0\.0\.1):(\d{2,5})\b/g, (found, port: string) => {
        const need = ofPort(port);
        return need === undefined ? found : `\${needs.${need.name}.host}:\${needs.${need.name}.port}`;
      });
      return [key, filled];
    }),
  );
}

const STORE_URL =
  /\b(?:postgres(?:ql)?|mysql2?|mariadb|mongodb|redis|amqp|kafka|nats|sqlserver|memcached)(?:\+\w+)?:\/\/(?:[^/@\s]*@)?(?:localhost|127\.0\.0\.1)\b/;

/** Variables that point to databases, caches and brokers on this machine. */
export function storesHere(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    STORE_URL.test(value) || (FOREIGN.test(name) && /^(?:localhost|127\.0\.0\.1)$/.test(value)) ? [name] : [],
  );
}

function isHere(environment: Environment, prefix: string): boolean {
  return ['HOST', 'HOSTNAME', 'SERVER', 'ADDRESS'].some((end) =>
    /^(?:localhost|127\.0\.0\.1|\$\{needs)/.test(environment[`${prefix}_${end}`] ?? ''),
  );
}

/** Value of a variable, with placeholders for the host or port of another program. */
function leadingTo(named: readonly Reachable[], key: string, value: string): string {
  const ofPort = named.filter(({ port }) => String(port) === value);
  const [only] = ofPort;
  if (only !== undefined && ofPort.length === 1 && /PORT$/i.test(key)) {
    return `\${${only.family}.${only.name}.port}`;
  }
  const leading = named.filter(({ source }) => !source.hosts.includes(value) || !NO_HOST.test(key));
  return leading.reduce((text, one) => withHost(text, one), value);
}

/** Variables whose value may equal the name of a program, such as `DB_CONNECTION=mysql`, or of its user, without being a host. */
const NO_HOST =
  /(?:ENGINE|TYPE|DRIVER|DIALECT|CLIENT|KIND|BACKEND|PROVIDER|ADAPTER|CONNECTION|USER|PASS|PASSWORD|(?<!HOST)NAME|DATABASE|SCHEMA|STORE|DB)$/i;

function withHost(value: string, { name, family, source, port }: Reachable): string {
  const [hostText, portText] = [`\${${family}.${name}.host}`, `\${${family}.${name}.port}`];
  // Replaces hosts in settings like `host=db port=5432`, `Server=db,1433;` and `jdbc:…//db`.
  const setting = new RegExp(
    `(\\b(?:host|server|data source|address|addr)=(?:tcp:)?)${oneOf(source.hosts)}(?![\\w.-])(?:([,:])\\d+)?`,
    'gi',
  );
  const filled = value
    .replace(
      addressOf(source),
      (_, before: string, written?: string) =>
        // A URL without a port means the usual one of the image; a plain process listens on another.
        `${before}${hostText}${written === undefined && !(family === 'needs' && /[/@]$/.test(before)) ? '' : `:${portText}`}`,
    )
    .replace(
      setting,
      (_, before: string, sign?: string) => `${before}${hostText}${sign === undefined ? '' : `${sign}${portText}`}`,
    );
  return filled === value ? value : filled.replace(new RegExp(`(\\bport=)${port}(?!\\d)`, 'gi'), `$1${portText}`);
}
