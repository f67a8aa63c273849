import { rm } from 'node:fs/promises';
import { EnvironmentError } from '../../foundation/index.ts';
import { onDisk, runChild } from '../../host/index.ts';
import type { LoadTools } from '../port.ts';
import { cacheState, checkPrograms, install, newFolderBeside } from './cache.ts';
import { driverKit, type FromImage, generatorsKit, type Kit, type Source } from './kits.ts';
import {
  type Caches,
  type KitPlace,
  LOAD_TOOL_VERSIONS,
  markComplete,
  placesOf,
  SourceUnavailable,
  type ToolsRequest,
} from './places.ts';

/** Where the load tools may come from, and where they are kept. */
export interface LoadToolsOptions extends Caches, Pick<ToolsRequest, 'root' | 'signal'> {
  /** One line for the log. */
  readonly log: (line: string) => void;
  /** Whether the driver is wanted, too: `driverFolder` then says where it lies. Only `true` makes it an error if it is not available. */
  readonly withDriver?: boolean | 'if-possible';
  /** The last source to be tried. */
  readonly fromImage?: FromImage;
  /** The release archives, if not the pinned ones; for tests. */
  readonly archives?: NonNullable<ToolsRequest['archives']>;
  /** Where Wiregauge's own releases lie; for tests. */
  readonly releases?: string;
  readonly connectMs?: number;
  /** The environment in which other programs are started; this program's own if not given. */
  readonly environment?: ToolsRequest['environment'];
}

/**
 * The pinned load tools: from a cache if they are there and undamaged, else from their releases, else built from
 * the pinned module, else out of the image, and then in a cache. The driver likewise.
 * Throws EnvironmentError if a download is not the pinned file, if no source can give the tools, and if no
 * cache can be written.
 */
export async function provideLoadTools(options: LoadToolsOptions): Promise<LoadTools> {
  const { archives, releases, connectMs, fromImage, environment = process.env } = options;
  const request = { ...options, environment, archives, releases, connectMs };
  const { folder, source } = await provide(generatorsKit(request, fromImage), options);
  const tools = { folder, versions: LOAD_TOOL_VERSIONS, source };
  if (options.withDriver === undefined || options.withDriver === false) {
    return tools;
  }
  try {
    return { ...tools, driverFolder: (await provide(driverKit(request, fromImage), options)).folder };
  } catch (thrown) {
    if (options.withDriver === true || options.signal.aborted || !(thrown instanceof EnvironmentError)) {
      throw thrown;
    }
    options.log(`load tools: ${thrown.message}`);
    return tools;
  }
}

const ORIGINS: Readonly<Record<Source, string>> = {
  release: 'downloaded (pinned release, checksum verified)',
  module: 'built from the pinned module',
  image: 'taken from the target load of the Dockerfile',
};

type Provided = Pick<LoadTools, 'folder' | 'source'>;

async function provide(kit: Kit, options: LoadToolsOptions): Promise<Provided> {
  const places = placesOf(kit.name, options);
  const began = performance.now();
  const seconds = (): string => `${((performance.now() - began) / 1000).toFixed(1)} s`;
  const found = await firstWith(kit, places, options);
  if (found !== undefined) {
    options.log(`load tools: ${kit.title} from ${found.cache}, checked in ${seconds()}`);
    return { folder: found.folder, source: 'cache' };
  }
  const { folder, newFolder, ...place } = await firstWritable(places, options);
  const cached = { folder, programs: kit.programs };
  try {
    const source = await onDisk(folder, async () => {
      const filled = await fill(newFolder, kit, options);
      await checkPrograms(newFolder, kit.programs, options.signal);
      await install(newFolder, cached, options.signal);
      return filled;
    });
    await markComplete({ folder, ...place });
    options.log(`load tools: ${kit.title} ${ORIGINS[source]} in ${seconds()}, kept in ${folder}`);
    return { folder, source };
  } finally {
    await rm(newFolder, { recursive: true, force: true });
  }
}

/** The first place that has the programs, undamaged. */
async function firstWith(
  { programs }: Kit,
  places: readonly KitPlace[],
  { log, signal }: LoadToolsOptions,
): Promise<KitPlace | undefined> {
  for (const place of places) {
    const state = await cacheState({ folder: place.folder, programs }, signal);
    if (state.kind === 'good') {
      await markComplete(place);
      return place;
    }
    if (state.kind === 'damaged') {
      log(`load tools: replacing those in ${place.cache}: ${state.why}`);
    }
  }
  return undefined;
}

/** The first place that takes programs, with an empty folder beside it in which they are made ready. */
async function firstWritable(
  places: readonly KitPlace[],
  { log }: LoadToolsOptions,
): Promise<KitPlace & { readonly newFolder: string }> {
  for (const [index, place] of places.entries()) {
    try {
      return { ...place, newFolder: await newFolderBeside(place.folder) };
    } catch (thrown) {
      if (!(thrown instanceof EnvironmentError) || index === places.length - 1) {
        throw thrown;
      }
      log(`load tools: not using ${place.cache}: ${thrown.message}`);
    }
  }
  throw new EnvironmentError('there is no cache for the load tools', { code: 'WG-203' });
}

async function fill(folder: string, { sources }: Kit, { log, signal }: LoadToolsOptions): Promise<Source> {
  const tried: string[] = [];
  for (const source of sources) {
    try {
      await source.fill(folder);
      // Without any source they are in the error.
      for (const why of tried) {
        log(`load tools: ${why}`);
      }
      return source.name;
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof SourceUnavailable)) {
        throw thrown;
      }
      tried.push(thrown.message);
    }
  }
  throw new EnvironmentError(`could not install the load tools; tried: ${tried.join('; ')}`, {
    code: 'WG-203',
    next: 'Allow this machine to reach github.com, install Go 1.24 or newer with access to its module proxy, start Docker, or fill the cache with `wiregauge tools` on another machine.',
  });
}

/** How the load tools and the driver lie in the caches of this machine; nothing is fetched. */
export async function toolsState(request: ToolsRequest & Caches) {
  const kits = [generatorsKit(request, undefined), driverKit(request, undefined)];
  return await Promise.all(kits.map((kit) => stateOf(kit, request)));
}

async function stateOf({ name, programs, title }: Kit, request: ToolsRequest & Caches) {
  const places = placesOf(name, request);
  const states = await Promise.all(
    places.map(async ({ folder }) => ({
      folder,
      state: (await cacheState({ folder, programs }, request.signal)).kind,
    })),
  );
  const found = states.find(({ state }) => state === 'good') ??
    states.find(({ state }) => state === 'damaged') ?? { folder: places[0].folder, state: 'missing' as const };
  return { title, ...found };
}

/** "go1.26.8"; undefined if there is no Go. */
export async function goVersion(signal: AbortSignal): Promise<string | undefined> {
  try {
    const request = { argv: ['go', 'version'], cwd: '/', environment: process.env };
    const { lastLines, exitCode } = await runChild(request, { signal, limitSeconds: 10 });
    return exitCode === 0 ? /\bgo\d[\w.]*/.exec(lastLines)?.[0] : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
