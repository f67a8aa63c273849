import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';

type Requirement = 'docker' | 'browser' | 'act' | 'root' | 'valgrind' | 'py-spy' | 'perf';

/** What comes before a command that only root may run: sudo, which asks for no password on a hosted runner. */
export const asRoot: readonly string[] = process.getuid?.() === 0 ? [] : ['sudo', '-n'];

const present: Record<Requirement, () => boolean> = {
  docker: () => existsSync(process.env['DOCKER_HOST']?.replace('unix://', '') ?? '/var/run/docker.sock'),
  browser: () => existsSync('/usr/bin/chromium'),
  act: () => isInstalled('act'),
  root: () => asRoot.length === 0 || spawnSync('sudo', ['-n', 'true']).status === 0,
  valgrind: () => isInstalled('valgrind'),
  'py-spy': () => existsSync(resolve(import.meta.dirname, '../../.venv/bin/py-spy')) && mayLook(),
  perf: () => isInstalled('perf') && mayLook(),
};

/** A profiler of another process has to be root on most machines. */
function mayLook(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Whether tests that need an outside thing are to run: when it is there, and always when WIREGAUGE_REQUIRE names it,
 * so that in CI a missing thing fails instead of being skipped in silence.
 */
export function requires(what: Requirement): boolean {
  return demands(what) || present[what]();
}

/** The same of tests that need some programs: the shells that are completed, and what the examples are made with. */
export function requiresPrograms(what: 'shells' | 'examples', programs: readonly string[]): boolean {
  return demands(what) || programs.every(isInstalled);
}

function demands(what: string): boolean {
  return (process.env['WIREGAUGE_REQUIRE'] ?? '').split(',').includes(what);
}

function isInstalled(program: string): boolean {
  const folders = [...(process.env['PATH']?.split(':') ?? []), ...postgresqlFolders()];
  return folders.some((folder) => existsSync(`${folder}/${program}`));
}

/** Debian keeps PostgreSQL's programs off the PATH. */
function postgresqlFolders(): readonly string[] {
  const versions = '/usr/lib/postgresql';
  return existsSync(versions) ? readdirSync(versions).map((version) => `${versions}/${version}/bin`) : [];
}
