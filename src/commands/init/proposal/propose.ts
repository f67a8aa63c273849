import { nameFrom, withOwnNames } from '../../../config/operations/draft.ts';
import { textIn } from '../../../config/yaml/lines.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import { entrySteps, withSteps } from '../programs/entry-script.ts';
import { grpcServer } from '../programs/grpc-server.ts';
import { isManifest, type Manifest, manifestIn } from '../programs/manifests.ts';
import {
  commandAtPort,
  grpcCommand,
  grpcPortIn,
  listenedPortIn,
  portIn,
  portInCommand,
} from '../programs/port-variable.ts';
import { rateLimits } from '../programs/rate-limits.ts';
import { plainCommand, type SharedImage, sharedImage } from '../programs/shared-image.ts';
import {
  isHealthPath,
  isLogin,
  loginRoutes,
  type SourceOperations,
  sourceOperations,
} from '../routes/source-operations.ts';
import { type ComposeService, composeFile, type HasPath } from './compose.ts';
import {
  contractIn,
  type FoundContract,
  HEALTH,
  type MoreOperations,
  mayBeOpenApi,
  openApiOperations,
  type ServedContract,
} from './contracts.ts';
import { certificateCommands, exposedPort, imageSettings, relativeToImage } from './dockerfile.ts';
import { graphqlOperations, TYPENAME, writtenOperations } from './graphql-schema.ts';
import { leadingFromHere, type Needed, neededBy, withOwnSettings } from './needs.ts';
import { exampleFile, hasOwnDatabase, placeholdersIn, settingsIn } from './own-settings.ts';
import {
  baseName,
  byDepth,
  depthOf,
  folderOf,
  isBelow,
  nearest,
  pathBelow,
  type RepositoryFolder,
  sharedDepth,
} from './places.ts';
import { shortList } from './project-text.ts';
import type { LeftOutService, Proposal, ProposedImage, ProposedPort, ProposedProcess } from './proposal.ts';

/** Files of a repository, and what the repository itself is called. */
export interface RepositoryFiles extends MoreOperations {
  readonly name: string;
  readonly files: readonly RepositoryFile[];
  /** Whether it has something at a path; undefined: only what is among the files. */
  readonly has?: HasPath;
  /** Contracts in folders above, by their paths from the folder of `files`: `../../api/orders.proto`. */
  readonly above?: readonly RepositoryFile[] | undefined;
}

/**
 * The services that a repository seems to have, the one that most is known of first; never none: if nothing tells, there is one that
 * answers `GET /`, for its owner to complete.
 */
export function proposeServices({
  name,
  files,
  has,
  above,
  ...more
}: RepositoryFiles): readonly [Proposal, ...Proposal[]] {
  const usable = files.filter(({ path }) => !UNUSABLE.test(path));
  const { services: compose, others } = composeFile(
    usable,
    has ?? ((path) => files.some((file) => isBelow(file.path, path) || file.path === path)),
  );
  const sources = sourcesIn(usable, compose);
  const repository = { name, files: usable, above, ...more, folders: sources.map(({ folder }) => folder) };
  const ordered = sources.flatMap((source) =>
    proposalsOf(source, repository, compose).map((proposal) => ({
      proposal,
      merit: dependsOnOthers(source, compose) ? 0 : merit(proposal),
    })),
  );
  const named = withOwnNames(ordered.toSorted((a, b) => b.merit - a.merit).map((one) => one.proposal));
  const [first = proposalsOf({ folder: '' }, repository, compose)[0], ...rest] = named;
  const unread = others.map((path) => ({ name: path, why: 'init reads one compose file, and what overrides it' }));
  return [{ ...first, leftOut: [...first.leftOut, ...unread] }, ...rest];
}

/** A repository, and the folders that its services seem to have. */
interface Repository extends RepositoryFiles {
  readonly folders: readonly string[];
}

