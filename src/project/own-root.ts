import { createHash } from 'node:crypto';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EnvironmentError, ifPossible, messageOf } from '../foundation/errors.ts';
import { onDisk } from '../host/files/output.ts';
import { cacheFolder } from '../host/files/own-folders.ts';
import { readBytes } from '../host/files/reader.ts';
import { filesBelow } from '../host/files/repository.ts';

/** Folder of this package, which pins the load tools. The bundle is in its `dist`, this source two folders below it. */
export const OWN_ROOT = packageFolder(dirname(fileURLToPath(import.meta.url)));

/** Chosen folder; for Wiregauge's own a folder in which its reference services can be built. */
export async function writableRoot(chosen: string): Promise<string> {
  return chosen === OWN_ROOT ? await demonstrationFolder(OWN_ROOT, cacheFolder(process.env)) : chosen;
}

function packageFolder(folder: string): string {
  return existsSync(join(folder, 'package.json')) || dirname(folder) === folder
    ? folder
    : packageFolder(dirname(folder));
}

/** Sources of the reference services and their suites. */
const PARTS = [
  ...['Dockerfile', '.dockerignore', 'pyproject.toml', 'uv.lock'],
  ...['proto', 'scripts/make-service', 'scripts/proto', 'scripts/uv', 'services', 'suites'],
  ...['tools/games-database', 'tools/users-store'],
];

/**
 * Folder in which the reference services are built and measured: `root` itself if it is a checkout, otherwise a copy in the cache, because
 * builds write files, and an installed package may be read-only or shared. A modified copy is replaced. Throws EnvironmentError if the
 * package is incomplete or the cache is not writable.
 */
export async function demonstrationFolder(root: string, cache: string): Promise<string> {
  if (existsSync(join(root, '.git'))) {
    return root;
  }
  const files = filesOf(root);
  const digest = digestOf(root, files);
  const folder = join(cache, `demonstration-${digest.slice(0, 16)}`);
  if (!isCopy(folder, files, digest)) {
    await onDisk(cache, () => copyTo(folder, root, files));
  }
  return folder;
}

function filesOf(root: string): readonly string[] {
  try {
    return PARTS.flatMap((part) => (statSync(join(root, part)).isFile() ? [part] : filesIn(root, part)));
  } catch (cause) {
    throw new EnvironmentError(`the reference services cannot be read: ${messageOf(cause)}`, {
      cause,
      next: 'Reinstall Wiregauge, or run it in a folder with your own suite.',
    });
  }
}

/** Skips links, which a checkout of a service may contain. */
function filesIn(root: string, part: string): readonly string[] {
  return filesBelow(join(root, part))
    .map((path) => join(part, path))
    .filter((path) => lstatSync(join(root, path)).isFile());
}

function digestOf(root: string, files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readBytes(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function isCopy(folder: string, files: readonly string[], digest: string): boolean {
  // Undefined if a file is missing.
  return ifPossible(() => digestOf(folder, files)) === digest;
}

// Copies to a temporary folder and renames it, so that an interrupted start leaves no incomplete copy.
async function copyTo(folder: string, root: string, files: readonly string[]): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const scratch = await mkdtemp(`${folder}-`);
  try {
    for (const file of files) {
      await mkdir(join(scratch, dirname(file)), { recursive: true });
      await copyFile(join(root, file), join(scratch, file));
    }
    await giveName(scratch, folder, () => isCopy(folder, files, digestOf(root, files)));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

// Keeps a valid copy that another process created in the meantime, since it may be in use.
async function giveName(scratch: string, folder: string, isGood: () => boolean): Promise<void> {
  try {
    await rename(scratch, folder);
  } catch (thrown) {
    if (!existsSync(folder)) {
      throw thrown;
    }
    if (!isGood()) {
      await rm(folder, { recursive: true, force: true });
      await rename(scratch, folder);
    }
  }
}
