import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadTools } from '../app/ports.ts';
import { EnvironmentError, messageOf } from '../core/errors.ts';
import { DRIVER, driverVersion } from './driver-source.ts';
import { type CachedPrograms, cacheState, install, newFolderBeside } from './tools-cache.ts';
import { checkPrograms } from './tools-check.ts';
import { driverFromModule, generatorsFromModule } from './tools-module.ts';
import { GENERATOR_PROGRAMS, LOAD_TOOL_VERSIONS } from './tools-pins.ts';
import { fromRelease } from './tools-release.ts';
import { SourceUnavailable, type ToolsRequest } from './tools-source.ts';

/** Where the load tools may come from, and where they are kept. */
export interface LoadToolsOptions extends Pick<ToolsRequest, 'root' | 'architecture' | 'signal'> {
  readonly cacheFolder: string;
  /** One line for the log. */
  readonly log: (line: string) => void;
  /** Whether the driver is wanted, too: `driverFolder` then says where it lies. */
  readonly withDriver?: boolean;
  /** Puts programs, by their file names, into a folder that exists; the last source to be tried. */
  readonly fromImage?: (folder: string, programs: readonly string[]) => Promise<void>;
  /** The release archives, where not the pinned ones; for tests. */
  readonly archives?: NonNullable<ToolsRequest['archives']>;
  readonly connectMs?: number;
  /** The environment in which other programs are started; this program's own where not given. */
  readonly environment?: ToolsRequest['environment'];
}

/**
 * The pinned load tools: from the cache where they are there and undamaged, else from their releases, else built from
 * the pinned module, else out of the image, and then in the cache. The driver, which has no release, likewise.
 * Throws EnvironmentError where a download is not the pinned file, where no source can give the tools, and where the
 * cache cannot be written.
 */
export async function provideLoadTools(options: LoadToolsOptions): Promise<LoadTools> {
  const { folder, source } = await provide(generators(options), options);
  const tools = { folder, versions: LOAD_TOOL_VERSIONS, source };
  if (options.withDriver !== true) {
    return tools;
  }
  return { ...tools, driverFolder: (await provide(driver(options), options)).folder };
}

type Source = Exclude<LoadTools['source'], 'cache'>;

/** Programs that are had and kept together. */
interface Kit extends CachedPrograms {
  /** What the log calls them. */
  readonly title: string;
  readonly sources: readonly SourceOfKit[];
}

interface SourceOfKit {
  readonly name: Source;
  readonly fill: (folder: string) => Promise<void>;
}

function generators(options: LoadToolsOptions): Kit {
  const { ghz, vegeta } = LOAD_TOOL_VERSIONS;
  const request = requestOf(options);
  return {
    folder: kitFolder(options, `ghz-${ghz}-vegeta-${vegeta}`),
    programs: GENERATOR_PROGRAMS,
    title: `ghz ${ghz} and vegeta ${vegeta}`,
    sources: [
      { name: 'release', fill: (folder) => fromRelease(folder, request) },
      { name: 'module', fill: (folder) => generatorsFromModule(folder, request) },
      ...image(options, ['ghz', 'vegeta']),
    ],
  };
}

/** By its version in the folder's name, a driver whose source has changed is built anew. */
function driver(options: LoadToolsOptions): Kit {
  const version = driverVersion(options.root);
  return {
    folder: kitFolder(options, `driver-${version}`),
    programs: [{ name: DRIVER, version, versionArguments: ['version'], versionPattern: /^[0-9a-f]{16}$/ }],
    title: `the driver ${version}`,
    sources: [
      { name: 'module', fill: (folder) => driverFromModule(folder, requestOf(options)) },
      ...image(options, [DRIVER]),
    ],
  };
}

function kitFolder({ cacheFolder, architecture }: LoadToolsOptions, name: string): string {
  return join(cacheFolder, 'load-tools', `${name}-${architecture}`);
}

function requestOf(options: LoadToolsOptions): ToolsRequest {
  const { archives, connectMs, environment = process.env } = options;
  return { ...options, environment, archives, connectMs };
}

/** The last source: whatever keeps it from giving the programs belongs in the list of what was tried. */
function image({ fromImage }: LoadToolsOptions, programs: readonly string[]): readonly SourceOfKit[] {
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

const ORIGINS: Readonly<Record<Source, string>> = {
  release: 'downloaded and found to be the pinned releases',
  module: 'built from the pinned module',
  image: "taken out of the Dockerfile's target load",
};

async function provide(kit: Kit, options: LoadToolsOptions): Promise<Pick<LoadTools, 'folder' | 'source'>> {
  const { log, signal } = options;
  const { folder, programs, title } = kit;
  const state = await cacheState(kit, signal);
  if (state.kind === 'good') {
    return { folder, source: 'cache' };
  }
  if (state.kind === 'damaged') {
    log(`load tools: those in the cache are replaced: ${state.why}`);
  }
  const newFolder = await newFolderBeside(folder);
  try {
    const source = await fill(newFolder, kit, options);
    await checkPrograms(newFolder, programs, signal);
    await install(newFolder, kit, signal);
    log(`load tools: ${title} ${ORIGINS[source]}, kept in ${folder}`);
    return { folder, source };
  } finally {
    await rm(newFolder, { recursive: true, force: true });
  }
}

async function fill(folder: string, { sources }: Kit, { log, signal }: LoadToolsOptions): Promise<Source> {
  const tried: string[] = [];
  for (const source of sources) {
    try {
      await source.fill(folder);
      return source.name;
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof SourceUnavailable)) {
        throw thrown;
      }
      log(`load tools: ${thrown.message}`);
      tried.push(thrown.message);
    }
  }
  const isReleased = sources.some(({ name }) => name === 'release');
  throw new EnvironmentError(`The load tools cannot be had. Tried: ${tried.join('; ')}`, {
    next: `${isReleased ? 'Let this machine reach github.com, or install' : 'Install'} Go 1.24 or newer with access to its module proxy, or start Docker.`,
  });
}

export { checkLoadTools } from './tools-check.ts';