/** Paths that a configuration could not have as they are. */
const UNUSABLE = /\p{Cc}|\$\{|,|^\/|(?:^|\/)\.\.\//u;

/** Something that a service is made of. */
interface Source {
  readonly folder: string;
  readonly image?: ProposedImage;
  readonly compose?: ComposeService;
}

/** What the compose file builds, then other Dockerfiles, then other folders with a program. */
function sourcesIn(files: readonly RepositoryFile[], compose: readonly ComposeService[]): readonly Source[] {
  const byCompose = compose.flatMap((service): readonly Source[] =>
    service.build === undefined
      ? []
      : [{ folder: sourceFolder(service.build, files), image: service.build, compose: service }],
  );
  const taken = new Set(byCompose.map(({ image }) => image?.dockerfile));
  const byDockerfile = nearest(files, '')
    .filter(({ path }) => baseName(path) === 'Dockerfile' && !taken.has(path))
    .map(({ path }): Source => {
      const folder = contextOf(path, files);
      return { folder, image: { context: folder || '.', dockerfile: path, target: undefined } };
    });
  const folders = new Set([...byCompose, ...byDockerfile].map(({ folder }) => folder));
  const plain = nearest(files, '')
    .filter(({ path }) => isManifest(path) && !folders.has(folderOf(path)))
    .map(({ path }) => folderOf(path));
  const sorted = [...new Set(plain)].toSorted((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1));
  const started = sorted.filter((folder) => manifestIn({ folder, files })?.process !== undefined);
  return [...byCompose, ...byDockerfile, ...started.map((folder) => ({ folder }))];
}

/** Folder that a Dockerfile is built in: its own, or the one above if it is kept aside, such as `build/docker/Dockerfile`, and the program is there. */
function contextOf(path: string, files: readonly RepositoryFile[]): string {
  const folder = folderOf(path);
  const hasProgram = (at: string) => files.some((file) => folderOf(file.path) === at && isManifest(file.path));
  let at = folder;
  while (!hasProgram(at) && /^(?:\.?docker|containers?|build|deploy(?:ments?)?|package)$/.test(baseName(at))) {
    at = folderOf(at);
  }
  return hasProgram(at) ? at : folder;
}

/** The build may see the whole repository, while the program is next to its Dockerfile, or in the folder that its manifest is copied from. */
function sourceFolder({ context, dockerfile }: ProposedImage, files: readonly RepositoryFile[]): string {
  const manifests = files.map(({ path }) => path).filter(isManifest);
  const hasManifest = (folder: string): boolean => manifests.some((path) => folderOf(path) === folder);
  const own = folderOf(dockerfile);
  const around = context === '.' ? '' : context;
  const text = files.find(({ path }) => path === dockerfile)?.text ?? '';
  const copied = (text.match(/^[\t ]*COPY[\t ].*$/gim) ?? [])
    .flatMap((line) => line.split(/\s+/).slice(1, -1))
    .flatMap((word) => pathBelow(around, word) ?? [])
    .filter((path) => manifests.includes(path));
  const folders = [own, around, ...new Set(copied.map(folderOf))];
  return folders.find(hasManifest) ?? around;
}

/** One, or two of a program that answers over HTTP and, at another port, over gRPC. */
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
  const isReached = other.port.number !== proposal.port.number;
  const named = { ...other, name: `${proposal.name.slice(0, 70)}-${other.protocol === 'grpc' ? 'grpc' : 'http'}` };
  const why = `it answers ${other.protocol} as well, at a port that the files do not show: add a service with \`protocol: ${other.protocol}\``;
  return isReached ? [proposal, named] : [{ ...proposal, leftOut: [...proposal.leftOut, { name: named.name, why }] }];
}

interface Offered {
  readonly repository: Repository;
  readonly manifest: Manifest | undefined;
  readonly shared: SharedImage;
  /** Whether the program answers nothing else. */
  readonly isAlone: boolean;
  readonly offer: Offer;
}

