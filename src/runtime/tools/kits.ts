import { messageOf } from '../../foundation/index.ts';
import { DRIVER, driverVersion } from '../../load/index.ts';
import type { LoadTools } from '../port.ts';
import { driverFromModule, generatorsFromModule } from './module.ts';
import type { KitName } from './places.ts';
import {
  GENERATOR_PROGRAMS,
  LOAD_TOOL_VERSIONS,
  type PinnedProgram,
  SourceUnavailable,
  type ToolsRequest,
} from './places.ts';
import { driverFromRelease, driverSums, fromRelease } from './release.ts';

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
    programs: [
      {
        name: DRIVER,
        version,
        versionArguments: ['version'],
        versionPattern: /^[0-9a-f]{16}$/,
        sha256: driverSums(request.root, version),
      },
    ],
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
