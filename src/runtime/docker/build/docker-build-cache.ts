import { runChild } from '../../../host/child.ts';
import { builtByName, hasContainerdStore, newName } from './docker-build-names.ts';
import { BUILD_LIMIT_SECONDS, builderEnvironment, buildFlags, ended } from './docker-build-plain.ts';
import { type Builder, inspectBuilder } from './docker-builder.ts';
import type { Engine } from '../docker-engine.ts';
import { type BuildEnd, type ImageRequest, imageName } from './docker-image.ts';
import { cacheVariables, withoutWorkflowVariables } from '../../../host/workflow-variables.ts';

/** A builder that can keep layers in the cache of GitHub Actions, and the way there. */
export interface CachingBuilder {
  readonly name: string;
  readonly cache: Readonly<Record<string, string | undefined>>;
}

/**
 * The builder that can keep layers between the jobs of a workflow: a builder in a container, as docker/setup-buildx-action makes it, or
 * the engine's own where it has containerd's image store. Undefined outside of a workflow and where there is no such builder.
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
    ...builder.cache,
  };
  const argv = ['docker', 'buildx', 'build', ...flags, ...buildFlags(request)];
  const end = await runChild({ argv, cwd: request.root, environment }, { signal, limitSeconds: BUILD_LIMIT_SECONDS });
  return end.exitCode === 0 && !end.timedOut ? await builtByName(engine, builtAs) : ended(end);
}
