import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, type MockInstance, vi } from 'vitest';

/** A folder that commands take for the one they are called in. */
export interface CurrentFolder {
  readonly root: string;
  /** Writes a file, with the folders that lead to it. */
  write(path: string, text: string): void;
}

/** Such a folder for each test of a file, empty at its beginning. */
export function currentFolderPerTest(): CurrentFolder {
  let root = '';
  let cwd: MockInstance<typeof process.cwd> | undefined;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'current-folder-'));
    cwd = vi.spyOn(process, 'cwd').mockImplementation(() => root);
  });
  afterEach(() => {
    cwd?.mockRestore();
    rmSync(root, { recursive: true });
  });
  return {
    get root() {
      return root;
    },
    write(path, text) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
  };
}
