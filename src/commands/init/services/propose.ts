import { nameFrom, withOwnNames } from '../../../config/operations/draft.ts';
import { shellCommand } from '../../../foundation/text.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import { type ComposeService, composeFile, hasNoEntrypoint } from '../read/compose.ts';
import {
  certificateCommands,
  copiesFiles,
  exposedPort,
  imageSettings,
  relativeToImage,
  workingFolder,
} from '../read/dockerfile.ts';
import { entrySteps, withSteps } from '../read/entry-script.ts';
import { manifestIn } from '../read/manifests.ts';
import { exampleFile, hasOwnDatabase, MADE_UP, placeholdersIn, settingsIn } from '../read/own-settings.ts';
import { baseName, depthOf, hostNameFrom, isBelow, type RepositoryFolder } from '../read/places.ts';
import {
  commandAtPort,
  grpcCommand,
  grpcPortIn,
  grpcPortOf,
  listenedPortIn,
  ownPortIn,
  portIn,
  portInCommand,
  shellLine,
} from '../read/port-variable.ts';
import { MIGRATING, migrationStep } from '../read/python-process.ts';
import { rateLimits } from '../read/rate-limits.ts';
import { plainCommand, type SharedImage, sharedImage } from '../read/shared-image.ts';
import { type Repository, type RepositoryFiles, type Source, sourceFolder, sourcesIn } from '../read/sources.ts';
import { isLogin, loginRoutes } from '../routes/source-operations.ts';
import { shortList } from '../write/project-text.ts';
import { developmentCommand, inProduction, productionSettings } from './development.ts';
import {
  asStore,
  builtHere,
  isStore,
  leadingFromHere,
  type Needed,
  neededBy,
  storesHere,
  withMigrations,
  withOwnSettings,
} from './needs.ts';
import { type Offer, offersOf } from './offers.ts';
import { isFastCgi, ownServer, withFastCgi, writtenIn } from './php-fpm.ts';
import type {
  LeftOutService,
  Manifest,
  Proposal,
  ProposedImage,
  ProposedMember,
  ProposedPort,
  ProposedProcess,
} from './proposal.ts';
import { storesNamed } from './store-urls.ts';

/** Services that a repository seems to have, the best known first. Never empty: without any sign, one answers `GET /`, for the user to complete. */
export function proposeServices({
  name,
  files,
  has,
  above,
  ...more
}: RepositoryFiles): readonly [Proposal, ...Proposal[]] {
  const usable = files.filter(({ path }) => !UNUSABLE.test(path));
  const { services, others } = composeFile(
    usable,
    has ?? ((path) => files.some((file) => isBelow(file.path, path) || file.path === path)),
  );
  const built = services.map((one) => builtHere(one, usable, name));
  const stores = built.map((one) => asStore(one, usable));
  const compose = withFastCgi(withMigrations(stores, usable), usable).map((one) => inProduction(one, usable));
  const sources = sourcesIn(usable, compose, new Set(built.map(({ build }) => build?.dockerfile)));
  const repository = { name, files: usable, above, ...more, folders: sources.map(({ folder }) => folder) };
  const ordered = sources.flatMap((source) =>
    proposalsOf(source, repository, compose).map((proposal) => ({
      proposal,
      merit: dependsOnOthers(source, compose) || isTool(source, sources, usable) ? 0 : merit(proposal),
    })),
  );
  const named = withOwnNames(ordered.toSorted((a, b) => b.merit - a.merit).map((one) => one.proposal));
  const [first = proposalsOf({ folder: '' }, repository, compose)[0], ...rest] = named;
  const unread = others.map((path) => ({ name: path, why: 'init reads only one compose file and its overrides' }));
  return [{ ...first, leftOut: [...first.leftOut, ...unread] }, ...rest];
}

