import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadTools } from '../app/ports.ts';
import { EnvironmentError, messageOf } from '../core/errors.ts';
import { cacheState, install, newFolderBeside } from './tools-cache.ts';
import { checkLoadTools } from './tools-check.ts';
import { fromModule } from './tools-module.ts';
import { LOAD_TOOL_VERSIONS } from './tools-pins.ts';
import { fromRelease } from './tools-release.ts';
import { SourceUnavailable, type ToolsRequest } from './tools-source.ts';

/** Where the load tools may come from, and where they are kept. */
export interface LoadToolsOptions extends Pick<ToolsRequest, 'root' | 'architecture' | 'signal'> {
  readonly cacheFolder: string;
  /** One line for the log. */
  readonly log: (line: string) => void;
  /** Puts the two binaries into a folder that exists; the last source to be tried. */
  readonly fromImage?: (folder: string) => Promise<void>;
  /** The release archives, where not the pinned ones; for tests. */
  readonly archives?: NonNullable<ToolsRequest['archives']>;
  readonly connectMs?: number;
  /** The environment in which other programs are started; this program's own where not given. */
  readonly environment?: ToolsRequest['environment'];
}

/**
 * The pinned load tools: from the cache where they are there and undamaged, else from their releases, else built from
 * the pinned module, else out of the image, and then in the cache. Throws EnvironmentError where a download is not the
 * pinned file, where no source can give the tools, and where the cache cannot be written.
 */
export async function provideLoadTools(options: LoadToolsOptions): Promise<LoadTools> {
  const { cacheFolder, architecture, log, signal } = options;
  const { ghz, vegeta } = LOAD_TOOL_VERSIONS;
  const folder = join(cacheFolder, 'load-tools', `ghz-${ghz}-vegeta-${vegeta}-${architecture}`);
  const state = await cacheState(folder, signal);
  if (state.kind === 'good') {
    return { folder, versions: LOAD_TOOL_VERSIONS, source: 'cache' };
  }
  if (state.kind === 'damaged') {
    log(`load tools: those in the cache are replaced: ${state.why}`);
  }
  const newFolder = await newFolderBeside(folder);
  try {
    const source = await fill(newFolder, options);
    await checkLoadTools(newFolder, signal);
    await install(newFolder, folder, signal);
    log(`load tools: ghz ${ghz} and vegeta ${vegeta} ${ORIGINS[source]}, kept in ${folder}`);
    return { folder, versions: LOAD_TOOL_VERSIONS, source };
  } finally {
    await rm(newFolder, { recursive: true, force: true });
  }
}

type Source = Exclude<LoadTools['source'], 'cache'>;

const ORIGINS: Readonly<Record<Source, string>> = {
  release: 'downloaded and found to be the pinned releases',
  module: 'built from the pinned module',
  image: "taken out of the Dockerfile's target load",
};

interface SourceOfTools {
  readonly name: Source;
  readonly fill: (folder: string) => Promise<void>;
}

async function fill(folder: string, options: LoadToolsOptions): Promise<Source> {
  const tried: string[] = [];
  for (const source of sourcesOf(options)) {
    try {
      await source.fill(folder);
      return source.name;
    } catch (thrown) {
      options.signal.throwIfAborted();
      if (!(thrown instanceof SourceUnavailable)) {
        throw thrown;
      }
      options.log(`load tools: ${thrown.message}`);
      tried.push(thrown.message);
    }
  }
  throw new EnvironmentError(`The load tools cannot be had. Tried: ${tried.join('; ')}`, {
    next: 'Let this machine reach github.com, or install Go 1.24 or newer with access to its module proxy, or start Docker.',
  });
}

function sourcesOf(options: LoadToolsOptions): SourceOfTools[] {
  const { fromImage, archives, connectMs, environment = process.env } = options;
  const request: ToolsRequest = { ...options, environment, archives, connectMs };
  return [
    { name: 'release', fill: (folder) => fromRelease(folder, request) },
    { name: 'module', fill: (folder) => fromModule(folder, request) },
    ...(fromImage === undefined ? [] : [{ name: 'image' as const, fill: image(fromImage) }]),
  ];
}

/** The last source: whatever keeps it from giving the tools belongs in the list of what was tried. */
function image(fromImage: (folder: string) => Promise<void>): SourceOfTools['fill'] {
  return async (folder) => {
    try {
      await fromImage(folder);
    } catch (cause) {
      throw new SourceUnavailable(`the image of the load tools cannot be used: ${messageOf(cause)}`, { cause });
    }
  };
}

export { checkLoadTools } from './tools-check.ts';
