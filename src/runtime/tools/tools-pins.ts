import type { GeneratorName } from '../../model/load.ts';

export type Architecture = 'x64' | 'arm64';

/** A file of which only one content will do. */
export interface PinnedFile {
  readonly url: string;
  readonly sha256: string;
}

/** A release archive of a load tool, with the tool's binary at its top. */
export interface ReleaseArchive extends PinnedFile {
  readonly tool: GeneratorName;
}

/** The versions that tools/load/go.mod pins; a test holds the two together. */
export const LOAD_TOOL_VERSIONS: Readonly<Record<GeneratorName, string>> = { ghz: '0.121.0', vegeta: '12.13.0' };

/** The archives that a download takes, by architecture. None for arm64, whose checksums nobody has confirmed. */
export const RELEASE_ARCHIVES: Readonly<Record<Architecture, readonly ReleaseArchive[]>> = {
  x64: [
    {
      tool: 'ghz',
      url: 'https://github.com/bojand/ghz/releases/download/v0.121.0/ghz-linux-x86_64.tar.gz',
      sha256: '9ae3b93f2c46dac9136e29e81b4a1de8d4e56f092a6fe46884a25c9c83cb2324',
    },
    {
      tool: 'vegeta',
      url: 'https://github.com/tsenart/vegeta/releases/download/v12.13.0/vegeta_12.13.0_linux_amd64.tar.gz',
      sha256: 'e8759ce45c14e18374bdccd3ba6068197bc3a9f9b7e484db3837f701b9d12e61',
    },
  ],
  arm64: [],
};

/** A program of which only one version will do. */
export interface PinnedProgram {
  /** Its file name. */
  readonly name: string;
  readonly version: string;
  /** How it is asked for its version. */
  readonly versionArguments: readonly string[];
  /** The version in the first line of what it answers. */
  readonly versionPattern: RegExp;
}

const VERSION_PATTERN = /\d+\.\d+\.\d+\S*/;

/** The load generators' own programs. */
export const GENERATOR_PROGRAMS: readonly PinnedProgram[] = [
  { name: 'ghz', version: LOAD_TOOL_VERSIONS.ghz, versionArguments: ['--version'], versionPattern: VERSION_PATTERN },
  {
    name: 'vegeta',
    version: LOAD_TOOL_VERSIONS.vegeta,
    versionArguments: ['-version'],
    versionPattern: VERSION_PATTERN,
  },
];
