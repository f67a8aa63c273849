import { cacheVariables, withoutWorkflowVariables } from '../../../host/workflow.ts';
import type { Engine } from '../engine.ts';
import { type BuildEnd, builtByName, hasContainerdStore, type ImageRequest, imageName, newName } from './image.ts';
import {
  type Builder,
  builderEnvironment,
  buildFlags,
  buildPlainly,
  ended,
  inspectBuilder,
  runBuild,
} from './plain.ts';

/**
 * Builds with the command line tool: with the cache of GitHub Actions if a workflow and a builder have it, else by whichever builder
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
    log(`image ${imageName(source)}: built by ${builder.name} with layers from the GitHub Actions cache`);
    return end;
  }
  if (OF_THE_BUILD.test(end.lastLines)) {
    return end;
  }
  log(`image ${imageName(source)}: rebuilt without the GitHub Actions cache: ${end.lastLines.split('\n').at(-1)}`);
  return await buildPlainly(engine, request, signal);
}

/** A step's own failure, or too slow a build: no cache is to blame. Whatever else fails may be the cache, or that builder. */
const OF_THE_BUILD = /did not complete successfully: exit code|The build was ended after/;

/** The arguments of the `docker build` that makes the image, run in the request's root. */
export function cliArguments(request: ImageRequest): readonly string[] {
  return ['build', ...buildFlags(request)];
}

/** A builder that can keep layers in the cache of GitHub Actions, and the way there. */
export interface CachingBuilder {
  readonly name: string;
  readonly cache: Readonly<Record<string, string | undefined>>;
}

/**
 * The builder that can keep layers between the jobs of a workflow: a builder in a container, as docker/setup-buildx-action makes it, or
 * the engine's own if it has containerd's image store. Undefined outside of a workflow and if there is no such builder.
 */
export async function cachingBuilder(engine: Engine, signal: AbortSignal): Promise<CachingBuilder | undefined> {
  const cache = cacheVariables(process.env);
  if (cache === undefined) {
    return undefined;
  }
  const current = await currentBuilder(engine, signal);
  if (current?.driver === 'docker-container') {
    return { name: current.name, cache };
  }
  return current !== undefined && (await hasContainerdStore(engine)) ? { name: 'default', cache } : undefined;
}

async function currentBuilder(engine: Engine, signal: AbortSignal): Promise<Builder | undefined> {
  // Which builder is the current one may be the user's choice by variable; which engine is not.
  const { BUILDX_BUILDER: _, ...ours } = builderEnvironment(engine);
  return await inspectBuilder({ ...withoutWorkflowVariables(process.env), ...ours }, signal);
}

/** Builds with layers from and to the cache, and has the image loaded into the engine. */
export async function buildWithCache(
  engine: Engine,
  request: ImageRequest,
  { builder, signal }: { readonly builder: CachingBuilder; readonly signal: AbortSignal },
): Promise<BuildEnd> {
  // Both versions of a comparison share it, and so do the jobs of a branch and those of the pull requests to it.
  const scope = `scope=wiregauge-${imageName(request.source)}`;
  const builtAs = newName(request.source);
  const flags = [
    ...['--tag', builtAs, '--load'],
    ...['--cache-from', `type=gha,${scope}`],
    ...['--cache-to', `type=gha,mode=max,${scope},ignore-error=true`],
  ];
  const environment = {
    ...withoutWorkflowVariables(process.env),
    ...builderEnvironment(engine),
    BUILDX_BUILDER: builder.name,
  };
  const argv = ['docker', 'buildx', 'build', ...flags, ...buildFlags(request)];
  const end = await runBuild({ argv, cwd: request.root, environment, credentials: builder.cache }, signal);
  return end.exitCode === 0 && !end.timedOut ? await builtByName(engine, builtAs) : ended(end);
}
