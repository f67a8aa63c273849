import { join } from 'node:path';
import { messageOf } from '../../foundation/index.ts';
import { type ChildEnd, runChild } from '../../host/index.ts';
import { DRIVER, driverVersion } from '../../load/index.ts';
import type { LoadTools } from '../port.ts';
import {
  GENERATOR_PROGRAMS,
  type KitName,
  LOAD_TOOL_VERSIONS,
  type PinnedProgram,
  SourceUnavailable,
  type ToolsRequest,
} from './places.ts';
import { driverFromRelease, fromRelease } from './release.ts';

/** Where programs were had from. */
export type Source = Exclude<LoadTools['source'], 'cache'>;

/** Programs that are had and kept together. */
export interface Kit {
  readonly name: KitName;
  readonly programs: readonly PinnedProgram[];
  /** What the log calls them. */
  readonly title: string;
  /** In the order in which they are tried. */
  readonly sources: readonly SourceOfKit[];
}

interface SourceOfKit {
  readonly name: Source;
  readonly fill: (folder: string) => Promise<void>;
}

/** Puts programs, by their file names, into a folder that exists. */
export type FromImage = (folder: string, programs: readonly string[]) => Promise<void>;

/** The kit of ghz and vegeta. */
export function generatorsKit(request: ToolsRequest, fromImage: FromImage | undefined): Kit {
  const { ghz, vegeta } = LOAD_TOOL_VERSIONS;
  return {
    name: { tool: 'ghz-vegeta', version: `${ghz}-${vegeta}`, folder: `ghz-${ghz}-vegeta-${vegeta}` },
    programs: GENERATOR_PROGRAMS,
    title: `ghz ${ghz} and vegeta ${vegeta}`,
    sources: [
      { name: 'release', fill: (folder) => fromRelease(folder, request) },
      { name: 'module', fill: (folder) => generatorsFromModule(folder, request) },
      ...image(fromImage, ['ghz', 'vegeta']),
    ],
  };
}

/** The kit of the driver. By its version in the folder's name, a driver whose source has changed is had anew. */
export function driverKit(request: ToolsRequest, fromImage: FromImage | undefined): Kit {
  const version = driverVersion(request.root);
  return {
    // A hash is no version, and one of digits only may not begin with a zero.
    name: { tool: DRIVER, version: `0.0.0-source-${version}`, folder: `driver-${version}` },
    programs: [{ name: DRIVER, version, versionArguments: ['version'], versionPattern: /^[0-9a-f]{16}$/ }],
    title: `the driver ${version}`,
    sources: [
      { name: 'release', fill: (folder) => driverFromRelease(folder, request) },
      { name: 'module', fill: (folder) => driverFromModule(folder, request) },
      ...image(fromImage, [DRIVER]),
    ],
  };
}

/** The last source: whatever keeps it from giving the programs belongs in the list of what was tried. */
function image(fromImage: FromImage | undefined, programs: readonly string[]): readonly SourceOfKit[] {
  if (fromImage === undefined) {
    return [];
  }
  const fill: SourceOfKit['fill'] = async (folder) => {
    try {
      await fromImage(folder, programs);
    } catch (cause) {
      throw new SourceUnavailable(`the image of the load tools cannot be used: ${messageOf(cause)}`, { cause });
    }
  };
  return [{ name: 'image', fill }];
}

const BUILD_SECONDS = 600;

/**
 * Builds ghz and vegeta from the pinned module, whose checksums Go compares with go.sum, into the folder.
 * Throws SourceUnavailable where Go is missing, too old or cannot get the modules.
 */
export async function generatorsFromModule(folder: string, request: ToolsRequest): Promise<void> {
  const { ghz, vegeta } = LOAD_TOOL_VERSIONS;
  const packages = ['github.com/bojand/ghz/cmd/ghz', 'github.com/tsenart/vegeta/v12'];
  // Each of the two variables exists in one of the programs only; the linker passes over the other.
  await build({ folder, packages, variables: `-X main.version=${ghz} -X main.Version=${vegeta}` }, request);
}

/** Builds the driver from its source in the pinned module, as generatorsFromModule does. */
export async function driverFromModule(folder: string, request: ToolsRequest): Promise<void> {
  const variables = `-X main.source=${driverVersion(request.root)}`;
  await build({ folder, packages: [`./cmd/${DRIVER}`], variables }, request);
}

interface Build {
  readonly folder: string;
  readonly packages: readonly string[];
  /** What the linker sets, as its flags. */
  readonly variables: string;
}

async function build({ folder, packages, variables }: Build, request: ToolsRequest): Promise<void> {
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags', `-s -w ${variables}`];
  const end = await runGo(['go', 'build', ...flags, '-o', `${folder}/`, ...packages], request);
  if (end.exitCode !== 0) {
    const why = end.timedOut ? `it took over ${BUILD_SECONDS} s` : end.lastLines.slice(-500);
    throw new SourceUnavailable(`go build of tools/load failed: ${why}`);
  }
}

async function runGo(argv: readonly string[], request: ToolsRequest): Promise<ChildEnd> {
  const environment = {
    ...request.environment,
    CGO_ENABLED: '0',
    GOOS: 'linux',
    GOARCH: request.architecture === 'arm64' ? 'arm64' : 'amd64',
    GOFLAGS: '-mod=readonly',
    GOWORK: 'off',
  };
  try {
    const limits = { signal: request.signal, limitSeconds: BUILD_SECONDS };
    return await runChild({ argv, cwd: join(request.root, 'tools', 'load'), environment }, limits);
  } catch (cause) {
    request.signal.throwIfAborted();
    throw new SourceUnavailable(messageOf(cause));
  }
}