/** Paths that a configuration cannot contain unchanged. */
const UNUSABLE = /\p{Cc}|\$\{|,|^\/|(?:^|\/)\.\.\//u;

/** One proposal, or two if a program serves HTTP and gRPC on separate ports, or GraphQL and routes on one port. */
function proposalsOf(
  source: Source,
  repository: Repository,
  all: readonly ComposeService[],
): readonly [Proposal, ...Proposal[]] {
  const { folder } = source;
  const manifest = manifestIn({ folder, files: repository.files });
  const shared = sharedImage(source.compose, all, { folder, files: repository.files });
  const own = { ...repository, files: repository.files.filter(({ path }) => !shared.others.includes(path)) };
  const { first, second } = offersOf(folder, own, manifest);
  const offered = { repository, manifest, shared, isAlone: second === undefined };
  const proposal = proposalOf(source, { ...offered, offer: first }, all);
  if (second === undefined) {
    return [proposal];
  }
  const other = proposalOf(source, { ...offered, offer: second }, all);
  const isReached =
    proposal.protocol === 'graphql' || other.protocol === 'graphql' || other.port.number !== proposal.port.number;
  const suffix = /^g/.test(other.protocol) ? other.protocol : 'http';
  const named = { ...other, name: `${proposal.name.slice(0, 70)}-${suffix}` };
  const why = `it answers ${other.protocol} as well, at a port that the files do not show: add a service with \`protocol: ${other.protocol}\``;
  return isReached ? [proposal, named] : [{ ...proposal, leftOut: [...proposal.leftOut, { name: named.name, why }] }];
}

interface Offered {
  readonly repository: Repository;
  readonly manifest: Manifest | undefined;
  readonly shared: SharedImage;
  /** True if the program serves nothing else. */
  readonly isAlone: boolean;
  readonly offer: Offer;
}

function proposalOf(
  from: Source,
  { repository, manifest, shared, isAlone, offer: { lacks, ...offer } }: Offered,
  all: readonly ComposeService[],
): Proposal {
  const { name, files } = repository;
  const source = withOwnSettings(from, files);
  const { folder, image, compose } = source;
  const sources = files.filter(({ path }) => isBelow(path, folder)).map(({ text }) => text);
  const isGrpc = offer.protocol === 'grpc';
  const { needed, members, isPlain } = programsOf(source, shared, repository, all);
  const grpc = { own: grpcPortIn(sources), only: isAlone ? listenedPortIn(sources) : undefined };
  const fastCgi = ownServer(source, manifest?.process, files);
  const port = fastCgi.port ?? portOf({ image, compose, manifest, files, grpc: isGrpc ? grpc : undefined });
  const plain = isPlain || image === undefined ? ownProcess(manifest?.process, { source, shared, port }) : undefined;
  const dockerfile = files.find(({ path }) => path === image?.dockerfile);
  const process = plain && {
    ...plain,
    build: [...plain.build, ...certificateCommands(dockerfile, folder)],
    command: grpcCommand(plain.command, sources, isGrpc),
  };
  const names = [compose?.name, manifest?.name, baseName(folder) || name];
  const own = names.map(nameFrom).find((one) => one !== undefined) ?? 'api';
  const settings = settingsOf({ ...needed, name: own, source, files, process, manifest });
  const { steps, leftOut } = process === undefined ? { steps: [], leftOut: [] } : entrySteps(dockerfile, files);
  return {
    name: own,
    folder,
    port,
    image,
    process:
      process &&
      withSteps(
        process.port === undefined ? atPort(process, settings.environment) : process,
        withMigration(steps, manifest?.migration, process),
      ),
    command: fastCgi.command ?? migrated(compose, { folder, files }),
    user: compose?.user,
    files: compose?.files ?? {},
    tmpfs: writtenIn(workingFolder(dockerfile), manifest, compose),
    hasWebSocket: manifest?.hasWebSocket === true,
    logins: offer.protocol === 'rest' ? loginsOf({ folder, files }, offer.further) : [],
    ...needed,
    members: process === undefined ? needed.members : members,
    ...settings,
    ...offer,
    headers: { ...offer.headers, ...manifest?.headers },
    leftOut: [
      ...needed.leftOut,
      ...settings.leftOut,
      ...lackingImports(lacks, files),
      ...leftOut,
      ...fastCgi.leftOut,
      ...rateLimits(own, { folder, files }, settings.environment),
    ],
  };
}

/** Needs and members of a service; `isPlain` is true if all can be plain processes. */
function programsOf(source: Source, shared: SharedImage, repository: Repository, all: readonly ComposeService[]) {
  const needed = neededFor(source, repository.files, all);
  const members = needed.members.map((member) => ({
    ...member,
    ...plainMember(member, needed.needs, repository, all),
  }));
  return { needed, members, isPlain: arePlain({ needs: needed.needs, members }, shared, source.compose) };
}

/** Steps after the migration, unless the command or a step already creates the tables. */
function withMigration(
  steps: readonly string[],
  migration: string | undefined,
  { command }: ProposedProcess,
): readonly string[] {
  const isMigrated = [shellLine(command), ...steps].some((line) => MIGRATING.test(line));
  return migration === undefined || isMigrated ? steps : [migration, ...steps];
}

/** Command of a container, preceded by migrations if it has none; unchanged if it is the arguments of an entrypoint. */
function migrated(compose: ComposeService | undefined, place: RepositoryFolder): Proposal['command'] {
  const before = migrationStep(place);
  const line = compose?.command && shellCommand(compose.command);
  const isKept = before === undefined || line === undefined || MIGRATING.test(line);
  return isKept || !hasNoEntrypoint(compose?.build, place)
    ? compose?.command
    : ['sh', '-c', `${before} && exec ${line}`];
}

/** Process of a service; one that shares its source gets its own command, if that names a file. */
function ownProcess(
  process: ProposedProcess | undefined,
  { source: { folder, compose }, shared, port }: Pick<Offered, 'shared'> & Pick<Proposal, 'port'> & { source: Source },
): ProposedProcess | undefined {
  if (process === undefined || shared.own === undefined || compose?.command === undefined) {
    return process;
  }
  const command = plainCommand(compose.command, { port: port.number, folder, like: process.command });
  return command && { ...process, command };
}

/** True if all programs of a service can run as plain processes, which have no images. */
function arePlain(
  { needs, members }: Pick<Proposal, 'needs' | 'members'>,
  shared: SharedImage,
  compose: ComposeService | undefined,
): boolean {
  const isStarted = members.length === 0 || isStartedAlone(shared, compose);
  return isStarted && [...needs, ...members].every(({ process }) => process !== undefined);
}

/** True if a program has its own command; otherwise the manifest may start another service of the same source. */
function isStartedAlone({ isShared, own }: SharedImage, compose: ComposeService | undefined): boolean {
  return !isShared || (own !== undefined && compose?.command !== undefined);
}

/**
 * Start command and environment of a member without a container. Empty if it needs one: if its source starts several programs and its command names
 * no file, or if the port may be that of HTTP or of gRPC.
 */
function plainMember(
  { name, image, port, environment }: ProposedMember,
  needs: Proposal['needs'],
  repository: Repository,
  all: readonly ComposeService[],
): Partial<Pick<ProposedMember, 'process' | 'environment'>> {
  const { files } = repository;
  const compose = all.find((one) => hostNameFrom(one.name) === name);
  const folder = sourceFolder(image, files);
  const shared = sharedImage(compose, all, { folder, files });
  if (compose === undefined || isFastCgi(compose, files) || !isStartedAlone(shared, compose)) {
    return {};
  }
  const source = { folder, image, compose };
  const manifest = manifestIn({ folder, files });
  const own = ownProcess(manifest?.process, { source, shared, port: { number: port, from: 'compose' } });
  const offering = { ...repository, files: files.filter(({ path }) => !shared.others.includes(path)) };
  const command = own && memberCommand(own.command, folder, offering, manifest);
  if (own === undefined || own.port !== undefined || command === undefined) {
    return {};
  }
  const process = { ...own, command };
  const given = { name, source, files, environment, needs, process, manifest, madeUp: [] };
  const { environment: settings } = settingsOf(given);
  return { process: atPort(process, settings), environment: settings };
}

/** Command with the variable of its gRPC port; undefined if it also serves HTTP on another port. */
function memberCommand(
  command: readonly string[],
  folder: string,
  repository: Repository,
  manifest: Manifest | undefined,
): readonly string[] | undefined {
  const own = repository.files.filter(({ path }) => isBelow(path, folder)).map(({ text }) => text);
  const called = grpcCommand(command, own);
  if (called === command) {
    return command;
  }
  const { first, second } = offersOf(folder, repository, manifest);
  const alone = first.protocol === 'grpc' ? called : command;
  return second === undefined ? alone : undefined;
}

function atPort(process: ProposedProcess, environment: Proposal['environment']): ProposedProcess {
  return { ...process, command: commandAtPort(process.command, environment) };
}

/** Login requests of the document, else of the sources. */
function loginsOf(place: RepositoryFolder, further: readonly string[]): readonly string[] {
  const described = further.filter(isLogin);
  return described.length > 0 ? described : loginRoutes(place);
}

/** Missing imports of a contract, which have to be fetched before it compiles. */
function lackingImports(lacks: readonly string[], files: readonly RepositoryFile[]): readonly LeftOutService[] {
  const isOfBuf = files.some(({ path }) => /(?:^|\/)buf\.yaml$/.test(path));
  const why = isOfBuf
    ? 'they are dependencies in buf.yaml: `buf export . --output proto-all` writes all of them into a folder; use that as `proto.root`'
    : 'the repository does not have them: add the folder that has them to `proto.root`';
  return leftTogether(lacks, (list) => ({ name: `imports ${list}`, why }));
}

/** Needs of a service. A compose file that does not name it provides no databases if the service has its own. */
function neededFor(source: Source, files: readonly RepositoryFile[], all: readonly ComposeService[]): Needed {
  const { folder, compose } = source;
  const around = compose === undefined && hasOwnDatabase({ folder, files }) ? [] : all;
  const example = exampleFile({ folder, files });
  const own = compose?.environment ?? { ...settingsIn(example), ...manifestIn({ folder, files })?.environment };
  const [named, ...stores] = around.some(isStore) ? [] : storesNamed(own);
  const service = named && { ...named, ...compose, environment: { ...compose?.environment, ...named.environment } };
  return neededBy(service ?? compose, [...around, ...stores], (one) => {
    const program = {
      folder: sourceFolder(one.build ?? { context: '.', dockerfile: '', target: undefined }, files),
      files,
    };
    return portOf({ image: one.build, compose: one, manifest: manifestIn(program), files, grpc: undefined }).number;
  });
}

/** Environment of a program: that of the compose file, else of an example file and its framework; for a plain process also that of its image. */
function settingsOf({
  name: own,
  source,
  files,
  environment,
  needs,
  process,
  madeUp,
  manifest,
}: Pick<Proposal, 'name' | 'environment' | 'needs' | 'process' | 'madeUp'> & {
  readonly source: Source;
  readonly files: readonly RepositoryFile[];
  readonly manifest: Manifest | undefined;
}): Pick<Proposal, 'environment' | 'settingsFrom' | 'madeUp' | 'leftOut'> {
  const { folder, image, compose } = source;
  const dockerfile = files.find(({ path }) => path === image?.dockerfile);
  const example = compose === undefined ? exampleFile({ folder, files }) : undefined;
  const usual = (compose === undefined && manifest?.environment) || {};
  const { secrets, others } = placeholdersIn(example);
  const found = [
    { path: dockerfile?.path, settings: process === undefined ? {} : imageSettings(dockerfile) },
    { path: example?.path, settings: settingsIn(example) },
    { path: undefined, settings: usual },
  ].filter(({ settings }) => Object.keys(settings).length > 0);
  const written = process === undefined ? environment : relativeToImage(environment, dockerfile);
  const production = productionSettings(
    own,
    Object.assign({}, ...found.map(({ settings }) => settings), written),
    imageSettings(dockerfile, image?.target),
  );
  const merged = production.environment;
  const line = process?.command[0] === 'sh' ? shellLine(process.command) : undefined;
  const named = line !== undefined && /\bjava\b/.test(line) ? withoutDots : (name: string) => name;
  const all = leadingFromHere(
    Object.fromEntries(Object.entries(merged).map(([name, value]) => [named(name), value])),
    needs,
  );
  const invented = Object.keys(manifest?.environment ?? {}).filter((name) => all[name]?.startsWith(MADE_UP));
  const dotted = line === undefined ? [] : Object.keys(all).filter((name) => name.includes('.'));
  return {
    environment: all,
    settingsFrom: [...found.flatMap(({ path }) => path ?? []), ...(compose?.settingsFrom ?? [])],
    madeUp: [...new Set([...madeUp, ...secrets, ...invented])].map(named),
    leftOut: [
      ...(compose === undefined ? [...production.leftOut, ...developmentCommand(own, image, { folder, files })] : []),
      ...leftTogether(others, (list) => ({
        name: `${list} of ${example?.path}`,
        why: 'placeholders: if the service needs them, add values to `environment`',
      })),
      ...leftTogether(dotted, (list) => ({
        name: `variable ${list} of the process`,
        why: 'a shell does not pass names with dots: they reach it in a container only',
      })),
      ...leftTogether(storesHere(all), (name) => ({
        name,
        why: 'leads to this machine: start what listens there, or add it to `needs`',
      })),
    ],
  };
}

/** Variable name for a shell, which Spring and MicroProfile also read: SPRING_DATASOURCE_URL for `spring.datasource.url`. */
function withoutDots(name: string): string {
  return name.includes('.') ? name.replaceAll('.', '_').toUpperCase() : name;
}

/** One entry for several names; none for an empty list. */
function leftTogether(names: readonly string[], line: (list: string) => LeftOutService): readonly LeftOutService[] {
  return names.length === 0 ? [] : [line(shortList(names))];
}

function portOf({
  image,
  compose,
  manifest,
  files,
  grpc,
}: {
  readonly image: ProposedImage | undefined;
  readonly compose: ComposeService | undefined;
  readonly manifest: Manifest | undefined;
  readonly files: readonly RepositoryFile[];
  /** gRPC services only: the port that the sources name for gRPC, and the only port that they name. */
  readonly grpc: { readonly own: number | undefined; readonly only: number | undefined } | undefined;
}): ProposedPort {
  const dockerfile = files.find(({ path }) => path === image?.dockerfile);
  const environment = compose?.environment ?? {};
  const [ofCompose = portIn(environment) ?? portInCommand(compose?.command)] = compose?.ports ?? [];
  const known: readonly (readonly [number | undefined, ProposedPort['from']])[] = [
    [grpc && grpcPortOf(environment), 'compose'],
    [grpc?.own, 'sources'],
    [ofCompose, 'compose'],
    [dockerfile && exposedPort(dockerfile.text), 'dockerfile'],
    [grpc?.only ?? manifest?.process?.port ?? (grpc === undefined ? manifest?.settingsPort : undefined), 'sources'],
    [ownPortIn(environment)?.port, 'compose'],
    [grpc === undefined ? (manifest?.httpPort ?? 8080) : 50_051, 'guess'],
  ];
  const [[number = 0, from] = [0, 'guess' as const]] = known.filter(([one]) => one !== undefined);
  return { number, from };
}

/** True if a compose service has no port but depends on one that has: a job that fills or queries it. */
function dependsOnOthers({ compose }: Source, all: readonly ComposeService[]): boolean {
  const others = all.filter(({ name, build }) => build !== undefined && compose?.dependsOn.includes(name) === true);
  return compose?.ports.length === 0 && others.some(({ ports }) => ports.length > 0);
}

/** True if a Dockerfile copies nothing, unlike the one of a service in that folder: a development mail server, for example. */
function isTool(source: Source, all: readonly Source[], files: readonly RepositoryFile[]): boolean {
  const copies = ({ image }: Source): boolean =>
    copiesFiles(files.find(({ path }) => path === image?.dockerfile)?.text ?? '');
  const isBare = source.image !== undefined && source.compose?.sources === undefined && !copies(source);
  return isBare && all.some((one) => one.folder === source.folder && copies(one));
}

/** Rank of a proposal: a system ranks above its members. One without operations in its sources ranks below services with some, since it may only test or display them. */
function merit({ port, image, operations, folder, process, members }: Proposal): number {
  const known = [port.from !== 'guess', image !== undefined, operations.length > 0, process !== undefined];
  return members.length * (operations.length > 0 ? 1000 : 10) + known.filter(Boolean).length * 100 - depthOf(folder);
}
