import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, messageOf } from '../../foundation/errors.ts';

/** More folders than a comparison has shards are something else. */
const MOST_FOLDERS = 1000;

/**
 * The files of that name in a folder and in its folders, by path; symbolic links are not followed, since what a job leaves may lead
 * anywhere. Throws ConfigError where the folder cannot be read, or holds far too much.
 */
export function filesNamed(name: string, folder: string): readonly string[] {
  const folders = foldersIn(folder);
  if (folders.length > MOST_FOLDERS) {
    throw new ConfigError(
      `${folder} has ${folders.length} folders, and ${MOST_FOLDERS} are the most that are searched`,
      {
        next: 'Give a folder that holds nothing but what the shards left.',
      },
    );
  }
  return [folder, ...folders].map((one) => join(one, name)).filter(isFile);
}

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name))
      .sort();
  } catch (cause) {
    throw new ConfigError(`${folder}: cannot be read: ${messageOf(cause)}`, {
      cause,
      next: 'Give the folder that the run.json of the shards were downloaded to; without one, every shard was lost.',
    });
  }
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
