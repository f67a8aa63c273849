/** The protocols that a service can speak; each has one file under `src/protocols`. */
export type ProtocolName = 'rest' | 'grpc';

/** A service under test, as its `service.yml` describes it. */
export interface Service {
  readonly name: string;
  /** What people read in reports, for example "REST (Flask, gunicorn)". */
  readonly title: string;
  readonly protocol: ProtocolName;
  readonly image: ImageSource;
  readonly process: ProcessSource;
  /** The port that the service listens on inside its container. */
  readonly port: number;
  /** Settings of the service, given to it as environment variables and recorded in the run. */
  readonly environment: Readonly<Record<string, string>>;
  /** Only for gRPC: the contract, needed to call the service without reflection. */
  readonly proto: ProtoSource | undefined;
}

/** How the engine gets the service's image; paths are relative to the repository's root. */
export interface ImageSource {
  readonly context: string;
  readonly dockerfile: string;
  readonly target: string | undefined;
}

/**
 * How the service is built and started as a plain process, as argument vectors run in the repository's root.
 * `HOST` and `PORT` reach it as environment variables.
 */
export interface ProcessSource {
  readonly build: readonly (readonly string[])[];
  readonly command: readonly string[];
}

/** Where the contract lies: `file` is relative to `root`, `root` to the repository's root. */
export interface ProtoSource {
  readonly root: string;
  readonly file: string;
  /** The text of every `.proto` file below the root, by its path relative to the root. */
  readonly texts: Readonly<Record<string, string>>;
}
