import { textIn } from '../../../config/yaml/lines.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import { byDepth, filesBelow, isBelow, type RepositoryFolder, sharedDepth } from '../read/places.ts';
import type { Repository } from '../read/sources.ts';
import {
  contractIn,
  type FoundContract,
  HEALTH,
  type MoreOperations,
  mayBeOpenApi,
  openApiOperations,
  type ServedContract,
} from '../routes/contracts.ts';
import { graphqlOperations, TYPENAME, writtenOperations } from '../routes/graphql-schema.ts';
import { isHealthPath, type SourceOperations, sourceOperations } from '../routes/source-operations.ts';
import type { Manifest, Proposal } from './proposal.ts';

const DESCRIBED = {
  proto: undefined,
  contracts: [],
  lacks: [],
  from: 'description',
  further: [],
  headers: {},
} as const;

export interface Offer
  extends Pick<Proposal, 'protocol' | 'proto' | 'contracts' | 'operations' | 'from' | 'further' | 'headers'> {
  /** Imports of the contract that the repository does not have. */
  readonly lacks: readonly string[];
}

/** Operations of a service: by its contract, else by its OpenAPI document, else by a schema of GraphQL, else by the routes and the handlers of WebSockets in its sources. */
export function offersOf(
  folder: string,
  repository: Repository,
  manifest: Manifest | undefined,
): { readonly first: Offer; readonly second: Offer | undefined } {
  const { files, folders, writes } = repository;
  const foreign = folders.filter((other) => other !== folder && !isBelow(folder, other));
  const mine = files.filter(({ path }) => !foreign.some((other) => isBelow(path, other)));
  const rest = documentOffer({ folder, files: mine }, repository);
  const grpc = grpcServer(mine.filter(({ path }) => isBelow(path, folder)));
  const isServer = grpc.isServer === true;
  const contract = contractFor({ folder, served: grpc.served, writes }, repository, {
    mine,
    isGrpc: [grpc.isServer, manifest?.hasGrpc].includes(true),
  });
  const own = sourceOperations({ folder, files: mine });
  const paths = ownPaths(own);
  const called = contract && grpcOffer(contract);
  // A program with many routes is measured over HTTP: it exposes that port, and gRPC often has to be enabled.
  const isLikely = isServer || manifest !== undefined || namesGrpc({ folder, files: mine });
  const isFirst =
    isLikely && speaksGrpc(grpc.isServer, manifest, rest !== undefined) && paths.length < ROUTES_OF_ITS_OWN;
  const reflected = grpc.isReflecting || (isServer && own.operations.length === 0) ? REFLECTED : undefined;
  const first = isFirst ? (called ?? reflected) : undefined;
  if (first !== undefined) {
    return { first, second: isServer && paths.length > 0 ? routesOffer(own) : undefined };
  }
  const [further, other] = rest === undefined ? furtherOffers({ folder, files }, manifest, own) : [rest, undefined];
  return { first: further, second: isServer ? called : other };
}

function grpcOffer({ isServed: _, ...contract }: FoundContract): Offer {
  return { ...DESCRIBED, protocol: 'grpc', ...contract };
}

/** Contract of the service; else one in a parent folder with the services that the program registers, or the only one if sources do not show them. */
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
  const isOwn = served.length > 0 ? found?.isServed === true : found?.contracts.length === 0;
  return isOwn ? found : undefined;
}

const REFLECTED: Offer = { ...DESCRIBED, protocol: 'grpc', proto: 'reflection', operations: [HEALTH], from: 'guess' };

/** Offers by its schema, by the queries in its sources, by its routes if it has many, and by a query that every server of GraphQL answers. */
function furtherOffers(
  { folder, files }: RepositoryFolder,
  manifest: Manifest | undefined,
  own: SourceOperations,
): readonly [Offer, Offer | undefined] {
  const isServer = manifest?.hasGraphql === true;
  const schema = [graphqlOperations, ...(isServer ? [writtenOperations] : [])]
    .map((read) => read(files, folder))
    .find(({ operations }) => operations.length > 0);
  const routes = ownPaths(own).length < ROUTES_OF_ITS_OWN ? [] : [routesOffer(own)];
  const described: readonly Offer[] = schema === undefined ? [] : [{ ...DESCRIBED, protocol: 'graphql', ...schema }];
  const guessed: readonly Offer[] =
    isServer && schema === undefined
      ? [{ ...DESCRIBED, protocol: 'graphql', operations: [TYPENAME], from: 'guess' }]
      : [];
  const [first = routesOffer(own), second] = [...described, ...routes, ...guessed];
  return [first, second];
}

/** Offer from the nearest OpenAPI document that may describe the service in a folder. */
function documentOffer({ folder, files }: RepositoryFolder, more: MoreOperations): Offer | undefined {
  const described = files
    .filter(mayBeOpenApi)
    .toSorted((a, b) => sharedDepth(b.path, folder) - sharedDepth(a.path, folder) || byDepth(a, b))
    .map((file) => openApiOperations(file, more))
    .find(({ operations }) => operations.length > 0);
  return described && { ...DESCRIBED, protocol: 'rest', ...described };
}

function routesOffer({ messages, ...routes }: SourceOperations): Offer {
  return messages.length > 0
    ? { ...DESCRIBED, ...routes, protocol: 'websocket', operations: messages, from: 'guess' }
    : { ...DESCRIBED, ...routes, protocol: 'rest', from: 'sources' };
}

/** True if a folder without readable sources has a contract, or a file that names gRPC, such as a Dockerfile. A proxy has neither. */
function namesGrpc(place: RepositoryFolder): boolean {
  return filesBelow(place).some(({ path, text }) => path.endsWith('.proto') || /grpc|proto(?:buf|c)/i.test(text));
}

/** Number of routes from which a program is mostly REST; a gRPC service often has fewer. */
const ROUTES_OF_ITS_OWN = 3;

function ownPaths({ operations, further }: SourceOperations): readonly string[] {
  const paths = [...operations.map(({ binding }) => ('rest' in binding && textIn(binding.rest)) || ''), ...further];
  return paths.filter((path) => path !== 'GET /' && !isHealthPath(path));
}

/** True if its sources start a gRPC server. If that is unknown: true unless the program serves HTTP, even with a library for gRPC clients. */
function speaksGrpc(isServer: boolean | undefined, manifest: Manifest | undefined, hasDocument: boolean): boolean {
  const isHttp = manifest?.httpPort !== undefined;
  const isLikely = manifest?.hasGrpc === true ? isServer !== false || !isHttp : !hasDocument && !isHttp;
  return isServer === true || isLikely;
}

/** Calls that start a gRPC server in a language, and calls that register a service, with its name. */
const LANGUAGES = [
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
    starts: /\btonic::(?:\{[^;]{0,300}?\b)?(?:transport::(?:\{[^};]{0,300}?\b)?Server|service::Routes)\b/,
    registers: [/\b(\w+)Server::(?:new|with_interceptor)\(/g],
  },
];

const OF_GRPC = /^(?:Health|ServerReflection|Reflection|Channelz)$/;

/** Sources of programs with gRPC server reflection, in Go, Node.js, Python, Java, Rust and .NET. */
const REFLECTING =
  /\breflection\.Register(?:V1)?\(|@grpc\/reflection|\benable_server_reflection\(|\bProtoReflectionService|tonic_reflection|MapGrpcReflectionService|grpcreflect\.New/;

/** gRPC server in the sources, with its registered services; `isServer` is undefined without readable sources. */
function grpcServer(sources: readonly RepositoryFile[]) {
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
