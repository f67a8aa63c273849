import { textIn } from '../../../config/yaml/lines.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import type { Manifest } from '../programs/manifests.ts';
import { isHealthPath, type SourceOperations, sourceOperations } from '../routes/source-operations.ts';
import {
  contractIn,
  type FoundContract,
  HEALTH,
  type MoreOperations,
  mayBeOpenApi,
  openApiOperations,
  type ServedContract,
} from './contracts.ts';
import { graphqlOperations, TYPENAME, writtenOperations } from './graphql-schema.ts';
import { byDepth, isBelow, type RepositoryFolder, sharedDepth } from './places.ts';
import type { Proposal } from './proposal.ts';
import type { Repository } from './sources.ts';

const DESCRIBED = {
  proto: undefined,
  contracts: [],
  lacks: [],
  from: 'description',
  further: [],
  headers: {},
} as const;

export type Offer = Pick<Proposal, 'protocol' | 'proto' | 'operations' | 'from' | 'further' | 'headers'> &
  Pick<Proposal['others'], 'contracts'> & {
    /** Imports of the contract that the repository does not have. */
    readonly lacks: readonly string[];
  };

interface Offers {
  readonly first: Offer;
  /** Operations over another protocol. */
  readonly second?: Offer | undefined;
}

/** Operations of a service: by its contract, else by its OpenAPI document, else by a schema of GraphQL, else by the routes and the handlers of WebSockets in its sources. */
export function offersOf(folder: string, repository: Repository, manifest: Manifest | undefined): Offers {
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
  const first = isFirst ? (called ?? reflectedOffer(grpc, own)) : undefined;
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

/** Offer by reflection for a gRPC server without a contract; undefined if its HTTP routes can be measured instead. */
function reflectedOffer({ isServer, isReflecting }: GrpcServer, own: SourceOperations): Offer | undefined {
  return isReflecting || (isServer === true && own.operations.length === 0) ? REFLECTED : undefined;
}

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

/** GraphQL queries in the sources of a program; else one that every server answers. */
function writtenOffer({ folder, files }: RepositoryFolder): Offer {
  const written = writtenOperations(files, folder);
  return written.operations.length > 0
    ? { ...DESCRIBED, protocol: 'graphql', ...written }
    : { ...DESCRIBED, protocol: 'graphql', operations: [TYPENAME], from: 'guess' };
}

/** From this many routes on, a program is mostly REST; a gRPC service often has fewer. */
const ROUTES_OF_ITS_OWN = 3;

/** True if a program with a contract answers over HTTP first: what it exposes is the port of that, and gRPC often has to be switched on. */
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

/** By its sources; if they do not show it, unless its program speaks HTTP, be it with a library for clients of gRPC. */
function speaksGrpc(isServer: boolean | undefined, manifest: Manifest | undefined, hasDocument: boolean): boolean {
  const isHttp = manifest?.httpPort !== undefined;
  const isLikely = manifest?.hasGrpc === true ? isServer !== false || !isHttp : !hasDocument && !isHttp;
  return isServer === true || isLikely;
}

/** How the sources of a language start a server of gRPC, and what registers a service, with its name. */
interface GrpcSources {
  readonly files: RegExp;
  readonly starts: RegExp;
  readonly registers: readonly RegExp[];
}

const LANGUAGES: readonly GrpcSources[] = [
  {
    files: /\.go$/,
    starts: /\bgrpc\.NewServer\(|connect\.WithInterceptors\(|\bNew\w+ServiceHandler\(/,
    registers: [/\bRegister(\w+)Server\(/g, /(?<=\w)connect\.New(\w+)Handler\(/g],
  },
  {
    files: /\.py$/,
    starts: /\bgrpc(?:\.aio)?\.server\(|\baio\.server\(/,
    registers: [/\badd_(\w+)Servicer_to_server\(/g],
  },
  {
    files: /\.[cm]?[jt]s$/,
    starts:
      /\bgrpc\w*\.Server\(|\bnew Server\([\s\S]*@grpc\/grpc-js|@grpc\/grpc-js[\s\S]*\bnew Server\(|from ['"]nice-grpc['"][\s\S]*\bcreateServer\(|Transport\.GRPC\b/,
    registers: [
      /\.addService\(\s*(?:\w+\.)*?(\w+?)(?:Service)?\.service\b/g,
      /\.add(?:Service)?\(\s*(\w+?)(?:Service)?Definition\b/g,
      /\.addService\(\s*(?:\w+\.)*(\w+Service)\b/g,
    ],
  },
  {
    files: /\.(?:java|kt)$/,
    starts:
      /\b(?:Netty)?ServerBuilder\s*\.\s*forPort\(|Grpc\.newServerBuilder|@GrpcService\b|extends\s+\w+Grpc(?:Kt)?\.\w+ImplBase/,
    registers: [/\b(\w+)Grpc(?:Kt)?\.\1(?:Coroutine)?ImplBase/g],
  },
  {
    files: /\.cs$/,
    starts: /\bMapGrpcService<|\.AddGrpc\(/,
    registers: [/:\s*(?:[\w.]+\.)?(\w+)\.\1Base\b/g],
  },
  {
    files: /\.rs$/,
    starts: /\btonic::transport::(?:\{[^}]*\b)?Server\b|\w_server::(?:\{[^}]*\b)?[A-Z]\w*Server\b/,
    registers: [/\b(\w+)Server::(?:new|with_interceptor)\(/g],
  },
];

/** Services that belong to gRPC itself. */
const OF_GRPC = /^(?:Health|ServerReflection|Reflection|Channelz)$/;

/** Sources of programs with gRPC server reflection, in Go, Node.js, Python, Java, Rust and .NET. */
const REFLECTING =
  /\breflection\.Register(?:V1)?\(|@grpc\/reflection|\benable_server_reflection\(|\bProtoReflectionService|tonic_reflection|MapGrpcReflectionService|grpcreflect\.New/;

/** gRPC server found in the sources of a program. */
interface GrpcServer {
  /** True if they start a server; undefined if there are no sources to see it in. */
  readonly isServer: boolean | undefined;
  /** Names of the services that they register. */
  readonly served: readonly string[];
  /** True if it provides its contract by server reflection. */
  readonly isReflecting: boolean;
}

/** gRPC server found in sources. */
function grpcServer(sources: readonly RepositoryFile[]): GrpcServer {
  const pairs = LANGUAGES.map((language) => ({
    language,
    own: sources.filter(({ path }) => language.files.test(path)),
  }));
  const read = pairs.filter(({ own }) => own.length > 0);
  const served = read.flatMap(({ language, own }) =>
    own
      .filter(({ text }) => !/^(?:\/\/|#) (?:Code generated|Generated by)/m.test(text.slice(0, 1000)))
      .flatMap(({ text }) =>
        language.registers.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name)),
      ),
  );
  return {
    isServer:
      read.length === 0
        ? undefined
        : read.some(({ language, own }) => own.some(({ text }) => language.starts.test(text))),
    served: [...new Set(served)].filter((name) => !OF_GRPC.test(name)),
    isReflecting: sources.some(({ text }) => REFLECTING.test(text)),
  };
}