function proposalOf(
  from: Source,
  { repository, manifest, shared, isAlone, offer: { contracts, lacks, ...offer } }: Offered,
  all: readonly ComposeService[],
): Proposal {
  const { name, files } = repository;
  const source = withOwnSettings(from, files);
  const { folder, image, compose } = source;
  const sources = files.filter(({ path }) => isBelow(path, folder)).map(({ text }) => text);
  const isGrpc = offer.protocol === 'grpc';
  const needed = neededFor(source, files, all);
  // Plain processes have no images beside them.
  const isPlain = needed.members.length === 0 && needed.needs.every((need) => need.process !== undefined);
  const port = portOf({ image, compose, manifest, files, grpc: isGrpc ? grpcPorts(sources, isAlone) : undefined });
  const plain = isPlain || image === undefined ? ownProcess(manifest?.process, { source, shared, port }) : undefined;
  const started = plain && withCertificates(plain, source, files);
  const process = started && isGrpc ? { ...started, command: grpcCommand(started.command, sources) } : started;
  const settings = settingsOf({ ...needed, source, files, process });
  const dockerfile = files.find(({ path }) => path === image?.dockerfile);
  const { steps, leftOut } = process === undefined ? { steps: [], leftOut: [] } : entrySteps(dockerfile, files);
  const names = [compose?.name, manifest?.name, baseName(folder) || name];
  const own = names.map(nameFrom).find((one) => one !== undefined) ?? 'api';
  return {
    name: own,
    folder,
    port,
    image,
    process: process && withSteps(process.port === undefined ? atPort(process, settings.environment) : process, steps),
    command: compose?.command,
    files: compose?.files ?? {},
    tmpfs: compose?.tmpfs ?? [],
    hasWebSocket: manifest?.hasWebSocket === true,
    logins: offer.protocol === 'rest' ? loginsOf({ folder, files }, offer.further) : [],
    others: { dockerfiles: otherDockerfiles(source, files), contracts },
    ...needed,
    ...settings,
    ...offer,
    leftOut: [
      ...needed.leftOut,
      ...settings.leftOut,
      ...lackingImports(lacks, files),
      ...leftOut,
      ...rateLimits(own, { folder, files }, settings.environment),
    ],
  };
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

/** Those of the document, else of the sources. */
function loginsOf(place: RepositoryFolder, further: readonly string[]): readonly string[] {
  const described = further.filter(isLogin);
  return described.length > 0 ? described : loginRoutes(place);
}

function atPort(process: ProposedProcess, environment: Proposal['environment']): ProposedProcess {
  return { ...process, command: commandAtPort(process.command, environment) };
}

/** Imports of a contract that have to be fetched before it can be compiled. */
function lackingImports(lacks: readonly string[], files: readonly RepositoryFile[]): readonly LeftOutService[] {
  const isOfBuf = files.some(({ path }) => /(?:^|\/)buf\.yaml$/.test(path));
  const why = isOfBuf
    ? 'they are dependencies in buf.yaml: `buf export . --output proto-all` writes all of them into a folder; use that as `proto.root`'
    : 'the repository does not have them: add the folder that has them to `proto.root`';
  return lacks.length === 0 ? [] : [{ name: `imports ${shortList(lacks)}`, why }];
}

/** What stands beside a service. The databases of a compose file that does not name it are for other occasions if it has one itself. */
function neededFor(source: Source, files: readonly RepositoryFile[], all: readonly ComposeService[]): Needed {
  const { folder, compose } = source;
  const around = compose === undefined && hasOwnDatabase({ folder, files }) ? [] : all;
  return neededBy(compose, around, (one) => {
    const program = {
      folder: sourceFolder(one.build ?? { context: '.', dockerfile: '', target: undefined }, files),
      files,
    };
    return portOf({ image: one.build, compose: one, manifest: manifestIn(program), files, grpc: undefined }).number;
  });
}

/** With what a Dockerfile makes for a program that is started in its folder, if that is the root. */
function withCertificates(
  process: ProposedProcess,
  { folder, image }: Source,
  files: readonly RepositoryFile[],
): ProposedProcess {
  const dockerfile = folder === '' ? files.find(({ path }) => path === image?.dockerfile) : undefined;
  return { ...process, build: [...process.build, ...certificateCommands(dockerfile)] };
}

interface SettingSources extends Pick<Proposal, 'environment' | 'needs' | 'process' | 'madeUp'> {
  readonly source: Source;
  readonly files: readonly RepositoryFile[];
}

/** The environment of a program: what the compose file says, else what a file of examples has; of a plain process what its image would have, too. */
function settingsOf({
  source,
  files,
  environment,
  needs,
  process,
  madeUp,
}: SettingSources): Pick<Proposal, 'environment' | 'settingsFrom' | 'madeUp' | 'leftOut'> {
  const { folder, image, compose } = source;
  const dockerfile = files.find(({ path }) => path === image?.dockerfile);
  const example = compose === undefined ? exampleFile({ folder, files }) : undefined;
  const { secrets, others } = placeholdersIn(example);
  const found = [
    { path: dockerfile?.path, settings: process === undefined ? {} : imageSettings(dockerfile) },
    { path: example?.path, settings: settingsIn(example) },
  ].filter(({ settings }) => Object.keys(settings).length > 0);
  const why = 'placeholders: if the service needs them, add values to `environment`';
  return {
    environment: leadingFromHere(
      Object.assign(
        {},
        ...found.map(({ settings }) => settings),
        process === undefined ? environment : relativeToImage(environment, dockerfile),
      ),
      needs,
    ),
    settingsFrom: [...found.flatMap(({ path }) => path ?? []), ...(compose?.settingsFrom ?? [])],
    madeUp: [...madeUp, ...secrets],
    leftOut: others.length === 0 ? [] : [{ name: `${shortList(others)} of ${example?.path}`, why }],
  };
}

const DESCRIBED = {
  proto: undefined,
  contracts: [],
  lacks: [],
  from: 'description',
  further: [],
  headers: {},
} as const;

type Offer = Pick<Proposal, 'protocol' | 'proto' | 'operations' | 'from' | 'further' | 'headers'> &
  Pick<Proposal['others'], 'contracts'> & {
    /** Imports of the contract that the repository does not have. */
    readonly lacks: readonly string[];
  };

interface Offers {
  readonly first: Offer;
  /** What the program answers over another protocol. */
  readonly second?: Offer | undefined;
}

/** What a service answers: by its contract, else by its OpenAPI document, else by a schema of GraphQL, else by the routes and the handlers of WebSockets in its sources. */
function offersOf(folder: string, repository: Repository, manifest: Manifest | undefined): Offers {
  const { files, writes } = repository;
  const mine = ownFiles(folder, repository);
  const rest = documentOffer({ folder, files: mine }, repository);
  const grpc = grpcServer(mine.filter(({ path }) => isBelow(path, folder)));
  const contract = contractFor({ folder, served: grpc.served, writes }, repository, {
    mine,
    isGrpc: grpc.isServer === true || manifest?.hasGrpc === true,
  });
  const own = sourceOperations({ folder, files: mine });
  const called = contract && grpcOffer(contract);
  const isServer = grpc.isServer === true;
  const isFirst = speaksGrpc(grpc.isServer, manifest, rest !== undefined) && !isMostlyRest(own);
  const first = isFirst ? (called ?? (isServer || grpc.isReflecting ? REFLECTED : undefined)) : undefined;
  const isAlsoRest = isServer && ownPaths(own).length > 0;
  return first === undefined
    ? { first: rest ?? furtherOffer({ folder, files }, manifest, own), second: isServer ? called : undefined }
    : { first, second: isAlsoRest ? routesOffer(own) : undefined };
}

/** All but those of other services. */
function ownFiles(folder: string, { files, folders }: Repository): readonly RepositoryFile[] {
  const foreign = folders.filter((other) => other !== folder && !isBelow(folder, other));
  return files.filter(({ path }) => !foreign.some((other) => isBelow(path, other)));
}

/** Its contract; else that of a folder above which has what the program serves, or, if its sources do not show that, the only one. */
function contractFor(
  { folder, served, writes }: Omit<ServedContract, 'files'>,
  { files, above = [] }: Repository,
  { mine, isGrpc }: { readonly mine: readonly RepositoryFile[]; readonly isGrpc: boolean },
): FoundContract | undefined {
  const own = contractIn({ folder, files: served.length > 0 ? files : mine, served, writes });
  if (own !== undefined || !isGrpc) {
    return own;
  }
  const found = contractIn({ folder, files: above, served, writes });
  const isOwn = served.length > 0 ? found?.isServed === true : found?.others.length === 0;
  return isOwn ? found : undefined;
}

const REFLECTED: Offer = { ...DESCRIBED, protocol: 'grpc', proto: 'reflection', operations: [HEALTH], from: 'guess' };

/** What a service answers that has neither a contract nor a document. */
function furtherOffer(place: RepositoryFolder, manifest: Manifest | undefined, own: SourceOperations): Offer {
  const schema = graphqlOperations(place.files, place.folder);
  if (schema.operations.length > 0) {
    return { ...DESCRIBED, protocol: 'graphql', ...schema };
  }
  return manifest?.hasGraphql === true ? writtenOffer(place) : routesOffer(own);
}

function documentOffer(place: RepositoryFolder, more: MoreOperations): Offer | undefined {
  const described = documentsFor(place)
    .map((file) => openApiOperations(file, more))
    .find(({ operations }) => operations.length > 0);
  return described && { ...DESCRIBED, protocol: 'rest', ...described };
}

function grpcOffer({ others, isServed: _, ...contract }: FoundContract): Offer {
  return { ...DESCRIBED, protocol: 'grpc', ...contract, contracts: others };
}

function routesOffer({ messages, ...routes }: SourceOperations): Offer {
  return messages.length > 0
    ? { ...DESCRIBED, ...routes, protocol: 'websocket', operations: messages, from: 'guess' }
    : { ...DESCRIBED, ...routes, protocol: 'rest', from: 'sources' };
}

/** What the sources of a program with a server of GraphQL ask for; else what every such server answers. */
function writtenOffer({ folder, files }: RepositoryFolder): Offer {
  const written = writtenOperations(files, folder);
  return written.operations.length > 0
    ? { ...DESCRIBED, protocol: 'graphql', ...written }
    : { ...DESCRIBED, protocol: 'graphql', operations: [TYPENAME], from: 'guess' };
}

/** Fewer routes are those that a gRPC service has beside it: its root, its health. */
const ROUTES_OF_ITS_OWN = 3;

/** Whether a program with a contract answers over HTTP first: what it exposes is the port of that, and gRPC often has to be switched on. */
function isMostlyRest(own: SourceOperations): boolean {
  return ownPaths(own).length >= ROUTES_OF_ITS_OWN;
}

function ownPaths({ operations, further }: SourceOperations): readonly string[] {
  const paths = [...operations.map(({ binding }) => ('rest' in binding && textIn(binding.rest)) || ''), ...further];
  return paths.filter((path) => path !== 'GET /' && !isHealthPath(path));
}

/** OpenAPI documents that may be of the service in a folder, the nearest first. */
function documentsFor({ folder, files }: RepositoryFolder): readonly RepositoryFile[] {
  const own = files.filter(mayBeOpenApi);
  return own.toSorted((a, b) => sharedDepth(b.path, folder) - sharedDepth(a.path, folder) || byDepth(a, b));
}

/** None if a compose file chose the one. */
function otherDockerfiles({ image, compose }: Source, files: readonly RepositoryFile[]): readonly string[] {
  const isChosen = image === undefined || compose !== undefined;
  const paths = isChosen ? [] : nearest(files, '').map(({ path }) => path);
  return paths.filter((path) => baseName(path) === 'Dockerfile' && path !== image?.dockerfile);
}

/** By its sources; if they do not show it, unless its program speaks HTTP, be it with a library for clients of gRPC. */
function speaksGrpc(isServer: boolean | undefined, manifest: Manifest | undefined, hasDocument: boolean): boolean {
  const isHttp = manifest?.httpPort !== undefined;
  const isLikely = manifest?.hasGrpc === true ? isServer !== false || !isHttp : !hasDocument && !isHttp;
  return isServer === true || isLikely;
}

interface PortSources {
  readonly image: ProposedImage | undefined;
  readonly compose: ComposeService | undefined;
  readonly manifest: Manifest | undefined;
  readonly files: readonly RepositoryFile[];
  /** Of a service of gRPC: the port that its sources name for that, and the only one that they name; undefined of any other. */
  readonly grpc: { readonly port: number | undefined; readonly only: number | undefined } | undefined;
}

function grpcPorts(sources: readonly string[], isAlone: boolean): PortSources['grpc'] {
  return { port: grpcPortIn(sources), only: isAlone ? listenedPortIn(sources) : undefined };
}

function portOf({ image, compose, manifest, files, grpc }: PortSources): ProposedPort {
  if (grpc?.port !== undefined) {
    return { number: grpc.port, from: 'sources' };
  }
  const dockerfile = files.find(({ path }) => path === image?.dockerfile);
  const exposed = dockerfile === undefined ? undefined : exposedPort(dockerfile.text);
  const [ofCompose = portIn(compose?.environment ?? {}) ?? portInCommand(compose?.command)] = compose?.ports ?? [];
  if (ofCompose !== undefined) {
    return { number: ofCompose, from: 'compose' };
  }
  if (exposed !== undefined) {
    return { number: exposed, from: 'dockerfile' };
  }
  const fixed = grpc?.only ?? manifest?.process?.port;
  return fixed === undefined
    ? { number: grpc !== undefined ? 50_051 : (manifest?.httpPort ?? 8080), from: 'guess' }
    : { number: fixed, from: 'sources' };
}

/** Whether a service of a compose file has no port, but depends on one that has: a job, which fills or asks the other. */
function dependsOnOthers({ compose }: Source, all: readonly ComposeService[]): boolean {
  const others = all.filter(({ name, build }) => build !== undefined && compose?.dependsOn.includes(name) === true);
  return compose?.ports.length === 0 && others.some(({ ports }) => ports.length > 0);
}

/** A system goes before its members; if its sources do not show what it answers, after those that do: it may only test or show them. */
function merit({ port, image, operations, folder, process, members }: Proposal): number {
  const known = [port.from !== 'guess', image !== undefined, operations.length > 0, process !== undefined];
  return members.length * (operations.length > 0 ? 1000 : 10) + known.filter(Boolean).length * 100 - depthOf(folder);
}
