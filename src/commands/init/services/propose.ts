import { nameFrom, withOwnNames } from '../../../config/operations/draft.ts';
import { shellCommand } from '../../../foundation/text.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import { type ComposeService, composeFile, hasNoEntrypoint } from '../read/compose.ts';
import {
  certificateCommands,
  copiesFiles,
  entrySteps,
  exposedPort,
  imageSettings,
  relativeToImage,
  withSteps,
  workingFolder,
} from '../read/dockerfile.ts';
import { manifestIn } from '../read/manifests.ts';
import { exampleFile, hasOwnDatabase, MADE_UP, placeholdersIn, settingsIn } from '../read/own-settings.ts';
import { baseName, depthOf, hostNameFrom, isBelow, type RepositoryFolder, textsBelow } from '../read/places.ts';
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
} from '../read/ports.ts';
import { MIGRATING, migrationStep } from '../read/python-process.ts';
import { plainCommand, type SharedImage, sharedImage } from '../read/shared-image.ts';
import { type Repository, type RepositoryFiles, type Source, sourceFolder, sourcesIn } from '../read/sources.ts';
import { isLogin, loginRoutes } from '../routes/source-operations.ts';
import { shortList } from '../write/project-text.ts';
import { developmentCommand, inProduction, productionSettings, rateLimits } from './development.ts';
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
  Environment,
  LeftOutService,
  Manifest,
  Proposal,
  Proposals,
  ProposedMember,
  ProposedPort,
  ProposedProcess,
} from './proposal.ts';
import { storesNamed } from './store-urls.ts';

