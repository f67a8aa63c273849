import { buildWithCache, cachingBuilder } from './docker-build-cache.ts';
import { buildFlags, buildPlainly } from './docker-build-plain.ts';
import type { Engine } from '../docker-engine.ts';
import { type BuildEnd, type ImageRequest, imageName } from './docker-image.ts';

/**
 * Builds with the command line tool: with the cache of GitHub Actions where a workflow and a builder have it, else by whichever builder
 * the tool has. A cache that fails costs time and never the build.
 */
export async function buildByCli(engine: Engine, request: ImageRequest, signal: AbortSignal): Promise<BuildEnd> {
  const builder = await cachingBuilder(engine, signal);
  if (builder === undefined) {
    return await buildPlainly(engine, request, signal);
  }
  const { log = () => undefined, source } = request;
  const end = await buildWithCache(engine, request, { builder, signal });
  if (end.built) {
    log(`image ${imageName(source)}: built by ${builder.name} with the layers that the cache of GitHub Actions has`);
    return end;
  }
  if (OF_THE_BUILD.test(end.lastLines)) {
    return end;
  }
  log(
    `image ${imageName(source)}: built again without the cache of GitHub Actions: ${end.lastLines.split('\n').at(-1)}`,
  );
  return await buildPlainly(engine, request, signal);
}

/** A step's own failure, or too slow a build: no cache is to blame. Whatever else fails may be the cache, or that builder. */
const OF_THE_BUILD = /did not complete successfully: exit code|The build was ended after/;

/** The arguments of the `docker build` that makes the image, run in the request's root. */
export function cliArguments(request: ImageRequest): readonly string[] {
  return ['build', ...buildFlags(request)];
}
