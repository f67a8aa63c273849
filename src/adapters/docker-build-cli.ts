import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runChild } from './child.ts';
import type { Engine } from './docker-engine.ts';
import type { BuildEnd, ImageRequest } from './docker-image.ts';
import { ownerOf } from './proc.ts';
import { ownedFolder } from './processes-folder.ts';

/** Nothing that is worth measuring takes longer to build. */
export const BUILD_LIMIT_SECONDS = 1800;

/** Builds with `docker build`, by whichever builder the command line tool has. */
export async function buildByCli(engine: Engine, request: ImageRequest, signal: AbortSignal): Promise<BuildEnd> {
  const folder = await ownedFolder(ownerOf(process.pid) ?? `${process.pid}:0`);
  try {
    const idFile = join(folder, 'id');
    const [command = 'build', ...rest] = cliArguments(request);
    const end = await runChild(
      {
        // --force-rm: else the classic builder leaves the container of a step that failed.
        argv: ['docker', command, '--force-rm', '--iidfile', idFile, ...rest],
        cwd: request.root,
        environment: { ...process.env, ...builderEnvironment(engine) },
      },
      { signal, limitSeconds: BUILD_LIMIT_SECONDS },
    );
    if (end.exitCode === 0 && !end.timedOut) {
      return { built: true, image: (await readFile(idFile, 'utf8')).trim() };
    }
    const late = end.timedOut ? `\nThe build was ended after ${BUILD_LIMIT_SECONDS} s.` : '';
    return { built: false, lastLines: `${end.lastLines}${late}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The arguments of the `docker build` that makes the image, run in the request's root. */
export function cliArguments({ source, buildArgs }: ImageRequest): readonly string[] {
  return [
    'build',
    '--file',
    source.dockerfile,
    ...(source.target === undefined ? [] : ['--target', source.target]),
    ...Object.entries(buildArgs).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    source.context,
  ];
}

function builderEnvironment(engine: Engine): Readonly<Record<string, string>> {
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