/** Services that a repository seems to have, the best known first. Never empty: without any sign, one answers `GET /`, for the user to complete. */
export function proposeServices({ name, files, has, above, ...more }: RepositoryFiles): Proposals {
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

/** Program with what its build files, its Dockerfile and the compose file show. */
interface Program extends Source {
  readonly repository: Repository;
  readonly dockerfile: RepositoryFile | undefined;
  readonly manifest: Manifest | undefined;
  readonly shared: SharedImage;
  /** Services of the compose file. */
  readonly all: readonly ComposeService[];
}

function programOf(source: Source, repository: Repository, all: readonly ComposeService[]): Program {
  const place = { folder: source.folder, files: repository.files };
  return {
    ...source,
    repository,
    dockerfile: place.files.find(({ path }) => path === source.image?.dockerfile),
    manifest: manifestIn(place),
    shared: sharedImage(source.compose, all, place),
    all,
  };
}

/** One proposal, or two if a program serves HTTP and gRPC on separate ports, or GraphQL and routes on one port. */
function proposalsOf(source: Source, repository: Repository, all: readonly ComposeService[]): Proposals {
  const { files } = repository;
  const program = programOf(withOwnSettings(source, files), repository, all);
  const own = { ...repository, files: files.filter(({ path }) => !program.shared.others.includes(path)) };
  const { first, second } = offersOf(source.folder, own, program.manifest);
  const proposal = proposalOf(program, first, second === undefined);
  if (second === undefined) {
    return [proposal];
  }
  const other = proposalOf(program, second, false);
  const isReached =
    proposal.protocol === 'graphql' || other.protocol === 'graphql' || other.port.number !== proposal.port.number;
  const suffix = /^g/.test(other.protocol) ? other.protocol : 'http';
  const named = { ...other, name: `${proposal.name.slice(0, 70)}-${suffix}` };
  const why = `it answers ${other.protocol} as well, at a port that the files do not show: add a service with \`protocol: ${other.protocol}\``;
  return isReached ? [proposal, named] : [{ ...proposal, leftOut: [...proposal.leftOut, { name: named.name, why }] }];
}

/** `isAlone`: the program serves nothing else. */
function proposalOf(program: Program, { lacks, ...offer }: Offer, isAlone: boolean): Proposal {
  const { folder, image, compose, manifest, dockerfile } = program;
  const { name, files } = program.repository;
  const sources = textsBelow({ folder, files });
  const isGrpc = offer.protocol === 'grpc';
  const { needed, members, isPlain } = programsWith(program);
  const grpc = { own: grpcPortIn(sources), only: isAlone ? listenedPortIn(sources) : undefined };
  const fastCgi = ownServer(program, manifest?.process, files);
  const port = fastCgi.port ?? portOf(program, isGrpc ? grpc : undefined);
  const plain = isPlain || image === undefined ? ownProcess(program, port.number) : undefined;
  const process = plain && {
    ...plain,
    build: [...plain.build, ...certificateCommands(dockerfile, folder)],
    command: grpcCommand(plain.command, sources, isGrpc),
  };
  const names = [compose?.name, manifest?.name, baseName(folder) || name];
  const own = names.map(nameFrom).find((one) => one !== undefined) ?? 'api';
  const settings = settingsOf(program, { ...needed, name: own, process });
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

/** Needs and members of a program; `isPlain` is true if all can run as plain processes, which have no images. */
function programsWith(program: Program) {
  const needed = neededFor(program);
  const members = needed.members.map((member) => ({ ...member, ...plainMember(member, needed.needs, program) }));
  const isStarted = members.length === 0 || isStartedAlone(program);
  const isPlain = isStarted && [...needed.needs, ...members].every(({ process }) => process !== undefined);
  return { needed, members, isPlain };
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
function ownProcess({ folder, compose, manifest, shared }: Program, port: number): ProposedProcess | undefined {
  const process = manifest?.process;
  if (process === undefined || shared.own === undefined || compose?.command === undefined) {
    return process;
  }
  const command = plainCommand(compose.command, { port, folder, like: process.command });
  return command && { ...process, command };
}

/** True if a program has its own command; otherwise the manifest may start another service of the same source. */
function isStartedAlone({ shared: { isShared, own }, compose }: Program): boolean {
  return !isShared || (own !== undefined && compose?.command !== undefined);
}

/**
 * Start command and environment of a member without a container. Empty if it needs one: if its source starts several programs and its command names
 * no file, or if the port may be that of HTTP or of gRPC.
 */
function plainMember(
  { name, image, port, environment }: ProposedMember,
  needs: Proposal['needs'],
  { repository, all }: Program,
): Partial<Pick<ProposedMember, 'process' | 'environment'>> {
  const { files } = repository;
  const compose = all.find((one) => hostNameFrom(one.name) === name);
  const program = programOf({ folder: sourceFolder(image, files), image, compose }, repository, all);
  if (compose === undefined || isFastCgi(compose, files) || !isStartedAlone(program)) {
    return {};
  }
  const own = ownProcess(program, port);
  const command = own && memberCommand(program, own.command);
  if (own === undefined || own.port !== undefined || command === undefined) {
    return {};
  }
  const process = { ...own, command };
  const settings = settingsOf(program, { name, environment, needs, process, madeUp: [] });
  return { process: atPort(process, settings.environment), environment: settings.environment };
}

/** Command with the variable of its gRPC port; undefined if it also serves HTTP on another port. */
function memberCommand(
  { folder, manifest, shared, repository }: Program,
  command: readonly string[],
): readonly string[] | undefined {
  const files = repository.files.filter(({ path }) => !shared.others.includes(path));
  const called = grpcCommand(command, textsBelow({ folder, files }));
  if (called === command) {
    return command;
  }
  const { first, second } = offersOf(folder, { ...repository, files }, manifest);
  const alone = first.protocol === 'grpc' ? called : command;
  return second === undefined ? alone : undefined;
}

function atPort(process: ProposedProcess, environment: Environment): ProposedProcess {
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
function neededFor({ folder, compose, manifest, repository, all }: Program): Needed {
  const { files } = repository;
  const around = compose === undefined && hasOwnDatabase({ folder, files }) ? [] : all;
  const own = compose?.environment ?? { ...settingsIn(exampleFile({ folder, files })), ...manifest?.environment };
  const [named, ...stores] = around.some(isStore) ? [] : storesNamed(own);
  const service = named && { ...named, ...compose, environment: { ...compose?.environment, ...named.environment } };
  return neededBy(service ?? compose, [...around, ...stores], (one) => {
    const source = sourceFolder(one.build ?? { context: '.', dockerfile: '' }, files);
    return portOf(programOf({ folder: source, image: one.build, compose: one }, repository, all)).number;
  });
}

/** Environment of a program: that of the compose file, else of an example file and its framework; for a plain process also that of its image. */
function settingsOf(
  { folder, image, compose, manifest, dockerfile, repository: { files } }: Program,
  {
    name: own,
    environment,
    needs,
    process,
    madeUp,
  }: Pick<Proposal, 'name' | 'environment' | 'needs' | 'process' | 'madeUp'>,
): Pick<Proposal, 'environment' | 'settingsFrom' | 'madeUp' | 'leftOut'> {
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

/** `grpc`, for gRPC services only: the port that the sources name for gRPC, and the only port that they name. */
function portOf(
  { compose, manifest, dockerfile }: Program,
  grpc?: { readonly own: number | undefined; readonly only: number | undefined },
): ProposedPort {
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
