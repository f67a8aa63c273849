import { runChild } from '../../../host/child.ts';
import { builderEnvironment } from './docker-build-plain.ts';
import { connectEngine, whileItAnswers } from '../docker-engine.ts';
import { freeDiskMiB } from '../../../host/machine/machine-facts.ts';
import { withoutWorkflowVariables } from '../../../host/workflow-variables.ts';

/** A builder of BuildKit, as the command line tool tells of it. */
export interface Builder {
  readonly name: string;
  readonly driver: string;
  /** "running", "inactive", or what is wrong with it. */
  readonly state: string;
}

const ASK_SECONDS = 30;

/**
 * The builder that the command line tool takes with these variables; it is not started. undefined where the tool has no buildx. Throws
 * EnvironmentError where there is no such tool.
 */
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
    wantsBuildKit: process.env['DOCKER_BUILDKIT'] === '1',
    folder: String(folder),
    freeDiskMiB: freeDiskMiB(String(folder)),
  };
}
