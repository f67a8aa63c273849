import type { Json } from '../../../foundation/json.ts';
import type { ProtocolName } from '../../../model/service.ts';

/** A service of the repository, or a part of one, that is left out, and the reason, to be printed after its name. */
export interface LeftOutService {
  readonly name: string;
  readonly why: string;
}

/** The arguments of one request of an operation. */
export type ExampleArguments = Readonly<Record<string, Json>>;

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

/** An operation that a repository offers. */
export interface ProposedOperation {
  readonly name: string;
  /** undefined: it takes none. */
  readonly example: ExampleArguments | undefined;
  /** Arguments of further requests. */
  readonly further?: readonly ExampleArguments[];
  /** 0: it is written, and not sent. */
  readonly weight?: number;
  readonly binding: ProposedBinding;
}

/** A service, a program of its system, or what it needs, as it is started in a container. */
export interface ProposedProgram {
  readonly name: string;
  /** Arguments in the place of those of the image. */
  readonly command: readonly string[] | undefined;
  /** Files and folders of the repository, by their paths in the container. */
  readonly files: Readonly<Record<string, string>>;
  /** Writable folders that begin empty. */
  readonly tmpfs: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** A database, a cache or a broker of the service. */
export interface ProposedNeed extends ProposedProgram {
  readonly image: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly ready: { readonly command: readonly string[] } | { readonly path: string } | undefined;
  /** Command that starts it without a container, if one command is enough. */
  readonly process: Pick<ProposedProcess, 'command'> | undefined;
}

/** Another program of the system that the service is the entry of. */
export interface ProposedMember extends ProposedProgram {
  readonly image: ProposedImage;
  readonly port: number;
  /** Names of other members. */
  readonly dependsOn: readonly string[];
  readonly process?: ProposedProcess | undefined;
}

/** Source of an image. */
export interface ProposedImage {
  readonly context: string;
  readonly dockerfile: string;
  readonly target: string | undefined;
}

/** Start of a service without a container. */
export interface ProposedProcess {
  readonly build: readonly (readonly string[])[];
  readonly command: readonly string[];
  /** The port that it listens on regardless of PORT. */
  readonly port?: number;
}

/** A program as the file of a build tool describes it. */
export interface Manifest {
  /** Its name there. */
  readonly name: string | undefined;
  /** undefined: nothing in it speaks HTTP. */
  readonly httpPort: number | undefined;
  readonly hasGrpc: boolean;
  /** True if it names a library for WebSockets. */
  readonly hasWebSocket?: boolean;
  /** True if it names a server of GraphQL. */
  readonly hasGraphql?: boolean;
  readonly process: ProposedProcess | undefined;
  /** The port in the settings of its framework, which a variable or a flag replaces. */
  readonly settingsPort?: number | undefined;
  /** Step that makes the tables of a new database. */
  readonly migration?: string | undefined;
  /** Settings of its framework for production; those of a compose file take their place. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Headers that each request needs. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Folders that it writes to. */
  readonly written?: readonly string[];
}

/** A port, and where in the repository it was found. */
export interface ProposedPort {
  readonly number: number;
  readonly from: 'compose' | 'dockerfile' | 'sources' | 'guess';
}

/** A service that a repository seems to have, as `wiregauge.yml` will describe it. */
export interface Proposal extends ProposedProgram {
  /** The folder of its source; empty for the root. */
  readonly folder: string;
  readonly protocol: Extract<ProtocolName, 'rest' | 'grpc' | 'graphql' | 'websocket'>;
  readonly port: ProposedPort;
  /** undefined: there is no Dockerfile. */
  readonly image: ProposedImage | undefined;
  readonly process: ProposedProcess | undefined;
  /** `reflection`: it provides its contract while it runs. */
  readonly proto: { readonly root: string; readonly file: string } | 'reflection' | undefined;
  readonly needs: readonly ProposedNeed[];
  /** None if it is a program of its own. */
  readonly members: readonly ProposedMember[];
  /** Settings in the compose file that are not carried over. */
  readonly leftOut: readonly LeftOutService[];
  /** Variables of the compose file that were given made-up values. */
  readonly madeUp: readonly string[];
  /** Paths of a Dockerfile, or of a file of examples, that variables of the environment were taken from. */
  readonly settingsFrom: readonly string[];
  /** Paths of other contracts, which may as well be meant. */
  readonly contracts: readonly string[];
  /** Headers that it needs, with secrets from the environment. */
  readonly headers: Readonly<Record<string, string>>;
  /** Requests that deliver values for others, such as a login. */
  readonly prepare?: readonly object[];
  /** True if it seems to answer WebSocket messages, too, which the repository does not describe. */
  readonly hasWebSocket: boolean;
  /** Empty if the repository shows none. */
  readonly operations: readonly ProposedOperation[];
  /** Where the operations were found; 'guess': the sources or packages show the protocol, but no operations. */
  readonly from: 'description' | 'sources' | 'traffic' | 'guess';
  /** The operations left out: routes that need arguments, like `GET /users/{id}`, and the other operations of a document, a contract or a schema. */
  readonly further: readonly string[];
  /** Requests that seem to return a token, like `POST /login`. */
  readonly logins: readonly string[];
}
