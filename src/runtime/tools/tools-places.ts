import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onDisk } from '../../host/files/output-folder.ts';
import type { Architecture } from './tools-pins.ts';

/** What programs that are kept together are called in a cache. */
export interface KitName {
  /** As a tool cache knows it. */
  readonly tool: string;
  /** As semantic versioning writes versions: a tool cache finds no other. */
  readonly version: string;
  /** As Wiregauge's own cache knows both of them. */
  readonly folder: string;
}

/** The caches of this machine. */
export interface Caches {
  /** Wiregauge's own, which is always there. */
  readonly cacheFolder: string;
  /** The folder in which a runner of GitHub Actions keeps programs between jobs. */
  readonly toolCacheFolder?: string;
  readonly architecture: Architecture;
}

/** A folder in which programs are kept, or may be. */
export interface KitPlace {
  readonly folder: string;
  /** What the log calls the cache. */
  readonly cache: string;
  /** The file that says to users of the runner's tool cache that the folder is whole. */
  readonly marker?: string;
}

/**
 * Where programs may lie: in the runner's tool cache, where there is one, and in Wiregauge's own. The first of them that has them
 * is used, and the first that can be written to takes them.
 *
 * The tool cache's layout is that of @actions/tool-cache, which the tests ask. Its own code is not used: it copies where we rename, so
 * that of two jobs at once on one machine the second would delete what the first is using; and it knows no checksums.
 */
export function placesOf(
  name: KitName,
  { cacheFolder, toolCacheFolder, architecture }: Caches,
): readonly [KitPlace, ...KitPlace[]] {
  const own = { folder: join(cacheFolder, 'load-tools', `${name.folder}-${architecture}`), cache: 'the cache' };
  if (toolCacheFolder === undefined) {
    return [own];
  }
  const folder = join(toolCacheFolder, name.tool, name.version, architecture);
  return [{ folder, cache: "the runner's tool cache", marker: `${folder}.complete` }, own];
}

/** Marks the place as whole. A cache that was filled for reading only is as good without the mark. */
export async function markComplete({ marker }: KitPlace): Promise<void> {
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
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  if (!['EACCES', 'EROFS', 'EPERM'].includes(code)) {
    throw thrown;
  }
}
