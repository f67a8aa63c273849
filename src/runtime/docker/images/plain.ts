import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChildCommand, type ChildEnd, runChild } from '../../../host/child.ts';
import { ownedFolder } from '../../../host/files/own-folders.ts';
import { readText } from '../../../host/files/reader.ts';
import { freeDiskMiB } from '../../../host/machine/machine.ts';
import { ownerOf } from '../../../host/machine/proc.ts';
import { withoutWorkflowVariables } from '../../../host/workflow.ts';
import { connectEngine, type Engine, whileItAnswers } from '../engine.ts';
import { type BuildEnd, builtByName, hasContainerdStore, type ImageRequest, newName } from './image.ts';

/** Nothing that is worth measuring takes longer to build. */
const BUILD_LIMIT_SECONDS = 1800;

/** Builds with `docker build`, by whichever builder the command line tool has for the engine, and the engine's own layers. */
export async function buildPlainly(engine: Engine, request: ImageRequest, signal: AbortSignal): Promise<BuildEnd> {
  const folder = await ownedFolder(ownerOf(process.pid) ?? `${process.pid}:0`);
  try {
    const idFile = join(folder, 'id');
    const builtAs = (await hasContainerdStore(engine)) ? newName(request.source) : undefined;
    const naming = builtAs === undefined ? [] : ['--tag', builtAs];
    const end = await runBuild(
      {
        // --force-rm: else the classic builder leaves the container of a step that failed.
        argv: ['docker', 'build', '--force-rm', '--iidfile', idFile, ...naming, ...buildFlags(request)],
        cwd: request.root,
        environment: { ...withoutWorkflowVariables(process.env), ...builderEnvironment(engine) },
      },
      signal,
    );
    if (end.exitCode !== 0 || end.timedOut) {
      return ended(end);
    }
    return builtAs === undefined
      ? { built: true, image: readText(idFile, 'Build it again.').trim() }
      : await builtByName(engine, builtAs);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface PrintedEnd extends ChildEnd {
  readonly log: string;
}

const LOG_LINES = 400;

export async function runBuild(command: ChildCommand, signal: AbortSignal): Promise<PrintedEnd> {
  let printed = (): string => '';
  const end = await runChild(command, {
    signal,
    limitSeconds: BUILD_LIMIT_SECONDS,
    started: (child) => (printed = () => child.lastLines(LOG_LINES)),
  });
  return { ...end, log: printed() };
}

export function ended({ lastLines, log, timedOut }: PrintedEnd): BuildEnd {
  const late = timedOut ? `\nThe build was stopped after ${BUILD_LIMIT_SECONDS} s.` : '';
  return { built: false, lastLines: `${lastLines}${late}`, log: `${log}${late}` };
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

export function builderEnvironment(engine: Engine): Readonly<Record<string, string>> {
  return {
    // The engine that the containers will run on, whatever context the tool is set to; a builder in a container of its own
    // would keep the image to itself.
    DOCKER_HOST: `unix://${engine.socket}`,
    BUILDX_BUILDER: 'default',
    // They contain the time of the build, which would give each build of the same content an id of its own.
    BUILDX_NO_DEFAULT_ATTESTATIONS: '1',
    BUILDKIT_PROGRESS: 'plain',
    DOCKER_CLI_HINTS: 'false',
  };
}

export interface Builder {
  readonly name: string;
  readonly driver: string;
  /** "running", "inactive", or an error. */
  readonly state: string;
}

const ASK_SECONDS = 30;

/** Builder of the command line tool with these variables, not started; undefined without buildx. */
export async function inspectBuilder(
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Builder | undefined> {
  let printed = (): string => '';
  const end = await runChild(
    { argv: ['docker', 'buildx', 'inspect'], cwd: '/', environment },
    { signal, limitSeconds: ASK_SECONDS, started: (child) => (printed = () => child.lastLines(1000)) },
  );
  // The first of each is the builder's own; those of its nodes follow.
  const field = (title: string): string | undefined =>
    new RegExp(`^${title}:\\s+(\\S.*)$`, 'm').exec(printed())?.[1]?.trim();
  const [name, driver] = [field('Name'), field('Driver')];
  return end.exitCode === 0 && name !== undefined && driver !== undefined
    ? { name, driver, state: field('Error') ?? field('Status') ?? 'in an unknown state' }
    : undefined;
}

/** How images would be built, and where they are kept; nothing is built. Throws as connectEngine does. */
export async function buildFacts(signal: AbortSignal) {
  const engine = await connectEngine();
  const { DockerRootDir: folder } = await whileItAnswers(engine, () => engine.api.info());
  const environment = { ...withoutWorkflowVariables(process.env), ...builderEnvironment(engine) };
  const builder = await inspectBuilder(environment, signal).catch(() => 'no program' as const);
  signal.throwIfAborted();
  return {
    builder: builder ?? ('no buildx' as const),
    usesBuildKit: process.env['DOCKER_BUILDKIT'] === '1',
    folder: String(folder),
    freeDiskMiB: freeDiskMiB(String(folder)),
  };
}
