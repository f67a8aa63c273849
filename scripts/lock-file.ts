/**
 * Checks that node_modules contains exactly the packages in package-lock.json: `npm install`, unlike `npm ci`, silently changes versions if the lock
 * file and package.json differ. Prints differences; exit code 1.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Package of a lock file, reduced to relevant fields. */
export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  /** Only needed on some platforms, or by an optional package. */
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

/** Packages by their folders; that of the project itself has none. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** Differences between the packages that npm reports as installed and the lock file, in words. */
export function driftOf(locked: LockedPackages, installed: LockedPackages): readonly string[] {
  const changed = Object.entries(installed).flatMap(([folder, { version, integrity }]) => {
    const wanted = locked[folder];
    if (wanted === undefined) {
      return [`${folder} ${version} is installed, and not in package-lock.json`];
    }
    return wanted.version === version && wanted.integrity === integrity
      ? []
      : [`${folder} is installed as ${version} (${integrity}), and ${wanted.version} (${wanted.integrity}) is locked`];
  });
  const missing = Object.entries(locked).flatMap(([folder, { version, optional, devOptional }]) => {
    const isNeeded = folder !== '' && optional !== true && devOptional !== true;
    return isNeeded && !Object.hasOwn(installed, folder) ? [`${folder} ${version} is locked, and not installed`] : [];
  });
  const unchecked = Object.entries(locked).flatMap(([folder, { integrity }]) =>
    folder !== '' && integrity === undefined ? [`${folder} has no checksum in package-lock.json`] : [],
  );
  return [...changed, ...missing, ...unchecked];
}

function packagesIn(file: string): LockedPackages {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const drift = driftOf(packagesIn('package-lock.json'), packagesIn('node_modules/.package-lock.json'));
  for (const line of drift) {
    console.error(line);
  }
  if (drift.length > 0) {
    console.error(
      'Run `npm ci`, or `npm install` and commit package-lock.json if a dependency was changed on purpose.',
    );
    process.exitCode = 1;
  }
}
