import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChildEnd, runChild } from '../../../host/child.ts';
import { builtByName, hasContainerdStore, newName } from './docker-build-names.ts';
import type { Engine } from '../docker-engine.ts';
import type { BuildEnd, ImageRequest } from './docker-image.ts';
import { ownerOf } from '../../../host/machine/proc.ts';
import { ownedFolder } from '../../../host/files/processes-folder.ts';
import { withoutWorkflowVariables } from '../../../host/workflow-variables.ts';

/** Nothing that is worth measuring takes longer to build. */
export const BUILD_LIMIT_SECONDS = 1800;

/** Builds with `docker build`, by whichever builder the command line tool has for the engine, and the engine's own layers. */
export async function buildPlainly(engine: Engine, request: ImageRequest, signal: AbortSignal): Promise<BuildEnd> {
  const folder = await ownedFolder(ownerOf(process.pid) ?? `${process.pid}:0`);
  try {
    const idFile = join(folder, 'id');
    const builtAs = (await hasContainerdStore(engine)) ? newName(request.source) : undefined;
    const naming = builtAs === undefined ? [] : ['--tag', builtAs];
    const end = await runChild(
      {
        // --force-rm: else the classic builder leaves the container of a step that failed.
        argv: ['docker', 'build', '--force-rm', '--iidfile', idFile, ...naming, ...buildFlags(request)],
        cwd: request.root,
        environment: { ...withoutWorkflowVariables(process.env), ...builderEnvironment(engine) },
      },
      { signal, limitSeconds: BUILD_LIMIT_SECONDS },
    );
    if (end.exitCode !== 0 || end.timedOut) {
      return ended(end);
    }
    return builtAs === undefined
      ? { built: true, image: (await readFile(idFile, 'utf8')).trim() }
      : await builtByName(engine, builtAs);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a build that made no image has printed. */
export function ended({ lastLines, timedOut }: ChildEnd): BuildEnd {
  const late = timedOut ? `\nThe build was ended after ${BUILD_LIMIT_SECONDS} s.` : '';
  return { built: false, lastLines: `${lastLines}${late}` };
}

/** The arguments that say what is built, for any builder, run in the request's root. */
export function buildFlags({ source, buildArgs }: ImageRequest): readonly string[] {
  return [
    '--file',
    source.dockerfile,
    ...(source.target === undefined ? [] : ['--target', source.target]),
    ...Object.entries(buildArgs).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    source.context,
  ];
}

/** What a builder has in its environment besides what the user has there. */
export function builderEnvironment(engine: Engine): Readonly<Record<string, string>> {
  return {
    // The engine that the containers will run on, whatever context the tool is set to; a builder in a container of its own
    // would keep the image to itself.
    DOCKER_HOST: `unix://${engine.socket}`,
    BUILDX_BUILDER: 'default',
    // They hold the time of the build, and so would give each build of the same content an id of its own.
    BUILDX_NO_DEFAULT_ATTESTATIONS: '1',
    BUILDKIT_PROGRESS: 'plain',
    DOCKER_CLI_HINTS: 'false',
  };
}
