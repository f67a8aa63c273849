import type { Json } from '../../../foundation/json.ts';
import type { ProtocolName } from '../../../model/service.ts';

/** Service, or part of one, that is left out, and the reason, printed after its name. */
export interface LeftOutService {
  readonly name: string;
  readonly why: string;
}

export type ExampleArguments = Readonly<Record<string, Json>>;

/** Variables of a program. */
export type Environment = Readonly<Record<string, string>>;

/** Call of an operation, in the format of `wiregauge.yml`. */
export type ProposedBinding =
  | { readonly rest: string | ProposedRequest }
  | { readonly graphql: string }
  | { readonly websocket: { readonly path: string; readonly message: string } }
  | { readonly grpc: string | { readonly call: string; readonly messages: readonly ExampleArguments[] } };

/** A request that is more than a method and a path. */
export interface ProposedRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly expect?: { readonly status: number };
}

export interface ProposedOperation {
  readonly name: string;
  /** Undefined if it needs none. */
  readonly example: ExampleArguments | undefined;
  /** Arguments of additional requests. */
  readonly further?: readonly ExampleArguments[];
  /** 0: written to the file but never sent. */
  readonly weight?: number;
  readonly binding: ProposedBinding;
}

/** Program that runs in a container: a service, a member of its system, or a need. */
export interface ProposedProgram {
  readonly name: string;
  /** Arguments that replace those of the image. */
  readonly command: readonly string[] | undefined;
  /** Files and folders of the repository by their path in the container. */
  readonly files: Readonly<Record<string, string>>;
  /** Writable folders that are empty at the start. */
  readonly tmpfs: readonly string[];
  readonly environment: Environment;
  /** User in the container; default: that of the image. */
  readonly user?: string | undefined;
}

/** A database, a cache or a broker of the service. */
export interface ProposedNeed extends ProposedProgram {
  readonly image: string;
  readonly port: number;
  readonly ready: { readonly command: readonly string[] } | { readonly path: string } | undefined;
  /** Command that starts it without a container, if one command is enough. */
  readonly process: Pick<ProposedProcess, 'command'> | undefined;
}

/** Another program of a system whose entry point is the service. */
export interface ProposedMember extends ProposedProgram {
  readonly image: ProposedImage;
  readonly port: number;
  /** Names of other members. */
  readonly dependsOn: readonly string[];
  readonly process?: ProposedProcess | undefined;
}

export interface ProposedImage {
  readonly context: string;
  readonly dockerfile: string;
  readonly target?: string | undefined;
  /** Name of an image that is not built, instead of the others. */
  readonly reference?: string | undefined;
}

/** Start of a service without a container. */
export interface ProposedProcess {
  readonly build: readonly (readonly string[])[];
  readonly command: readonly string[];
  /** The port that it listens on regardless of PORT. */
  readonly port?: number | undefined;
}

/** Program as its build file describes it. */
export interface Manifest {
  readonly name?: string | undefined;
  /** Undefined if nothing in it serves HTTP. */
  readonly httpPort: number | undefined;
  readonly hasGrpc?: boolean;
  /** True if it names a WebSocket library. */
  readonly hasWebSocket?: boolean;
  /** True if it names a GraphQL server. */
  readonly hasGraphql?: boolean;
  readonly process?: ProposedProcess | undefined;
  /** Port in its framework's settings; a variable or a flag overrides it. */
  readonly settingsPort?: number | undefined;
  /** Step that creates the tables of a new database. */
  readonly migration?: string | undefined;
  /** Framework settings for production; those of a compose file replace them. */
  readonly environment?: Environment;
  /** Headers that each request needs. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly written?: readonly string[];
}

export interface ProposedPort {
  readonly number: number;
  readonly from: 'compose' | 'dockerfile' | 'sources' | 'command' | 'guess';
}

/** A service that a repository seems to have, as `wiregauge.yml` will describe it. */
export interface Proposal extends ProposedProgram {
  /** Folder of its source; empty for the root. */
  readonly folder: string;
  readonly protocol: Extract<ProtocolName, 'rest' | 'grpc' | 'graphql' | 'websocket'>;
  readonly port: ProposedPort;
  /** Undefined without a Dockerfile. */
  readonly image: ProposedImage | undefined;
  readonly process: ProposedProcess | undefined;
  /** `reflection`: the running service provides its contract. */
  readonly proto: { readonly root: string; readonly file: string } | 'reflection' | undefined;
  readonly needs: readonly ProposedNeed[];
  /** Empty if it is a standalone program. */
  readonly members: readonly ProposedMember[];
  /** Settings in the compose file that are not carried over. */
  readonly leftOut: readonly LeftOutService[];
  /** Compose variables that got made-up values. */
  readonly madeUp: readonly string[];
  /** Paths of Dockerfiles or example files that variables come from. */
  readonly settingsFrom: readonly string[];
  /** Paths of other contracts that may be the right ones. */
  readonly contracts: readonly string[];
  /** Required headers, with secrets from the environment. */
  readonly headers: Readonly<Record<string, string>>;
  /** Requests whose responses provide values for others, such as a login. */
  readonly prepare?: readonly object[];
  /** True if it also seems to answer WebSocket messages, which the repository does not describe. */
  readonly hasWebSocket: boolean;
  /** Empty if the repository shows none. */
  readonly operations: readonly ProposedOperation[];
  /** Source of the operations; 'guess': sources or packages show the protocol, but no operations. */
  readonly from: 'description' | 'sources' | 'traffic' | 'guess';
  /** Operations that are left out: routes that need arguments, like `GET /users/{id}`, and others of a document, a contract or a schema. */
  readonly further: readonly string[];
  /** Requests that seem to return a token, like `POST /login`. */
  readonly logins: readonly string[];
}

/** The best known comes first. */
export type Proposals = readonly [Proposal, ...Proposal[]];
