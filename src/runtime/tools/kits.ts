import { messageOf } from '../../foundation/index.ts';
import { DRIVER, driverVersion } from '../../load/index.ts';
import type { LoadTools } from '../port.ts';
import { driverFromModule } from './module.ts';
import { type KitName, type PinnedProgram, SourceUnavailable, type ToolsRequest } from './places.ts';
import { driverFromRelease, driverSums } from './release.ts';

/** Where the driver was had from. */
export type Source = Exclude<LoadTools['source'], 'cache'>;

/** The driver, what the log calls it, and its sources. */
export interface Kit {
  readonly name: KitName;
  readonly program: PinnedProgram;
  readonly title: string;
  /** In the order in which they are tried. */
  readonly sources: readonly SourceOfKit[];
}

interface SourceOfKit {
  readonly name: Source;
  readonly fill: (folder: string) => Promise<void>;
}

/** Puts the driver into a folder that exists. */
export type FromImage = (folder: string) => Promise<void>;

/** The kit of the driver. By its version in the folder's name, a driver whose source has changed is had anew. */
export function driverKit(request: ToolsRequest, fromImage: FromImage | undefined): Kit {
  const version = driverVersion(request.root);
  return {
    // A hash is no version, and one of digits only may not begin with a zero.
    name: { tool: DRIVER, version: `0.0.0-source-${version}`, folder: `driver-${version}` },
    program: { name: DRIVER, version, sha256: driverSums(request.root, version) },
    title: `the driver ${version}`,
    sources: [
      { name: 'release', fill: (folder) => driverFromRelease(folder, request) },
      { name: 'module', fill: (folder) => driverFromModule(folder, request) },
      ...(fromImage === undefined ? [] : [{ name: 'image' as const, fill: orUnavailable(fromImage) }]),
    ],
  };
}

/** The last source: whatever keeps it from giving the driver belongs in the list of what was tried. */
function orUnavailable(fromImage: FromImage): FromImage {
  return async (folder) => {
    try {
      await fromImage(folder);
    } catch (cause) {
      throw new SourceUnavailable(`the image of the load driver cannot be used: ${messageOf(cause)}`, { cause });
    }
  };
}
