import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileChange } from './store/file-change.ts';

/** The files of the built page; none where it was not built. */
export function pageFiles(folder: string): readonly FileChange[] {
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return names
    .filter((name) => /^[\w-]+\.(?:html|js|css|svg)$/.test(name))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
}
