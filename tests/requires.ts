import { existsSync } from 'node:fs';

type Requirement = 'docker' | 'browser' | 'act';

const present: Record<Requirement, () => boolean> = {
  docker: () => existsSync(process.env['DOCKER_HOST']?.replace('unix://', '') ?? '/var/run/docker.sock'),
  browser: () => existsSync('/usr/bin/chromium'),
  act: () => process.env['PATH']?.split(':').some((folder) => existsSync(`${folder}/act`)) ?? false,
};

/**
 * Whether tests that need an outside thing are to run: when it is there, and always when WIREGAUGE_REQUIRE names it,
 * so that in CI a missing thing fails instead of being skipped in silence.
 */
export function requires(what: Requirement): boolean {
  const demanded = (process.env['WIREGAUGE_REQUIRE'] ?? '').split(',').includes(what);
  return demanded || present[what]();
}
