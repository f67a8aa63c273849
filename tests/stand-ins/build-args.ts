import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type BuildArgs, parseBuildArgs } from '../../src/runtime/docker/images/image.ts';

/**
 * The build arguments that tests build images with: those of WIREGAUGE_BUILD_ARGS where it is set, else those that name the
 * stand-ins, which are made where the registry cannot be reached (a minute, once).
 */
export function buildArgsForTests(): BuildArgs {
  const given = process.env['WIREGAUGE_BUILD_ARGS'];
  if (given !== undefined) {
    return parseBuildArgs(given);
  }
  const script = new URL('build', import.meta.url).pathname;
  const printed = execFileSync(script, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  return parseBuildArgs(/^export WIREGAUGE_BUILD_ARGS='(.*)'$/m.exec(printed)?.[1]);
}

/** The same as WIREGAUGE_BUILD_ARGS has it, for programs that tests start. */
export function buildArgsText(): string {
  return Object.entries(buildArgsForTests())
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/** The image of Python that the Dockerfile of this repository names, by its digest. */
export const PINNED_PYTHON = /^ARG PYTHON_IMAGE=(\S+)$/m.exec(
  readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8'),
)?.[1];

/** The image of Python that tests start containers of: the stand-in if there is one, else what the Dockerfile names. */
export function pythonImage(): string {
  return buildArgsForTests()['PYTHON_IMAGE'] ?? PINNED_PYTHON ?? '';
}
