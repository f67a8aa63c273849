import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChildCommand, runChild } from '../../../host/child.ts';
import { ownedFolder } from '../../../host/files/own-folders.ts';
import { readText } from '../../../host/files/reader.ts';
import { freeDiskMiB } from '../../../host/machine/machine.ts';
import { machineOwner } from '../../../host/machine/proc.ts';
import { withoutWorkflowVariables } from '../../../host/workflow.ts';
import { connectEngine, type Engine, whileItAnswers } from '../engine.ts';
import { type BuildEnd, builtByName, hasContainerdStore, type ImageRequest, newName } from './image.ts';

/** No service worth measuring takes longer to build. */
const BUILD_LIMIT_SECONDS = 1800;

/** Builds with `docker build`, by the command line tool's builder for the engine, and the engine's own layers. */
export async function buildPlainly(engine: Engine, request: ImageRequest, signal: AbortSignal): Promise<BuildEnd> {
  const folder = await ownedFolder(machineOwner());
  try {
    const idFile = join(folder, 'id');
    const builtAs = (await hasContainerdStore(engine)) ? newName(request.source) : undefined;
    const naming = builtAs === undefined ? [] : ['--tag', builtAs];
    // Without --force-rm, the classic builder leaves the container of a failed step.
    const argv = ['docker', 'build', '--force-rm', '--iidfile', idFile, ...naming, ...buildFlags(request)];
    const found = async (): Promise<BuildEnd> =>
      builtAs === undefined
        ? { built: true, image: readText(idFile, 'Build it again.').trim() }
        : await builtByName(engine, builtAs);
    return await runBuild({ argv, cwd: request.root, environment: builderEnvironment(engine) }, found, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const LOG_LINES = 400;

/** Runs a build to its end; `found` returns the image of a successful one. */
export async function runBuild(
  command: ChildCommand,
  found: () => Promise<BuildEnd>,
  signal: AbortSignal,
): Promise<BuildEnd> {
  const end = await runChild(command, { signal, limitSeconds: BUILD_LIMIT_SECONDS });
  if (end.exitCode === 0 && !end.timedOut) {
    return await found();
  }
  const late = end.timedOut ? `\nThe build was stopped after ${BUILD_LIMIT_SECONDS} s.` : '';
  return { built: false, lastLines: `${end.lastLines}${late}`, log: `${end.lines(LOG_LINES)}${late}` };
}

export function buildFlags({ source, buildArgs }: ImageRequest): readonly string[] {
  return [
    '--file',
    source.dockerfile,
    ...(source.target === undefined ? [] : ['--target', source.target]),
    ...Object.entries(buildArgs).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    // A path from a pull request must not act as an option.
    ...(source.context.startsWith('-') ? ['--', `./${source.context}`] : [source.context]),
  ];
}

export function builderEnvironment(engine: Engine): Readonly<Record<string, string | undefined>> {
  return {
    ...withoutWorkflowVariables(process.env),
    // Engine that the containers will run on, regardless of the current context; a builder in its own container would keep the image to itself.
    DOCKER_HOST: `unix://${engine.socket}`,
    BUILDX_BUILDER: 'default',
    // Attestations contain the time of the build, which would give each build of the same content a different ID.
    BUILDX_NO_DEFAULT_ATTESTATIONS: '1',
    BUILDKIT_PROGRESS: 'plain',
    DOCKER_CLI_HINTS: 'false',
  };
}

const ASK_SECONDS = 30;

/** Builder of the command line tool with these variables, not started; undefined without buildx. Its state is "running", "inactive", or an error. */
export async function inspectBuilder(environment: Readonly<Record<string, string | undefined>>, signal: AbortSignal) {
  const command = { argv: ['docker', 'buildx', 'inspect'], cwd: '/', environment };
  const end = await runChild(command, { signal, limitSeconds: ASK_SECONDS });
  // The first of each belongs to the builder; those of its nodes follow.
  const field = (title: string): string | undefined =>
    new RegExp(`^${title}:\\s+(\\S.*)$`, 'm').exec(end.lines(1000))?.[1]?.trim();
  const [name, driver] = [field('Name'), field('Driver')];
  return end.exitCode === 0 && name !== undefined && driver !== undefined
    ? { name, driver, state: field('Error') ?? field('Status') ?? 'in an unknown state' }
    : undefined;
}

/** Builder of images, and where they are stored; builds nothing. Throws as connectEngine does. */
export async function buildFacts(signal: AbortSignal) {
  const engine = await connectEngine();
  const { DockerRootDir: folder } = await whileItAnswers(engine, () => engine.api.info());
  const builder = await inspectBuilder(builderEnvironment(engine), signal).catch(() => 'no program' as const);
  signal.throwIfAborted();
  return {
    builder: builder ?? ('no buildx' as const),
    usesBuildKit: process.env['DOCKER_BUILDKIT'] === '1',
    folder: String(folder),
    freeDiskMiB: freeDiskMiB(String(folder)),
  };
}
