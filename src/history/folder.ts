import { existsSync, readdirSync } from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, EnvironmentError, messageOf } from '../foundation/errors.ts';
import { makeFolder, onDisk } from '../host/files/output.ts';
import { FileRefusal, readBytes, readText } from '../host/files/reader.ts';
import { lockFolder } from '../host/locks.ts';
import { isPlainPath } from './branch/settings.ts';
import type { HistoryStore, PublishResult } from './reader.ts';
import type { FileChange, ReadHistory } from './store/changes.ts';

const MAX_ATTEMPTS = 10;

/**
 * History in a folder, for example a checkout of the branch. Changes are written to temporary files first, which are then renamed in the
 * given order, so that the index never names a missing file. Writers take turns; `log` reports when one has to wait. `read` throws
 * EnvironmentError for an existing file that cannot be read.
 */
export function historyFolder(folder: string, log: (line: string) => void): HistoryStore {
  return {
    name: folder,
    read: (path) => textAt(folder, path),
    list: (inner) => namesAt(folder, inner),
    change: async (apply) => {
      await using _turn = await lockFolder(folder, log);
      return await changed(folder, apply);
    },
  };
}

async function namesAt(folder: string, inner: string): Promise<readonly string[]> {
  const path = join(folder, plain(inner));
  const entries = await ifThere(path, () => readdir(path, { withFileTypes: true }));
  const files = (entries ?? []).filter((entry) => !entry.isDirectory());
  return files.map(({ name }) => name).sort();
}

function textAt(folder: string, path: string): Promise<string | undefined> {
  const file = join(folder, plain(path));
  // Invalid UTF-8 would be written back as replacement characters.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return ifThere(file, () => decoder.decode(readBytes(file, { root: folder })));
}

/** Result of reading; undefined if the file is missing. */
async function ifThere<Found>(path: string, read: () => Found | Promise<Found>): Promise<Found | undefined> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof FileRefusal ? cause.kind === 'missing' : codeOf(cause) === 'ENOENT') {
      return undefined;
    }
    throw new EnvironmentError(`${path}: cannot be read: ${messageOf(cause)}`, {
      code: 'WG-107',
      cause,
      next: 'Check its permissions. Nothing was written.',
    });
  }
}

function plain(path: string): string {
  if (!isPlainPath(path)) {
    throw new RangeError(`${JSON.stringify(path)} cannot be a path of the history`);
  }
  return path;
}

async function changed(folder: string, apply: Parameters<HistoryStore['change']>[0]): Promise<PublishResult> {
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts += 1) {
    const seen = new Map<string, string | undefined>();
    const read: ReadHistory = async (path) => {
      const text = await textAt(folder, path);
      seen.set(path, text);
      return text;
    };
    const changes = await apply({ read, list: (inner) => namesAt(folder, inner) });
    if (changes.length === 0) {
      return { outcome: 'unchanged', attempts };
    }
    if (await writeAll(folder, changes, seen)) {
      return { outcome: 'written', attempts };
    }
  }
  throw new EnvironmentError(`another process is writing to ${folder}`, {
    code: 'WG-205',
    next: 'Try again when it is done.',
  });
}

/** Returns false, without writing anything, if a file differs from `seen`. */
async function writeAll(
  folder: string,
  changes: readonly FileChange[],
  seen: ReadonlyMap<string, string | undefined>,
): Promise<boolean> {
  const parts = changes.map(({ path, text }) => {
    const file = join(folder, plain(path));
    return { file, text, part: `${file}.${process.pid}.part` };
  });
  try {
    for (const { file, part, text } of parts) {
      await onDisk(file, () => makeFolder(dirname(file)));
      await onDisk(file, () => writeFile(part, text ?? ''));
    }
    for (const [path, text] of seen) {
      if ((await textAt(folder, path)) !== text) {
        return false;
      }
    }
    for (const { file, part, text } of parts) {
      await onDisk(file, () => (text === undefined ? rm(file, { force: true }) : rename(part, file)));
    }
    return true;
  } finally {
    await Promise.all(parts.map(({ part }) => rm(part, { force: true })));
  }
}

/** Files of the built page; empty if it was not built. */
export function pageFiles(folder: string): readonly FileChange[] {
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return names
    .filter((name) => /^[\w-]+\.(?:html|js|css|svg)$/.test(name))
    .map((path) => ({ path, text: readText(join(folder, path), 'Install Wiregauge again.') }));
}
