import { ConfigError } from '../../foundation/errors.ts';
import { quoted } from '../../host/git/git.ts';

/** A folder on a branch of a remote. */
export interface BranchPlace {
  readonly remote: string;
  readonly branch: string;
  readonly folder: string;
}

const PART = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$/;
const MOST_CHARACTERS = 200;

/** The flag that named the folder of a place: another one where `--folder` is a folder on a disk. */
export type FolderFlag = '--folder' | '--branch-folder';

/** The same place, if its names can be those of a remote, a branch and a folder. Throws ConfigError naming the flag where they cannot. */
export function checkedPlace(place: BranchPlace, folderFlag: FolderFlag): BranchPlace {
  const flags = { remote: '--remote', branch: '--branch', folder: folderFlag } as const;
  for (const name of ['remote', 'branch', 'folder'] as const) {
    if (!isPlainPath(place[name]) || /\.lock(\/|$)/.test(place[name])) {
      throw new ConfigError(
        `${flags[name]}=${quoted(place[name].slice(0, MOST_CHARACTERS))} cannot be the name of a ${name}`,
        {
          next: 'Use letters, digits, dots, dashes and underscores, with single slashes between them.',
        },
      );
    }
  }
  return place;
}

/** Whether a path has nothing in it that git, a file system or an address reads as something else: no "..", ".git" or option. */
export function isPlainPath(path: string): boolean {
  return path.length <= MOST_CHARACTERS && path.split('/').every((part) => PART.test(part) && !part.includes('..'));
}
