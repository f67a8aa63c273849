/** What a gRPC service can be asked, and how: its `.proto` files, what was compiled of them, or the service itself. */
export type Contract = ProtoSource | DescriptorSet | Reflection;

/** Where the contract lies: `file` is relative to `root`, `root` to the repository's root. */
export interface ProtoSource {
  /** For messages; with several folders, all of them. */
  readonly root: string;
  readonly file: string;
  /** The text of every `.proto` file below the root, by its path relative to the root. */
  readonly texts: Readonly<Record<string, string>>;
}

/** A google.protobuf.FileDescriptorSet that holds every file that its files import. */
export interface DescriptorSet {
  /** In base64. */
  readonly descriptorSet: string;
  /** For messages: the path of its file, or that it came by reflection. */
  readonly origin: string;
}

/** The service tells by itself, when it runs. */
export interface Reflection {
  readonly reflection: true;
}
