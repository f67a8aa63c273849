import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../foundation/errors.ts';
import { onDisk } from '../../host/files/output.ts';
import { cacheFolder } from '../../host/files/own-folders.ts';
import type { LoadToolName } from '../../model/load.ts';
import { DRIVER } from '../driver/source.ts';

export type Architecture = 'x64' | 'arm64';

/** Versions of the libraries in the driver, which tools/load/go.mod pins; a test compares the two. */
export const LOAD_TOOL_VERSIONS: Readonly<Record<LoadToolName, string>> = { ghz: '0.121.0', vegeta: '12.13.0' };

export interface PinnedDriver {
  /** Hash of its source, which it prints for the argument `version`. */
  readonly version: string;
  /** SHA-256 of its known builds; other builds are as trustworthy as the users who may write to their folder. */
  readonly sha256: readonly string[];
}

export interface Caches {
  /** Wiregauge's own cache, which always exists. */
  readonly cacheFolder: string;
  /** Folder in which a GitHub Actions runner keeps programs between jobs. */
  readonly toolCacheFolder?: string | undefined;
  readonly architecture: Architecture;
}

export function cachesHere(environment: NodeJS.ProcessEnv = process.env): Caches {
  return {
    cacheFolder: cacheFolder(environment),
    toolCacheFolder: environment['RUNNER_TOOL_CACHE'] || undefined,
    architecture: process.arch === 'arm64' ? 'arm64' : 'x64',
  };
}

export interface DriverPlace {
  readonly folder: string;
  /** Name of the cache in the log. */
  readonly cache: string;
  /** File that shows users of the runner's tool cache that the folder is complete. */
  readonly marker?: string;
}

/**
 * Possible places for the driver of a version: the runner's tool cache, if any, and Wiregauge's own. The first one that has it is used, and the first
 * writable one gets it. The layout is that of @actions/tool-cache, which the tests check. Its own code is not used: it copies instead of renaming, so
 * that of two concurrent jobs on one machine the second would delete the copy that the first uses; and it has no checksums.
 */
export function placesOf(
  version: string,
  { cacheFolder, toolCacheFolder, architecture }: Caches,
): readonly [DriverPlace, ...DriverPlace[]] {
  const own = { folder: join(cacheFolder, 'load-tools', `driver-${version}-${architecture}`), cache: 'the cache' };
  if (toolCacheFolder === undefined) {
    return [own];
  }
  // A tool cache accepts only semantic versions, whose numbers do not begin with a zero, as a hash may.
  const folder = join(toolCacheFolder, DRIVER, `0.0.0-source-${version}`, architecture);
  return [{ folder, cache: "the runner's tool cache", marker: `${folder}.complete` }, own];
}

/** Marks the place as complete. A read-only cache that was already filled works without the mark. */
export async function markComplete({ marker }: DriverPlace): Promise<void> {
  if (marker === undefined) {
    return;
  }
  try {
    await access(marker);
  } catch {
    await onDisk(marker, () => writeFile(marker, '').catch(unlessForbidden));
  }
}

function unlessForbidden(thrown: unknown): void {
  if (!['EACCES', 'EROFS', 'EPERM'].includes(codeOf(thrown))) {
    throw thrown;
  }
}

export interface ToolsRequest extends Caches {
  /** Folder of Wiregauge: tools/load below it pins the module. */
  readonly root: string;
  readonly signal: AbortSignal;
  /** Address of Wiregauge's releases; set by tests. */
  readonly releases?: string;
  readonly connectMs?: number;
  /** Environment in which other programs are started; default: this program's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export class SourceUnavailable extends Error {}
