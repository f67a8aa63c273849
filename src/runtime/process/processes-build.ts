import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MeasurementError } from '../../foundation/errors.ts';
import { type ChildEnd, runChild } from '../../host/child.ts';
import { OWNER_VARIABLE } from '../../host/machine/orphans.ts';
import { withoutWorkflowVariables } from '../../host/workflow-variables.ts';
import type { Service } from '../../model/service.ts';
import { pythonEnvironment, type Site } from './processes-site.ts';
import { uvFolder } from './uv.ts';

const LIMIT_SECONDS = 900;

/**
 * Runs the build commands of the services, each distinct one once, in the order of the manifests.
 * Gives the folders to put first on the services' PATH. Throws MeasurementError where a command fails, EnvironmentError where uv
 * is needed and cannot be had, and the signal's reason where it aborts.
 */
export async function buildServices(
  site: Site,
  services: readonly Service[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { root, log } = site.options;
  const folders = needsUv(services, root)
    ? [join(pythonEnvironment(root), 'bin'), await uvFolder({ environment: process.env, signal, log })]
    : [];
  const environment = buildEnvironment(site, folders);
  const done = new Set<string>();
  for (const service of services) {
    for (const argv of service.process?.build ?? []) {
      const key = JSON.stringify(argv);
      if (!done.has(key)) {
        done.add(key);
        await build({ service, argv, root, environment }, signal);
      }
    }
  }
  return folders;
}

interface Build {
  readonly service: Service;
  readonly argv: readonly string[];
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

function needsUv(services: readonly Service[], root: string): boolean {
  const commands = services.flatMap(({ process: source }) =>
    source === undefined ? [] : [...source.build, source.command],
  );
  return commands.some(([program]) => program === 'uv') || existsSync(join(root, 'uv.lock'));
}

// A build may need the user's proxies, certificates and package indexes, so it gets their whole environment otherwise.
function buildEnvironment({ options }: Site, folders: readonly string[]): Build['environment'] {
  const path = [...folders, process.env['PATH'] ?? ''].join(':');
  return {
    ...withoutWorkflowVariables(process.env),
    PATH: path,
    [OWNER_VARIABLE]: options.owner,
    ...(folders.length > 0 && { UV_PROJECT_ENVIRONMENT: pythonEnvironment(options.root), VIRTUAL_ENV: undefined }),
  };
}

async function build({ service, argv, root, environment }: Build, signal: AbortSignal): Promise<void> {
  const end = await runChild({ argv, cwd: root, environment }, { signal, limitSeconds: LIMIT_SECONDS });
  if (end.exitCode !== 0 || end.timedOut) {
    throw new MeasurementError(
      `${service.name} cannot be built: \`${argv.join(' ')}\` ${reasonOf(end)}; its last lines:\n${end.lastLines}`,
      { next: `Run the command by hand in ${root} and mend what it reports.` },
    );
  }
}

function reasonOf({ exitCode, timedOut }: ChildEnd): string {
  return timedOut ? `was ended after ${LIMIT_SECONDS} s` : `ended with exit code ${exitCode}`;
}
